import type { Refusal } from "../client/client";

/** Say what went wrong, and the way out. */
export function withHint({ message, hint }: Pick<Refusal<string>, "message" | "hint">): string {
	return `${message} ${hint}`.trim();
}

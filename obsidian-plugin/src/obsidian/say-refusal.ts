import { Notice } from "obsidian";
import type { Refusal } from "../client/client";
import { withHint } from "../core/refusal";

/** Say why something was refused, and what helps. */
export function sayRefusal(refusal: Refusal<string>): void {
	new Notice(withHint(refusal));
}

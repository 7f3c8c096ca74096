import type { Finding } from "../../bridge/operations";

/** What can be done about a finding: by the bridge itself, or by the person in a terminal. */
export type Fix =
	| { readonly kind: "operation"; readonly operation: "reindex"; readonly text: string }
	| { readonly kind: "command"; readonly command: string };

/** Read off what a finding says is to be done how to do it; null when only words help. */
export function fixOf({ do: advice }: Pick<Finding, "do">): Fix | null {
	const command = /`(vault-bridge [^`]+)`/.exec(advice)?.[1] ?? /\bRun: (.+)$/.exec(advice)?.[1];
	if (command === undefined) return null;
	if (command === "vault-bridge reindex") return { kind: "operation", operation: "reindex", text: "Reindex" };
	return { kind: "command", command };
}

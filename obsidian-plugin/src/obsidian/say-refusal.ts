import { Notice } from "obsidian";
import { explainRefusal, type Refusal } from "../client/client";

/** Say why something was refused, and what helps. */
export function sayRefusal(refusal: Refusal<string>): void {
	new Notice(explainRefusal(refusal));
}

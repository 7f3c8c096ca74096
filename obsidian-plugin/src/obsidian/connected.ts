import { Notice } from "obsidian";
import { isOpen } from "../core/connection";
import type { Host } from "./host";

/** Whether the bridge can be asked; if not, the person is told how it comes back. */
export function isConnected({ link }: Pick<Host, "link">): boolean {
	if (isOpen(link.connection)) return true;
	new Notice("The bridge is not connected. Click it in the status bar to see why, and what to do.");
	return false;
}

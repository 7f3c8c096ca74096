import { isOpen } from "../../core/connection";
import { countWaiting } from "../../core/history";
import { Newest } from "../../core/newest";
import { CHANGES, type Host } from "../host";
import { makeSign } from "../sign";

const MAX_PROPOSALS = 50;
const SETTLE_MS = 300;

/**
 * Keep telling how many proposals wait for the person.
 *
 * @param bar An item of the status bar.
 * @param ribbon The icon that shows the changes.
 * @returns A function that stops it.
 */
export function tellWaiting(host: Host, bar: HTMLElement, ribbon: HTMLElement): () => void {
	const sign = makeSign(bar, "vault-bridge-waiting", () => host.reveal(CHANGES));
	const badge = ribbon.createSpan({ cls: "vault-bridge-badge" });
	let timer: number | undefined;
	const newest = new Newest();
	const show = (count: number): void => {
		const text = countWaiting(count, MAX_PROPOSALS);
		badge.setText(text);
		sign("file-diff", text, count === 1 ? "1 proposed change waits for you" : `${text} proposed changes wait for you`);
	};
	const ask = async (): Promise<void> => {
		const isLate = newest.ask();
		const answer = await host.link.call("list_changes", { state: "proposed", limit: MAX_PROPOSALS + 1 });
		if (!isLate() && answer.ok) show(answer.result.changes.length);
	};
	const soon = (): void => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => void ask(), SETTLE_MS);
	};
	const undo = [
		host.connections.add((connection) => (isOpen(connection) ? soon() : show(0))),
		host.events.add(({ kind }) => {
			if (kind === "change_recorded" || kind === "change_proposed") soon();
		}),
		() => window.clearTimeout(timer),
	];
	show(0);
	return () => undo.forEach((stop) => stop());
}

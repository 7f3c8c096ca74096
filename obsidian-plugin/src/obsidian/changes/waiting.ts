import { isOpen } from "../../core/connection";
import { countWaiting, isReview } from "../../core/history";
import { AnswerOrder } from "../../core/answer-order";
import { CHANGES, type Host } from "../host";
import { makeSign } from "../sign";

const MAX_PROPOSALS = 50;
const SETTLE_MS = 300;

/**
 * Keep telling how much waits for the person.
 *
 * @param bar An item of the status bar.
 * @param ribbon The icon that shows the changes.
 * @returns A function that stops it.
 */
export function tellWaiting(host: Host, bar: HTMLElement, ribbon: HTMLElement): () => void {
	const sign = makeSign(bar, "vaultside-waiting", () => host.reveal(CHANGES));
	const badge = ribbon.createSpan({ cls: "vaultside-badge" });
	let timer: number | undefined;
	const newest = new AnswerOrder();
	const show = (count: number): void => {
		const text = countWaiting(count, MAX_PROPOSALS);
		badge.setText(text);
		sign("file-diff", text, `${text} waiting for you`);
	};
	const ask = async (): Promise<void> => {
		const isLate = newest.ask();
		const answer = await host.link.call("list_decisions", { limit: MAX_PROPOSALS + 1 });
		if (!isLate() && answer.ok) show(answer.result.proposals.length + answer.result.waiting.length);
	};
	const soon = (): void => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => void ask(), SETTLE_MS);
	};
	const undo = [
		host.connections.add((connection) => (isOpen(connection) ? soon() : show(0))),
		host.events.add(({ kind }) => {
			if (isReview(kind)) soon();
		}),
		() => window.clearTimeout(timer),
	];
	show(0);
	return () => undo.forEach((stop) => stop());
}

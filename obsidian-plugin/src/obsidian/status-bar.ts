import type { Plugin } from "obsidian";
import { AnswerOrder } from "../core/answer-order";
import { changesDecisions } from "../core/bridge-events";
import { type Connection, explainConnection, inWords, isOpen } from "../core/connection";
import { countWaiting } from "../core/history";
import { CHANGES, GRAPH, type Host, SEARCH, STATUS, TIDY } from "./host";
import { showSessionCount } from "./memory/session-count";
import { makeStatusItem } from "./status-item";

const ICONS: Readonly<Record<Connection["is"], string>> = {
	off: "unplug",
	connecting: "loader",
	indexing: "loader",
	ready: "check",
	refused: "lock",
	incompatible: "alert-triangle",
};

const MAX_PROPOSALS = 50;
const SETTLE_MS = 300;

/** Add the icons of the ribbon and the items of the status bar, and keep them as the settings say. */
export function registerStatusBar(plugin: Plugin & Host): void {
	const search = plugin.addRibbonIcon("search", "Search by words and meaning", () => void plugin.reveal(SEARCH));
	const graph = plugin.addRibbonIcon("chart-network", "Show the graph", () => void plugin.reveal(GRAPH));
	const changes = plugin.addRibbonIcon("file-diff", "Show what agents changed", () => void plugin.reveal(CHANGES));
	plugin.register(showProposalCount(plugin, plugin.addStatusBarItem(), changes));
	plugin.register(showSessionCount(plugin, plugin.addStatusBarItem()));
	plugin.register(showPlanCount(plugin, plugin.addStatusBarItem()));
	const connection = plugin.addStatusBarItem();
	plugin.register(showConnection(plugin, connection));
	const applySettings = (): void => {
		for (const icon of [search, graph, changes]) icon.toggle(plugin.settings.ribbon);
		connection.toggleClass("is-icon-only", !plugin.settings.statusText);
	};
	applySettings();
	plugin.register(plugin.settingsListeners.add(applySettings));
}

/** Tell how things stand with the bridge. Each of these returns a function that stops it. */
function showConnection(host: Host, bar: HTMLElement): () => void {
	const sign = makeStatusItem(bar, "vaultside-status-bar", () => host.reveal(STATUS));
	const show = (connection: Connection): void => {
		sign(ICONS[connection.is], inWords(connection), explainConnection(connection));
		bar.dataset["state"] = connection.is;
	};
	show(host.link.connection);
	return host.connections.add(show);
}

/** Tell that a plan was made until the person looks at it. */
function showPlanCount(host: Host, bar: HTMLElement): () => void {
	const show = makeStatusItem(bar, "vaultside-plan", () => {
		show("", "", "");
		return host.reveal(TIDY);
	});
	show("", "", "");
	return host.events.add((event) => {
		// An open pane shows it by itself.
		if (event.kind === "plan_ready" && host.app.workspace.getLeavesOfType(TIDY).length === 0) show("list-checks", String(event.findings), "There is a plan to tidy your notes");
	});
}

/** Keep telling how much waits for the person, on the ribbon's icon too. */
function showProposalCount(host: Host, bar: HTMLElement, ribbon: HTMLElement): () => void {
	const sign = makeStatusItem(bar, "vaultside-waiting", () => host.reveal(CHANGES));
	const badge = ribbon.createSpan({ cls: "vaultside-badge" });
	let timer: number | undefined;
	const answers = new AnswerOrder();
	const show = (count: number): void => {
		const text = countWaiting(count, MAX_PROPOSALS);
		badge.setText(text);
		sign("file-diff", text, `${text} waiting for you`);
	};
	const ask = async (): Promise<void> => {
		const isLate = answers.ask();
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
			if (changesDecisions(kind)) soon();
		}),
		() => window.clearTimeout(timer),
	];
	show(0);
	return () => undo.forEach((stop) => stop());
}

import { colourOf, type Theme, toHex } from "../../core/graph/emphasis";
import { type Groups, shapeOf } from "../../core/graph/groups";
import type { Section } from "../../core/graph/picture";
import type { ViewNode } from "../../protocol/operations";
import { STEPS } from "../search/list-keys";
import { addButton } from "../button";

/** Rows that are shown before one asks for more. */
const ROWS = 200;

export interface NodeListListener {
	readonly onClick: (node: ViewNode, event: MouseEvent) => void;
	readonly onMenu: (node: ViewNode, event: MouseEvent) => void;
	readonly onFocus: (node: ViewNode) => void;
}

/** The graph as a list: for the keyboard, for screen readers, and where no picture can be drawn. */
export class NodeList {
	#most = ROWS;

	constructor(
		private readonly el: HTMLElement,
		private readonly listener: NodeListListener,
	) {
		el.addEventListener("keydown", (event) => this.#onKey(event));
	}

	show(sections: readonly Section[], groups: Groups, theme: Theme): void {
		const focused = this.el.doc.activeElement?.getAttribute("data-node") ?? null;
		this.el.empty();
		let left = this.#most;
		for (const { name, nodes } of sections) {
			if (left === 0) break;
			this.el.createEl("h6", { cls: "vaultside-part", text: `${name} · ${nodes.length}` });
			const list = this.el.createEl("ul", { cls: "vaultside-graph-rows", attr: { "aria-label": name } });
			for (const node of nodes.slice(0, left)) this.#row(list, node, groups, theme, String(node.id) === focused);
			left -= Math.min(left, nodes.length);
		}
		const all = sections.reduce((sum, { nodes }) => sum + nodes.length, 0);
		if (all <= this.#most) return;
		addButton(this.el, { text: "Show more" }, () => {
			this.#most += ROWS;
			this.show(sections, groups, theme);
		});
	}

	#row(list: HTMLElement, node: ViewNode, groups: Groups, theme: Theme, focus: boolean): void {
		const row = list.createEl("li").createEl("button", { cls: "vaultside-graph-row", attr: { "data-node": String(node.id) } });
		const dot = row.createSpan({ cls: "vaultside-graph-dot", attr: { "data-shape": shapeOf(node.id, groups) } });
		dot.setCssProps({ "--dot": toHex(colourOf(node, groups, theme)) });
		dot.toggleClass("is-stub", node.type === "stub");
		row.createSpan({ cls: "vaultside-graph-row-title", text: node.title, attr: { dir: "auto" } });
		const group = groups.all.find(({ key }) => key === groups.of.get(node.id))?.name;
		const facts = [node.type === "stub" ? "not written yet" : "", group ?? "", `${node.joined} ${node.joined === 1 ? "link" : "links"}`];
		row.createSpan({ cls: "vaultside-graph-row-facts", text: facts.filter((fact) => fact !== "").join(" · "), attr: { dir: "auto" } });
		row.addEventListener("click", (event) => this.listener.onClick(node, event));
		row.addEventListener("auxclick", (event) => event.button === 1 && this.listener.onClick(node, event));
		row.addEventListener("contextmenu", (event) => this.listener.onMenu(node, event));
		row.addEventListener("focus", () => this.listener.onFocus(node));
		row.addEventListener("mouseenter", () => this.listener.onFocus(node));
		if (focus) row.focus();
	}

	#onKey(event: KeyboardEvent): void {
		const step = STEPS[event.key];
		if (step === undefined) return;
		const rows = [...this.el.querySelectorAll<HTMLElement>(".vaultside-graph-row")];
		const at = rows.findIndex((row) => row === this.el.doc.activeElement);
		const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
		event.preventDefault();
		next?.focus();
	}
}

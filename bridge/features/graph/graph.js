/** The notes around a note, placed by the bridge; a click goes to another note. */

const WIDTH = 640;
const HEIGHT = 380;
const MARGIN = 40;
const GROUPS = 6;
const LABEL = 26;

/** The notes that were in the centre before this one, and how far one looks from it. */
const trail = [];
let centre = null;
let depth = 2;

function draw(view) {
	if (centre === null) {
		centre = findCentre(view);
		depth = given.depth ?? depth;
	}
	const title = view.nodes.find((node) => node.path === centre)?.title;
	const shown = view.nodes.length < view.total ? `${view.nodes.length} of ${view.total} notes` : `${view.total} ${view.total === 1 ? "note" : "notes"}`;
	const head = make("div", { cls: "head", of: [make("h1", { text: title === undefined ? "Graph" : `Around ${plain(title)}` }), make("span", { cls: "faint", text: shown, attrs: { role: "status" } })] });
	page.replaceChildren(head, ...(canCall && centre !== null ? [drawSteps()] : []), drawPicture(view));
}

/** The note that was asked for, which may have been named without its folder or ending. */
function findCentre(view) {
	const asked = String(given.path ?? "").normalize("NFC");
	if (asked === "") return null;
	const named = [(node) => node.path === asked, (node) => node.path === `${asked}.md`, (node) => node.path?.endsWith(`/${asked}.md`) || node.path?.endsWith(`/${asked}`), (node) => node.title === asked];
	for (const fits of named) {
		const found = view.nodes.find(fits);
		if (found !== undefined) return found.path;
	}
	return null;
}

function drawSteps() {
	const acts = make("div", { cls: "acts", attrs: { role: "group", "aria-label": "How far from the note" } });
	for (const steps of [1, 2, 3]) {
		const button = make("button", { text: steps === 1 ? "1 step" : `${steps} steps`, attrs: { type: "button", "aria-pressed": steps === depth } });
		button.addEventListener("click", () => void go(centre, steps));
		acts.append(button);
	}
	if (trail.length > 0) {
		const back = make("button", { text: "Back", attrs: { type: "button" } });
		back.addEventListener("click", () => void go(trail.pop(), depth));
		acts.append(back);
	}
	return acts;
}

async function go(path, steps) {
	try {
		const view = await call("graph_view", { path, depth: steps });
		centre = path;
		depth = steps;
		draw(view);
	} catch (error) {
		page.append(make("p", { cls: "refusal", text: error.message, unseen: true, attrs: { role: "alert" } }));
	}
}

function drawPicture(view) {
	const places = place(view.nodes);
	const svg = make("svg", { attrs: { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Notes and their links" } });
	for (const { source, target, weight } of view.edges) {
		const [from, to] = [places.get(source), places.get(target)];
		if (from === undefined || to === undefined) continue;
		svg.append(make("line", { attrs: { x1: from.x, y1: from.y, x2: to.x, y2: to.y, "stroke-width": Math.min(3, 0.8 + weight / 4) } }));
	}
	const groups = new Map(view.communities.map(({ number }, at) => [number, at]));
	const boxes = [];
	const labels = [];
	const byWeight = [...view.nodes].sort((one, other) => (other.path === centre) - (one.path === centre) || other.size - one.size);
	const drawn = byWeight.map((node) => drawNode(node, places.get(node.id), groups.get(node.community), boxes, labels));
	// What weighs most is drawn above the rest, and what the notes are called above all of them.
	svg.append(...drawn.reverse(), ...labels.reverse());
	return svg;
}

/** Fit the places of nodes into the picture. */
function place(nodes) {
	const fit = (name, size) => {
		const all = nodes.map((node) => node[name]);
		const [least, most] = [Math.min(...all), Math.max(...all)];
		return (value) => (most === least ? size / 2 : MARGIN + ((value - least) / (most - least)) * (size - 2 * MARGIN));
	};
	const [x, y] = [fit("x", WIDTH), fit("y", HEIGHT)];
	return new Map(nodes.map((node) => [node.id, { x: x(node.x), y: y(node.y) }]));
}

/** Draw a note, and add what it is called to the labels if it covers none of them. */
function drawNode(node, { x, y }, group, boxes, labels) {
	const title = plain(node.title);
	const radius = 3 + node.size * 0.9;
	const g = make("g", { attrs: { "data-type": node.type, "aria-label": `${title}, joined to ${node.joined}` } });
	if (group !== undefined && group < GROUPS) g.setAttribute("data-group", String(group));
	if (node.path === centre && centre !== null) g.setAttribute("aria-current", "true");
	g.append(make("circle", { attrs: { cx: x, cy: y, r: radius } }));
	const text = title.length > LABEL ? `${[...title].slice(0, LABEL).join("")}…` : title;
	const half = text.length * (node.path === centre ? 3.8 : 3.1);
	const box = { left: x - half, right: x + half, top: y + radius, bottom: y + radius + 13 };
	if (boxes.every((other) => box.right < other.left || other.right < box.left || box.bottom < other.top || other.bottom < box.top)) {
		boxes.push(box);
		labels.push(make("text", { text, cls: node.path === centre ? "centre" : "", attrs: { x, y: y + radius + 11, "aria-hidden": "true" } }));
	}
	if (canCall && node.path !== null && node.path !== centre) {
		const goThere = () => {
			if (centre !== null) trail.push(centre);
			void go(node.path, depth);
		};
		g.setAttribute("role", "button");
		g.setAttribute("tabindex", "0");
		g.addEventListener("click", goThere);
		g.addEventListener("keydown", (event) => {
			if (event.key === "Enter" || event.key === " ") {
				event.preventDefault();
				goThere();
			}
		});
	} else g.setAttribute("role", "img");
	return g;
}

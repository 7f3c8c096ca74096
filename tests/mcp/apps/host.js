/** A program of an agent that shows pages, by the official library: what a test gives is shown in a frame. */

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

window.told = [];

window.showPage = async ({ address, args, answer, theme, canCall }) => {
	document.documentElement.style.background = theme === "dark" ? "#171717" : "#ffffff";
	const frame = document.createElement("iframe");
	// As a program shows it: without its origin, and nothing but scripts.
	frame.setAttribute("sandbox", "allow-scripts");
	Object.assign(frame.style, { width: "100%", border: "0", height: "100px" });
	document.body.replaceChildren(frame);
	const capabilities = { ...(canCall ? { serverTools: {} } : {}), updateModelContext: { text: {} } };
	const bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities, { hostContext: { theme, displayMode: "inline" } });
	bridge.onsizechange = ({ height }) => (frame.style.height = `${height}px`);
	bridge.oncalltool = (params) => window.callTool(params);
	bridge.onupdatemodelcontext = async ({ content }) => (window.told.push(...content.map(({ text }) => text)), {});
	const ready = new Promise((resolve) => (bridge.oninitialized = resolve));
	await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
	frame.src = address;
	await ready;
	await bridge.sendToolInput({ arguments: args });
	await bridge.sendToolResult(answer);
	window.host = bridge;
};

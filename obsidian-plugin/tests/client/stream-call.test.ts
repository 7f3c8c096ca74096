import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { streamCall } from "../../src/client/stream-call";
import { nodeTransport, pageTransport, type Transport } from "../../src/client/transports";

let server: Server;
let asked: { request: IncomingMessage; body: string }[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
	vi.stubGlobal("window", globalThis);
	asked = [];
	server = createServer((request, response) => {
		let body = "";
		request.on("data", (piece: Buffer) => (body += piece.toString()));
		request.on("end", () => {
			asked.push({ request, body });
			answer(response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
	server.closeAllConnections();
	server.close();
	vi.unstubAllGlobals();
});

/** Ask the server, and keep what is heard. */
function asking(ways: readonly Transport[]): { heard: unknown[]; stop: () => void } {
	const heard: unknown[] = [];
	const address = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "t", vault: "v" };
	const stop = streamCall(address, "ask", { question: "Why?" }, {
		onPart: (kind, data) => heard.push([kind, data]),
		onEnd: (ended) => heard.push(ended),
	}, ways);
	return { heard, stop };
}

const blocked: Transport = (_url, _headers, hear) => {
	queueMicrotask(hear.onEnd);
	return () => {};
};

describe.each([["Node", [nodeTransport]], ["the page", [pageTransport]], ["the page where Node is not to be had", [blocked, pageTransport]]] as const)("by %s", (_, ways) => {
	test("parts are heard as they come, and the result at the end", async () => {
		answer = (response) => {
			response.writeHead(200, { "Content-Type": "text/event-stream" });
			response.write('event: token\ndata: "sü');
			response.end('ß"\n\nevent: done\ndata: {"answer":"süß"}\n\n');
		};
		const { heard } = asking(ways);
		await vi.waitFor(() => expect(heard).toEqual([["token", "süß"], { ok: true, result: { answer: "süß" } }]));
		expect(asked[0]?.request.headers).toMatchObject({ authorization: "Bearer t", accept: "text/event-stream" });
		expect(asked[0]?.request.method).toBe("POST");
		expect(JSON.parse(asked[0]?.body ?? "")).toEqual({ vault: "v", question: "Why?" });
	});

	test("errors are values, before the stream and in it", async () => {
		const error = '{"error":{"code":"model_missing","message":"None.","hint":"Install one."}}';
		answer = (response) => response.writeHead(404).end(error);
		const first = asking(ways);
		const refused = { ok: false, error: { code: "model_missing", message: "None.", hint: "Install one." } };
		await vi.waitFor(() => expect(first.heard).toEqual([refused]));
		answer = (response) => response.writeHead(200).end(`event: error\ndata: ${error}\n\n`);
		const second = asking(ways);
		await vi.waitFor(() => expect(second.heard).toEqual([refused]));
	});

	test("a stream that ends without a result says so", async () => {
		answer = (response) => response.writeHead(200).end('event: token\ndata: "a"\n\n');
		const { heard } = asking(ways);
		await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ ok: false, error: { code: "unreachable" } }));
	});

	test("breaking it off is noticed by the bridge, and nothing more is heard", async () => {
		let left = false;
		answer = (response) => {
			response.on("close", () => (left = true));
			response.writeHead(200).write('event: token\ndata: "a"\n\n');
		};
		const { heard, stop } = asking(ways);
		await vi.waitFor(() => expect(heard).toHaveLength(1));
		stop();
		await vi.waitFor(() => expect(left).toBe(true));
		expect(heard).toHaveLength(1);
	});
});

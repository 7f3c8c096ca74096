import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followEvents } from "../../src/client/stream";
import { nodeTransport, pageTransport, type Transport } from "../../src/client/transports";

let server: Server;
let asked: IncomingMessage[];
let answers: ServerResponse[];
let status: number;

beforeEach(async () => {
	vi.stubGlobal("window", globalThis);
	[asked, answers, status] = [[], [], 200];
	server = createServer((request, answer) => {
		asked.push(request);
		answers.push(answer.writeHead(status, { "Content-Type": "text/event-stream" }));
		answer.flushHeaders();
		if (status !== 200) answer.end();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
	server.closeAllConnections();
	server.close();
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

/** Follow the server, and keep what is told. */
function following(ways: readonly Transport[], given: { after?: string; paired?: boolean } = {}): { told: string[]; stop: () => void } {
	const told: string[] = [];
	const address = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "t", vault: "a b", paired: given.paired ?? false };
	const stop = followEvents(address, given.after ?? "", {
		onOpen: () => told.push("opened"),
		onEvent: (event, id) => told.push(`${id} ${JSON.stringify(event)}`),
		onEnd: (refused) => told.push(`ended ${refused}`),
	}, ways);
	return { told, stop };
}

/** A way that the machine does not have. */
const blocked: Transport = (_url, _headers, hear) => {
	queueMicrotask(hear.onEnd);
	return () => {};
};

describe.each([["Node", nodeTransport], ["the page", pageTransport], ["the page where Node is not to be had", blocked]] as const)("by %s", (_, way) => {
	const ways = way === blocked ? [blocked, pageTransport] : [way];

	test("events are told as they come, in whatever pieces, until the stream ends", async () => {
		const { told } = following(ways, { after: "6" });
		await vi.waitFor(() => expect(told).toEqual(["opened"]));
		expect(asked[0]?.url).toBe("/api/events?applies=a%20b");
		expect(asked[0]?.headers).toMatchObject({ authorization: "Bearer t", "last-event-id": "6" });
		const event = Buffer.from('id: 6\nevent: reset\ndata: broken\n\nid: 7\nevent: note_changed\ndata: {"path":"süß"}\n\n');
		for (const byte of event) answers[0]?.write(Buffer.from([byte]));
		await vi.waitFor(() => expect(told.at(-1)).toBe('7 {"path":"süß","kind":"note_changed"}'));
		answers[0]?.end();
		await vi.waitFor(() => expect(told.at(-1)).toBe("ended null"));
		expect(told).toHaveLength(3);
	});

	test("a refusal is told with its status, once", async () => {
		status = 401;
		const { told } = following(ways, { paired: true });
		await vi.waitFor(() => expect(told).toEqual(["ended 401"]));
		expect(asked.map(({ url }) => url)).toEqual(["/api/events"]);
	});

	test("nothing is told any more, nor held open, once it is stopped", async () => {
		const { told, stop } = following(ways);
		await vi.waitFor(() => expect(told).toEqual(["opened"]));
		const closed = new Promise((resolve) => answers[0]?.once("close", resolve));
		stop();
		await closed;
		expect(told).toEqual(["opened"]);
	});
});

test("without any way it ended", async () => {
	const { told } = following([blocked, blocked]);
	await vi.waitFor(() => expect(told).toEqual(["ended null"]));
});

test("a stream that was stopped before it began asks for nothing", async () => {
	const { told, stop } = following([nodeTransport]);
	stop();
	await new Promise((resolve) => setImmediate(resolve));
	await new Promise((resolve) => server.getConnections((_, count) => resolve(expect(count).toBe(0))));
	expect(told).toEqual([]);
});

test("a stream that falls silent is dead, though nobody closed it", () => {
	vi.useFakeTimers();
	let say: ((piece: string) => void) | null = null;
	let broken = 0;
	const { told } = following([
		(_url, _headers, hear) => {
			hear.onStatus(200);
			say = hear.onText;
			return () => (broken += 1);
		},
	]);
	vi.advanceTimersByTime(44_000);
	(say as ((piece: string) => void) | null)?.(":\n\n");
	vi.advanceTimersByTime(44_000);
	expect(told).toEqual(["opened"]);
	vi.advanceTimersByTime(1_000);
	expect([told, broken]).toEqual([["opened", "ended null"], 1]);
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Address, Send } from "../../src/client/client";
import { Link } from "../../src/client/link";
import { FORMS, VERSION } from "../../src/protocol/operations";
import type { StreamListener } from "../../src/client/stream";
import type { Absence, Connection } from "../../src/core/connection";

const ADDRESS: Address = { url: "http://127.0.0.1:1", token: "t", vault: "v" };
const VAULT = {
	notes: 1,
	passages: 1,
	pending: { keyword: 0, vectors: 0 },
	ready: { keyword: true, semantic: true, words: true },
	model: { id: "m" },
	paused: false,
	trouble: null,
};

/** A bridge that answers as it is told to, and a clock that is moved by hand. */
class Scene {
	found: Address | Absence = ADDRESS;
	status = 200;
	reachable = true;
	/** The request that gets no answer, counted from 1. */
	lost = 0;
	forms: Record<string, string> = { ...FORMS };
	vault: object = VAULT;
	readonly seen: Connection[] = [];
	readonly asked: string[] = [];
	listener: StreamListener | null = null;
	finds = 0;
	connected = 0;
	stopped = 0;

	readonly send: Send = async ({ url }) => {
		this.asked.push(new URL(url).pathname);
		if (!this.reachable || this.asked.length === this.lost) throw new Error("refused");
		if (this.status !== 200) return { status: this.status, text: JSON.stringify({ error: { code: "unauthorized", message: "No.", hint: "" } }) };
		const operations = Object.entries(this.forms).map(([name, form]) => ({ name, form }));
		return { status: 200, text: JSON.stringify(url.endsWith("/operations") ? { operations } : { vaults: [this.vault], version: VERSION }) };
	};

	readonly link = new Link(
		{
			send: this.send,
			findBridge: async () => {
				this.finds += 1;
				return this.found;
			},
			followEvents: (_address, _after, listener) => {
				this.listener = listener;
				queueMicrotask(() => listener.onOpen());
				return () => (this.stopped += 1);
			},
			stream: () => () => {},
			random: () => 0.5,
		},
		{ onChange: (connection) => this.seen.push(connection), onConnect: () => (this.connected += 1), onEvent: () => {} },
	);

	get states(): string {
		return this.seen.map((connection) => connection.is).join(" ");
	}

	async open(): Promise<void> {
		this.link.open();
		await vi.advanceTimersByTimeAsync(0);
	}
}

beforeEach(() => {
	vi.useFakeTimers();
	vi.stubGlobal("window", globalThis);
});
afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

describe("the link", () => {
	test("finds the bridge, compares what both can do, listens, and says so", async () => {
		const scene = new Scene();
		await scene.open();
		expect(scene.states).toBe("connecting ready");
		expect(scene.asked).toEqual(["/api/operations", "/api/status", "/api/status"]);
		expect(scene.connected).toBe(1);
	});

	test("asks again how far the index is when that was not answered", async () => {
		const scene = new Scene();
		scene.lost = 3;
		await scene.open();
		expect([scene.states, scene.connected]).toEqual(["connecting", 0]);
		await vi.advanceTimersByTimeAsync(1_000);
		expect([scene.states, scene.connected]).toEqual(["connecting ready", 1]);
	});

	test("comes back after a loss, later each time, and at once from the beginning when it was there", async () => {
		const scene = new Scene();
		await scene.open();
		scene.found = { kind: "silent" };
		scene.listener?.onEnd(null);
		expect(scene.link.connection).toEqual({ is: "off", why: { kind: "silent" } });
		await vi.advanceTimersByTimeAsync(500 + 1000 + 2000);
		expect(scene.finds).toBe(4);
		scene.found = ADDRESS;
		await vi.advanceTimersByTimeAsync(4000);
		expect(scene.link.connection.is).toBe("ready");
		scene.listener?.onEnd(null);
		await vi.advanceTimersByTimeAsync(500);
		expect(scene.link.connection.is).toBe("ready");
		expect(scene.connected).toBe(3);
	});

	test("does not knock again with a token that was refused", async () => {
		const scene = new Scene();
		scene.status = 401;
		await scene.open();
		expect(scene.states).toBe("connecting refused");
		const before = scene.asked.length;
		await vi.advanceTimersByTimeAsync(600_000);
		expect([scene.finds, scene.asked.length]).toEqual([1, before]);
	});

	test("is refused as well when the token is taken away later", async () => {
		const scene = new Scene();
		await scene.open();
		scene.status = 401;
		expect((await scene.link.call("search", { query: "a" })).ok).toBe(false);
		expect(scene.link.connection.is).toBe("refused");
		expect(scene.stopped).toBe(1);
	});

	test("stops at a bridge that speaks otherwise", async () => {
		const scene = new Scene();
		scene.forms["search"] = "0";
		await scene.open();
		await vi.advanceTimersByTimeAsync(600_000);
		expect(scene.link.connection).toEqual({ is: "incompatible", update: "bridge" });
		expect(scene.finds).toBe(1);
	});

	test("starts what does not start three times, and no more", async () => {
		const scene = new Scene();
		scene.found = { kind: "failed", reason: "No." };
		await scene.open();
		await vi.advanceTimersByTimeAsync(600_000);
		expect(scene.finds).toBe(3);
	});

	test("asks how far the index is until it is done", async () => {
		const scene = new Scene();
		scene.vault = { ...VAULT, passages: 4, pending: { keyword: 0, vectors: 2 } };
		await scene.open();
		expect(scene.link.connection).toEqual({ is: "indexing", done: 0.75 });
		scene.vault = VAULT;
		await vi.advanceTimersByTimeAsync(1000);
		expect(scene.link.connection.is).toBe("ready");
		const before = scene.asked.length;
		await vi.advanceTimersByTimeAsync(600_000);
		expect(scene.asked).toHaveLength(before);
	});

	test("asks no more how far the index is once that was refused", async () => {
		const scene = new Scene();
		scene.vault = { ...VAULT, passages: 4, pending: { keyword: 0, vectors: 2 } };
		await scene.open();
		scene.status = 401;
		await vi.advanceTimersByTimeAsync(1000);
		expect(scene.link.connection.is).toBe("refused");
		const before = scene.asked.length;
		await vi.advanceTimersByTimeAsync(600_000);
		expect(scene.asked).toHaveLength(before);
	});

	test("wants nothing any more once it is closed", async () => {
		const scene = new Scene();
		await scene.open();
		scene.link.close();
		await vi.advanceTimersByTimeAsync(600_000);
		expect([scene.finds, scene.stopped, vi.getTimerCount()]).toEqual([1, 1, 0]);
		expect(await scene.link.call("search", { query: "a" })).toMatchObject({ ok: false, error: { code: "unreachable" } });
	});
});

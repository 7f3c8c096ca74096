/** The parts of Node that the desktop app gives a plugin, done by the process that drives the browser. */
import { EventEmitter } from "events";

import type { Listed } from "./vault";

export interface Facts {
	readonly platform: string;
	readonly home: string;
	readonly env: Record<string, string>;
}

declare global {
	interface Window {
		/** Do something in the driving process; what it answers is JSON. */
		doInNode: (what: string, ...given: unknown[]) => Promise<unknown>;
		fromNode: (id: number, name: string, data: unknown) => void;
	}
}

type Handler = (data: never) => void;

let made = 0;
const handles = new Map<number, (name: string, data: unknown) => void>();
window.fromNode = (id, name, data) => handles.get(id)?.(name, data);

/** What is alive in the driving process on behalf of this page. */
export const alive = (): number => handles.size;

class Emitter {
	private readonly all = new Map<string, Handler[]>();

	on(name: string, handler: Handler): this {
		this.all.set(name, [...(this.all.get(name) ?? []), handler]);
		return this;
	}

	once(name: string, handler: Handler): this {
		const wrapped: Handler = (data) => {
			this.all.set(name, (this.all.get(name) ?? []).filter((other) => other !== wrapped));
			handler(data);
		};
		return this.on(name, wrapped);
	}

	setEncoding(): void {}

	emit(name: string, data: unknown): void {
		for (const handler of this.all.get(name) ?? []) handler(data as never);
	}
}

class Response extends Emitter {
	constructor(readonly statusCode: number) {
		super();
	}
}

class Request extends Emitter {
	private readonly id = (made += 1);
	private response: Response | null = null;

	constructor(
		private readonly url: string,
		private readonly options: { headers: Record<string, string>; method: string },
		private readonly answered: (response: Response) => void,
	) {
		super();
		handles.set(this.id, (name, data) => this.told(name, data));
	}

	end(body?: string): void {
		void window.doInNode("http", this.id, this.url, this.options, body);
	}

	destroy(): void {
		handles.delete(this.id);
		void window.doInNode("http.destroy", this.id);
	}

	private told(name: string, data: unknown): void {
		if (name === "response") this.answered((this.response = new Response(data as number)));
		else if (name === "error") this.emit("error", data);
		else this.response?.emit(name, data);
	}
}

class Child extends Emitter {
	readonly stdout = new Emitter();
	readonly stderr = new Emitter();
	readonly stdin = { end: (): void => void window.doInNode("spawn.end", this.id) };
	private readonly id = (made += 1);

	constructor(program: string, given: readonly string[]) {
		super();
		handles.set(this.id, (name, data) => this.told(name, data));
		void window.doInNode("spawn", this.id, program, given);
	}

	kill(): void {
		void window.doInNode("spawn.kill", this.id);
	}

	private told(name: string, data: unknown): void {
		if (name === "close") handles.delete(this.id);
		if (name === "stdout" || name === "stderr") this[name].emit("data", data);
		else this.emit(name, name === "error" ? new Error(String(data)) : data);
	}
}

async function ask<T>(what: string, ...given: unknown[]): Promise<T> {
	return (await window.doInNode(what, ...given)) as T;
}

/** What must be answered at once, as the app does it. */
function askNow<T>(what: string, ...given: unknown[]): T {
	const sent = new XMLHttpRequest();
	sent.open("POST", "/node", false);
	sent.send(JSON.stringify([what, ...given]));
	const { value, error } = JSON.parse(sent.responseText) as { value: T; error?: { message: string; code: string } };
	if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
	return value;
}

export const disk = {
	list: (base: string) => ask<Listed[]>("disk.list", base),
	read: (path: string) => ask<string>("disk.read", path),
	write: (path: string, text: string) => ask<{ mtime: number; size: number }>("disk.write", path, text),
	remove: (path: string) => ask<null>("disk.remove", path),
	rename: (from: string, to: string) => ask<null>("disk.rename", from, to),
};

/** What `require` answers for each of Node's modules that is asked for. */
export function modules(facts: Facts): Record<string, unknown> {
	Object.assign(window, { process: { env: facts.env, platform: facts.platform, kill: (pid: number, signal: number) => askNow("process.kill", pid, signal) } });
	return {
		"node:events": { EventEmitter },
		"node:http": {
			request: (url: string, options: { headers: Record<string, string>; method: string }, answered: (response: Response) => void) => new Request(url, options, answered),
		},
		"node:child_process": { spawn: (program: string, given: readonly string[]) => new Child(program, given) },
		"node:fs/promises": {
			constants: { X_OK: 1 },
			access: (path: string, mode: number) => ask("fs.access", path, mode),
			readFile: (path: string) => ask("disk.read", path),
			realpath: (path: string) => ask("fs.realpath", path),
			stat: async (path: string) => {
				const isFile = await ask<boolean>("fs.isFile", path);
				return { isFile: () => isFile };
			},
		},
		"node:os": { homedir: () => facts.home, platform: () => facts.platform },
		"node:path": { delimiter: ":", join: (...parts: string[]) => parts.join("/").replace(/\/+/g, "/") },
	};
}

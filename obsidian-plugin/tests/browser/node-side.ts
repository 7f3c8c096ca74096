import { type ChildProcess, spawn } from "node:child_process";
import { access, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { type ClientRequest, request, type RequestOptions } from "node:http";
import { dirname, join, relative } from "node:path";

type Tell = (id: number, name: string, data: unknown) => void;

/** Does for the page what the desktop app's Node would do for the plugin. */
export class NodeSide {
	readonly requests: { url: string; headers: Record<string, string>; body: string }[] = [];
	/** Happens before a request is sent, or before its answer is handed over; what it throws is what the page gets. */
	readonly meanwhile: { sent?: (url: string) => Promise<void>; answered?: (url: string, body: string) => Promise<void> } = {};
	/** How many requests are not answered yet. */
	waiting = 0;
	private readonly streams = new Map<number, ClientRequest>();
	private readonly children = new Map<number, ChildProcess>();

	constructor(
		private readonly home: string,
		private readonly tell: Tell,
	) {}

	/** The processes that the page started and that run. */
	get running(): readonly ChildProcess[] {
		return [...this.children.values()].filter((child) => child.exitCode === null && child.signalCode === null);
	}

	/** The streams that are open. */
	get open(): number {
		return this.streams.size;
	}

	/** End everything, as the end of the app's process does: pipes close, nobody says goodbye. */
	end(): void {
		for (const stream of this.streams.values()) stream.destroy();
		for (const child of this.children.values()) child.stdin?.destroy();
		this.streams.clear();
	}

	readonly does: Readonly<Record<string, (...given: never[]) => unknown>> = {
		request: (asked: { url: string; method?: string; headers?: Record<string, string>; body?: string }) => this.request(asked),
		http: (id: number, url: string, options: RequestOptions, body?: string) => this.stream(id, url, options, body),
		"http.destroy": (id: number) => {
			this.streams.get(id)?.destroy();
			this.streams.delete(id);
		},
		spawn: (id: number, program: string, given: readonly string[]) => this.spawn(id, program, given),
		"spawn.end": (id: number) => {
			this.children.get(id)?.stdin?.end();
		},
		"spawn.kill": (id: number) => this.children.get(id)?.kill(),
		"process.kill": (pid: number, signal: number) => process.kill(pid, signal),
		"fs.access": (path: string, mode: number) => access(path, mode),
		"fs.realpath": (path: string) => realpath(path),
		"fs.isFile": async (path: string) => (await stat(path)).isFile(),
		"disk.list": (base: string) => listed(base),
		"disk.read": (path: string) => readFile(path, "utf8"),
		"disk.write": async (path: string, text: string) => {
			await mkdir(dirname(path), { recursive: true });
			await writeFile(path, text);
			const { mtimeMs, size } = await stat(path);
			return { mtime: mtimeMs, size };
		},
		"disk.remove": (path: string) => rm(path, { recursive: true }),
		"disk.rename": (from: string, to: string) => rename(from, to),
	};

	private async request(asked: { url: string; method?: string; headers?: Record<string, string>; body?: string }): Promise<unknown> {
		this.requests.push({ url: asked.url, headers: asked.headers ?? {}, body: asked.body ?? "" });
		this.waiting += 1;
		try {
			await this.meanwhile.sent?.(asked.url);
			const answer = await fetch(asked.url, {
				method: asked.method ?? "GET",
				headers: asked.headers ?? {},
				...(asked.body === undefined ? {} : { body: asked.body }),
			});
			const text = await answer.text();
			await this.meanwhile.answered?.(asked.url, asked.body ?? "");
			return { status: answer.status, text };
		} finally {
			this.waiting -= 1;
		}
	}

	private stream(id: number, url: string, options: RequestOptions, body?: string): void {
		const sent = request(url, options, (response) => {
			this.tell(id, "response", response.statusCode);
			response.setEncoding("utf8");
			response.on("data", (piece: string) => this.tell(id, "data", piece));
			response.on("close", () => {
				this.streams.delete(id);
				this.tell(id, "close", null);
			});
		});
		sent.on("error", () => {
			this.streams.delete(id);
			this.tell(id, "error", null);
		});
		this.streams.set(id, sent);
		sent.end(body);
	}

	private spawn(id: number, program: string, given: readonly string[]): void {
		const env = { ...process.env, HOME: this.home, XDG_DATA_HOME: "" };
		const child = spawn(program, given, { stdio: ["pipe", "pipe", "pipe"], env });
		this.children.set(id, child);
		child.stdout.on("data", (piece: Buffer) => this.tell(id, "stdout", piece.toString()));
		child.stderr.on("data", (piece: Buffer) => this.tell(id, "stderr", piece.toString()));
		child.on("error", (error) => this.tell(id, "error", error.message));
		child.on("exit", (code) => this.tell(id, "exit", code));
		child.on("close", (code) => {
			this.children.delete(id);
			this.tell(id, "close", code);
		});
	}
}

async function listed(base: string): Promise<readonly object[]> {
	const found: object[] = [];
	for (const entry of await readdir(base, { withFileTypes: true, recursive: true })) {
		const path = join(entry.parentPath, entry.name);
		const inside = relative(base, path);
		if (inside.split("/").some((part) => part.startsWith("."))) continue;
		const { mtimeMs, size } = await stat(path);
		found.push({ path: inside, mtime: mtimeMs, size, folder: entry.isDirectory() });
	}
	// A folder before what is in it.
	return found.sort((one, other) => ((one as { path: string }).path < (other as { path: string }).path ? -1 : 1));
}

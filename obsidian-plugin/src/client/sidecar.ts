import { type ChildProcess, spawn } from "node:child_process";
import type { Address } from "./client";
import { isLoopback, PROGRAM } from "./discovery";

const READY_MS = 30_000;
const LEAVE_MS = 3_000;
const KEPT = 2_000;
/** The form of the line by which a started bridge says where it listens. */
const PROTOCOL = 1;

/** A bridge that this window started. It is what the person installed; nothing is ever fetched or updated. */
export class Sidecar {
	#child: ChildProcess | null = null;

	/**
	 * Start it and wait until it listens.
	 *
	 * @throws Error It did not start; the message says what it said last.
	 */
	start(program: string, folder: string, vault: string, data: string | null): Promise<Address> {
		const place = data === null ? [] : ["--data-dir", data];
		// Its standard input stays open for as long as this window lives: it leaves when that ends, however the app ended.
		const child = spawn(program, ["serve", folder, "--print-ready", "--parent-stdin", ...place], {
			stdio: ["pipe", "pipe", "pipe"],
			windowsHide: true,
		});
		this.#child = child;
		return new Promise((resolve, reject) => {
			let said = "";
			let complaint = "";
			const timer = window.setTimeout(() => fail("It was not ready in time."), READY_MS);
			const fail = (reason: string): void => {
				window.clearTimeout(timer);
				if (this.#child === child) void this.stop();
				reject(new Error(reason));
			};
			child.stdout.setEncoding("utf8");
			child.stdout.on("data", (piece: string) => {
				said += piece;
				const end = said.indexOf("\n");
				if (end < 0) return;
				window.clearTimeout(timer);
				const address = parseAddress(said.slice(0, end), vault);
				if (address === null) fail(`${program} is not the ${PROGRAM} that this plugin knows.`);
				else resolve(address);
			});
			child.stderr.setEncoding("utf8");
			child.stderr.on("data", (piece: string) => {
				complaint = (complaint + piece).slice(-KEPT);
			});
			child.on("error", (error) => {
				if (this.#child === child) this.#child = null;
				fail(error.message);
			});
			child.on("exit", () => {
				if (this.#child === child) this.#child = null;
			});
			// Later than its exit: now everything it said has been read.
			child.on("close", () => {
				fail(complaint.trim().split("\n").slice(-3).join("\n") || "It ended at once.");
			});
		});
	}

	/** Let it leave: by the end of its input, and by force when it does not. Returns when it is gone. */
	async stop(): Promise<void> {
		const child = this.#child;
		this.#child = null;
		if (child === null) return;
		const gone = new Promise<void>((resolve) => child.on("exit", () => resolve()));
		child.stdin?.end();
		const timer = window.setTimeout(() => child.kill(), LEAVE_MS);
		await gone;
		window.clearTimeout(timer);
	}
}

function parseAddress(line: string, vault: string): Address | null {
	try {
		const { program, protocol, url, token } = JSON.parse(line) as Record<string, unknown>;
		if (program !== PROGRAM || protocol !== PROTOCOL) return null;
		return typeof url === "string" && typeof token === "string" && isLoopback(url) ? { url, token, vault } : null;
	} catch {
		return null;
	}
}

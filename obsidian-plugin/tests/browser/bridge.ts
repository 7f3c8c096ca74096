import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { PLUGIN } from "./window";

const ROOT = join(PLUGIN, "..");
export const PROGRAM = process.env["VAULTSIDE"] ?? join(ROOT, ".venv", "bin", "vaultside");
export const MODELS = process.env["VAULTSIDE_MODELS"] ?? join(process.env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "vaultside", "models");

/** What takes from a bridge of the machine's owner the right to read every file, which no person has. */
const ORDINARY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"];

export const SAMPLE = join(ROOT, "tests", "vaults", "sample");

const run = promisify(execFile);

/** Copy a folder with the times of its files, by which a bridge knows that notes did not change: Node would round them. */
async function copy(from: string, to: string): Promise<void> {
	await mkdir(dirname(to), { recursive: true });
	await run("cp", ["-Rp", from, to]);
}

/** A home folder with vaults in it, of which one is the current one. */
export class Home {
	/** Which of its vaults is the current one. */
	at = 0;

	private constructor(
		readonly path: string,
		readonly vaults: readonly string[],
	) {}

	/**
	 * Make one; without models a bridge searches by words only, and is ready as soon as it has read the notes.
	 *
	 * @param vault The folder whose notes each vault gets.
	 */
	static async make(models: boolean, vault = SAMPLE, vaults = 1): Promise<Home> {
		const path = await realpath(await mkdtemp(join(tmpdir(), "vaultside-")));
		const home = new Home(path, Array.from({ length: vaults }, (_, at) => join(path, String(at), "Notes")));
		const index = join(process.env["READY"] ?? "", models ? "index" : "words");
		for (home.at = 0; home.at < vaults; home.at++) {
			await copy(vault, home.vault);
			// Development data is kept from being written; a person's notes are not.
			await run("chmod", ["-R", "u=rwX,go=rX", home.vault]);
			// A bridge then has nothing to read, however many vaults of this kind it serves.
			if (vault === SAMPLE && existsSync(index)) await copy(index, home.index);
		}
		home.at = 0;
		await mkdir(home.data, { recursive: true });
		if (models) await home.linkModel();
		return home;
	}

	/** Have the model of the tests, and no other that is installed; return the folder. */
	async linkModel(): Promise<string> {
		const folder = join(this.data, "models");
		await mkdir(folder);
		for (const end of ["gguf", "json"]) await symlink(join(MODELS, `all-minilm-l6-v2.${end}`), join(folder, `all-minilm-l6-v2.${end}`));
		return folder;
	}

	/**
	 * Make one of the sample vault, with every note embedded already.
	 *
	 * The first index is kept in the folder `READY`, if that is set, and copied afterwards: embedding takes most of a minute.
	 */
	static async embedded(): Promise<Home> {
		const ready = process.env["READY"];
		if (ready === undefined) return Home.make(true);
		if (!existsSync(join(ready, "index"))) {
			const first = await Home.make(true);
			const bridge = await Bridge.serve(first);
			await bridge.settled();
			await bridge.stop();
			await copy(first.index, join(ready, "index"));
			await first.remove();
		}
		return Home.make(true);
	}

	get vault(): string {
		return this.vaults[this.at] ?? "";
	}

	/** The id by which a bridge knows the current vault. */
	get id(): string {
		return createHash("sha256").update(this.vault).digest("hex").slice(0, 16);
	}

	/** Where a program of this home keeps its data. */
	get data(): string {
		return join(this.path, ".local", "share", "vaultside");
	}

	private get index(): string {
		return join(this.data, "vaults", this.id, "index");
	}

	async remove(): Promise<void> {
		await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** How far the index of a vault is. */
interface Far {
	readonly ready: { readonly keyword: boolean; readonly semantic: boolean };
	readonly pending: { readonly keyword: number; readonly vectors: number };
}

/** A real bridge that somebody started in a terminal. */
export class Bridge {
	private constructor(
		private readonly home: Home,
		private readonly child: ChildProcess,
		readonly url: string,
		readonly token: string,
	) {}

	/** Serve the current vault of a home, and those that come after it. */
	static async serve(home: Home, options: readonly string[] = []): Promise<Bridge> {
		const given = ["serve", ...home.vaults.slice(home.at), "--print-ready", "--parent-stdin", "--data-dir", home.data, "--models-dir", join(home.data, "models"), ...options];
		const [program = PROGRAM, ...rights] = process.getuid?.() === 0 ? [...ORDINARY, PROGRAM] : [PROGRAM];
		const child = spawn(program, [...rights, ...given], { stdio: ["pipe", "pipe", "inherit"] });
		let said = "";
		const line = await new Promise<string>((resolve, reject) => {
			child.stdout.on("data", (piece: Buffer) => {
				said += piece.toString();
				if (said.includes("\n")) resolve(said);
			});
			child.on("error", reject);
			child.on("exit", (code) => reject(new Error(`The bridge ended with ${code}.`)));
		});
		const { url, token } = JSON.parse(line) as { url: string; token: string };
		return new Bridge(home, child, url, token);
	}

	get port(): string {
		return new URL(this.url).port;
	}

	/** The id of the current vault. */
	get vault(): string {
		return this.home.id;
	}

	/** Call an operation on the current vault, as another program would. */
	call<T>(operation: string, given: object = {}): Promise<T> {
		return this.send(operation, { vault: this.vault, ...given });
	}

	/** Call an operation on the current vault, as an agent would in a session. */
	callAs<T>(client: string, operation: string, given: object): Promise<T> {
		return this.send(operation, { vault: this.vault, ...given }, { "X-Vaultside-Client": client, "X-Vaultside-Session": client });
	}

	private async send<T>(operation: string, given: object, headers: Record<string, string> = {}): Promise<T> {
		const answer = await fetch(`${this.url}/api/${operation}`, {
			method: "POST",
			headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json", ...headers },
			body: JSON.stringify(given),
		});
		if (!answer.ok) throw new Error(await answer.text());
		return (await answer.json()) as T;
	}

	/** Wait until everything is indexed. */
	settled(): Promise<void> {
		return this.until(({ ready, pending }) => ready.keyword && ready.semantic && pending.keyword + pending.vectors === 0);
	}

	/** Wait until every note was read; without a model nothing follows. */
	readable(): Promise<void> {
		return this.until(({ ready, pending }) => ready.keyword && pending.keyword === 0);
	}

	private async until(done: (vault: Far) => boolean): Promise<void> {
		while (!(await this.send<{ vaults: Far[] }>("status", {})).vaults.every(done)) await new Promise((resolve) => setTimeout(resolve, 50));
	}

	/** End it: by its input, or by force as a crash would. */
	async stop(signal?: NodeJS.Signals): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const gone = new Promise((resolve) => this.child.once("exit", resolve));
		if (signal === undefined) this.child.stdin?.end();
		else this.child.kill(signal);
		await gone;
	}
}

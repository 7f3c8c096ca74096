import { type ChildProcess, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { PLUGIN } from "./window";

const ROOT = join(PLUGIN, "..");
export const PROGRAM = process.env["VAULT_BRIDGE"] ?? join(ROOT, ".venv", "bin", "vault-bridge");
export const MODELS = process.env["VAULT_BRIDGE_MODELS"] ?? join(process.env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "vault-bridge", "models");

/** What takes from a bridge of the machine's owner the right to read every file, which no person has. */
const ORDINARY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"];

/** A home folder of its own with a vault in it; the models are those of the machine. */
export class Home {
	private constructor(readonly path: string) {}

	/** Make one; without models a bridge searches by words only, and is ready as soon as it has read the notes. */
	static async make(models: boolean, vault = join(ROOT, "tests", "vaults", "sample")): Promise<Home> {
		const home = new Home(await realpath(await mkdtemp(join(tmpdir(), "vault-bridge-"))));
		await cp(vault, home.vault, { recursive: true });
		// Development data is kept from being written; a person's notes are not.
		for (const entry of await readdir(home.vault, { withFileTypes: true, recursive: true })) {
			if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
		}
		await mkdir(join(home.data, ".."), { recursive: true });
		await mkdir(home.data);
		if (models) await symlink(MODELS, join(home.data, "models"));
		return home;
	}

	get vault(): string {
		return join(this.path, "Notes");
	}

	/** Where a program of this home keeps its data. */
	get data(): string {
		return join(this.path, ".local", "share", "vault-bridge");
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
		private readonly child: ChildProcess,
		readonly url: string,
		readonly token: string,
	) {}

	static async serve(home: Home, options: readonly string[] = []): Promise<Bridge> {
		const given = ["serve", home.vault, "--print-ready", "--parent-stdin", "--data-dir", home.data, "--models-dir", join(home.data, "models"), ...options];
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
		return new Bridge(child, url, token);
	}

	get port(): string {
		return new URL(this.url).port;
	}

	/** Call an operation as another program would. */
	async call<T>(operation: string, given: object = {}): Promise<T> {
		const answer = await fetch(`${this.url}/api/${operation}`, {
			method: "POST",
			headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
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
		while (!(await this.call<{ vaults: Far[] }>("status")).vaults.every(done)) await new Promise((resolve) => setTimeout(resolve, 50));
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

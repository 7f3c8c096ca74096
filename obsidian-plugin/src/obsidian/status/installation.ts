import { type Installer, installerWords, runToEnd } from "../../client/installer";
import { PROGRAM } from "../../client/discovery";
import { programOf } from "../environment";
import { type Host, SEARCH } from "../host";

/** What is done to the bridge. */
export type Doing = "install" | "upgrade";

const MODEL = ["models", "install"];

/** Installs or upgrades the bridge where the person asked for it, with the person's own installer. */
export class Installation {
	/** What it says while it runs; null when it does not. */
	line: string | null = null;
	/** Why it failed the last time; empty when it did not. */
	failure = "";

	/** @param onChange Is told when there is something new to show. */
	constructor(private readonly onChange: () => void) {}

	/** Return the commands that are run, as one would type them. */
	commands(name: Installer["name"], doing: Doing): readonly string[] {
		const first = [name, ...installerWords(name, doing)].join(" ");
		return doing === "install" ? [first, [PROGRAM, ...MODEL].join(" ")] : [first];
	}

	/** Run these commands, and show Search when they are done. */
	async run(host: Host, installer: Installer, doing: Doing): Promise<void> {
		if (this.line !== null) return;
		this.failure = "";
		try {
			this.#say(`Running ${installer.name} …`);
			await runToEnd(installer.file, installerWords(installer.name, doing), (line) => this.#say(line));
			if (doing === "install") await this.#fetchModel(host);
		} catch (error) {
			this.failure = error instanceof Error ? error.message : String(error);
		}
		this.line = null;
		this.onChange();
		if (this.failure !== "") return;
		await host.restart();
		await host.reveal(SEARCH);
	}

	async #fetchModel(host: Host): Promise<void> {
		const program = await programOf(host.settings);
		if (program === null) throw new Error(`The installer put ${PROGRAM} where it is not found; give its place in the settings.`);
		await runToEnd(program, MODEL, (line) => this.#say(line));
	}

	#say(line: string): void {
		this.line = line;
		this.onChange();
	}
}

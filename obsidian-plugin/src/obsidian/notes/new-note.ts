import { type App, FileSystemAdapter, Notice, SuggestModal, TFile } from "obsidian";
import { listTemplates, newPath, placeOfTemplate, type Template, templateFolder } from "../../core/notes/templates";
import type { Host } from "../host";
import { findAgentsFolder } from "../memory/agents-folder";
import { showRefusal } from "../notices";
import { addSmallLine } from "../lines";

/** As long as the app may take to see a new file. */
const SEEN_MS = 10_000;

/** Asks for a name and a template, and makes the note in a folder. */
class NewNote extends SuggestModal<Template | null> {
	constructor(
		private readonly host: Host,
		private readonly folder: string,
		private readonly templates: readonly Template[],
		name: string,
	) {
		super(host.app);
		this.inputEl.value = name;
		this.setPlaceholder("Name of the new note");
		this.setInstructions([
			{ command: "↑↓", purpose: "to choose a template" },
			{ command: "↵", purpose: "to make the note" },
		]);
	}

	/** Every template, as what is typed is the name of the note. */
	getSuggestions(): (Template | null)[] {
		return [null, ...this.templates];
	}

	renderSuggestion(template: Template | null, el: HTMLElement): void {
		el.createDiv({ text: template?.name ?? "Without a template", attr: { dir: "auto" } });
		if (template !== null) addSmallLine(el, placeOfTemplate(template), { dir: "auto" });
	}

	onChooseSuggestion(template: Template | null): void {
		void this.#create(template);
	}

	async #create(template: Template | null): Promise<void> {
		const { link, app } = this.host;
		const path = newPath(this.folder, this.inputEl.value, (taken) => app.vault.getAbstractFileByPath(taken) !== null);
		// Two notes of one template are alike, which a person need not confirm.
		const answer = await link.call("create_note", { path, template: template?.path ?? null, confirm: true });
		if (!answer.ok) showRefusal(answer.error);
		else if (answer.result.state === "proposed") new Notice("Proposed; awaiting approval.");
		else openOnceSeen(app, path);
	}
}

/** Open a note that the bridge made as soon as the app has seen it. */
export function openOnceSeen({ vault, workspace }: App, path: string): void {
	const open = (file: TFile): void => void workspace.getLeaf().openFile(file, { active: true });
	const file = vault.getFileByPath(path);
	if (file !== null) return open(file);
	const seen = vault.on("create", (created) => {
		if (created.path !== path || !(created instanceof TFile)) return;
		stop();
		open(created);
	});
	const timer = window.setTimeout(() => vault.offref(seen), SEEN_MS);
	const stop = (): void => {
		window.clearTimeout(timer);
		vault.offref(seen);
	};
}

/** Ask for a new note, in a folder or where new notes are put, with a name to begin with. */
export async function askNewNote(host: Host, folder: string | null, name = ""): Promise<void> {
	const { vault, fileManager, workspace } = host.app;
	const [own, agents] = await Promise.all([findTemplates(host), findAgentsFolder(host)]);
	const folders = [...(own === null ? [] : [own]), ...(agents.ok ? [`${agents.path}/Templates`] : [])];
	const where = folder ?? fileManager.getNewFileParent(workspace.getActiveFile()?.path ?? "").path;
	new NewNote(host, where, listTemplates(vault.getMarkdownFiles().map(({ path }) => path), folders), name).open();
}

/** The folder of templates, as the settings of Obsidian name it; null without one. */
export async function findTemplates({ app: { vault } }: Host): Promise<string | null> {
	const { adapter, configDir } = vault;
	const path = `${configDir}/templates.json`;
	if (!(adapter instanceof FileSystemAdapter) || !(await adapter.exists(path))) return null;
	return templateFolder(await adapter.read(path));
}

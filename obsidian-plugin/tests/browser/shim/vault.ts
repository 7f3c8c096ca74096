import { Events } from "./component";
import { disk } from "./node";

export abstract class TAbstractFile {
	vault!: Vault;
	path = "";
	name = "";
	parent: TFolder | null = null;
}

export class TFile extends TAbstractFile {
	stat = { ctime: 0, mtime: 0, size: 0 };

	get extension(): string {
		return this.name.includes(".") ? (this.name.split(".").pop() ?? "") : "";
	}

	get basename(): string {
		return this.name.replace(/\.[^.]+$/, "");
	}
}

export class TFolder extends TAbstractFile {
	children: TAbstractFile[] = [];
}

/** obsidian.d.ts: class FileSystemAdapter, "Implementation of the vault adapter for desktop." */
export class FileSystemAdapter {
	constructor(private readonly base: string) {}

	getBasePath(): string {
		return this.base;
	}

	exists(path: string): Promise<boolean> {
		return this.read(path).then(() => true, () => false);
	}

	read(path: string): Promise<string> {
		return disk.read(`${this.base}/${path}`);
	}
}

export interface Listed {
	readonly path: string;
	readonly mtime: number;
	readonly size: number;
	readonly folder: boolean;
}

const above = (path: string): string => path.split("/").slice(0, -1).join("/");

/** obsidian.d.ts: class Vault, over a real folder. */
export class Vault extends Events {
	readonly adapter: FileSystemAdapter;
	readonly configDir = ".obsidian";
	/** What was last read or written of each file. */
	readonly texts__ = new WeakMap<TFile, string>();
	private readonly files = new Map<string, TAbstractFile>();

	constructor(private readonly base: string) {
		super();
		this.adapter = new FileSystemAdapter(base);
	}

	/** "This is also called when the vault is first loaded for each existing file" (Vault.on "create"). */
	async read__(): Promise<void> {
		for (const listed of await disk.list(this.base)) this.trigger("create", this.add(listed));
	}

	getName(): string {
		return this.base.split("/").pop() ?? "";
	}

	getFiles(): TFile[] {
		return [...this.files.values()].filter((file) => file instanceof TFile);
	}

	getMarkdownFiles(): TFile[] {
		return this.getFiles().filter((file) => file.extension === "md");
	}

	getAbstractFileByPath(path: string): TAbstractFile | null {
		return this.files.get(path) ?? null;
	}

	getFileByPath(path: string): TFile | null {
		const file = this.files.get(path);
		return file instanceof TFile ? file : null;
	}

	getAllFolders(includeRoot = false): TFolder[] {
		return [...this.files.values()].filter((file) => file instanceof TFolder).filter((folder) => includeRoot || folder.path !== "");
	}

	getFolderByPath(path: string): TFolder | null {
		const file = this.files.get(path);
		return file instanceof TFolder ? file : null;
	}

	async read(file: TFile): Promise<string> {
		const text = await disk.read(`${this.base}/${file.path}`);
		this.texts__.set(file, text);
		return text;
	}

	cachedRead(file: TFile): Promise<string> {
		return this.read(file);
	}

	async create(path: string, text: string): Promise<TFile> {
		if (this.files.has(path)) throw new Error("File already exists.");
		const file = this.add({ path, folder: false, ...(await disk.write(`${this.base}/${path}`, text)) });
		this.trigger("create", file);
		return file as TFile;
	}

	async modify(file: TFile, text: string): Promise<void> {
		Object.assign(file.stat, await disk.write(`${this.base}/${file.path}`, text));
		this.texts__.set(file, text);
		this.trigger("modify", file);
	}

	/** "Atomically read, modify, and save the contents of a note." */
	async process(file: TFile, change: (text: string) => string): Promise<string> {
		const text = change(await this.read(file));
		await this.modify(file, text);
		return text;
	}

	async delete(file: TAbstractFile): Promise<void> {
		await disk.remove(`${this.base}/${file.path}`);
		this.forget(file);
	}

	async rename(file: TAbstractFile, to: string): Promise<void> {
		await disk.rename(`${this.base}/${file.path}`, `${this.base}/${to}`);
		this.moved(file, to);
	}

	private add({ path, mtime, size, folder }: Listed): TAbstractFile {
		const file = folder ? new TFolder() : new TFile();
		Object.assign(file, { vault: this, path, name: path.split("/").pop(), parent: this.getFolderByPath(above(path)) });
		if (file instanceof TFile) file.stat = { ctime: mtime, mtime, size };
		file.parent?.children.push(file);
		this.files.set(path, file);
		return file;
	}

	private forget(file: TAbstractFile): void {
		if (file instanceof TFolder) for (const child of [...file.children]) this.forget(child);
		this.files.delete(file.path);
		if (file.parent !== null) file.parent.children = file.parent.children.filter((other) => other !== file);
		this.trigger("delete", file);
	}

	/** The same object changes in place, and each child is told of beside its folder. */
	private moved(file: TAbstractFile, to: string): void {
		const from = file.path;
		this.files.delete(from);
		Object.assign(file, { path: to, name: to.split("/").pop() });
		this.files.set(to, file);
		if (file instanceof TFolder) for (const child of [...file.children]) this.moved(child, `${to}/${child.name}`);
		this.trigger("rename", file, from);
	}
}

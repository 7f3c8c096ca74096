type Handler = (...given: unknown[]) => unknown;

export interface EventRef {
	readonly of: Events;
	readonly name: string;
	readonly handler: Handler;
}

/** obsidian.d.ts: class Events. */
export class Events {
	private all: EventRef[] = [];

	on(name: string, handler: Handler): EventRef {
		const ref = { of: this, name, handler };
		this.all.push(ref);
		return ref;
	}

	offref(ref: EventRef): void {
		this.all = this.all.filter((other) => other !== ref);
	}

	trigger(name: string, ...given: unknown[]): void {
		for (const ref of [...this.all]) if (ref.name === name) ref.handler(...given);
	}

	/** For tests: how many listen. */
	get listening(): number {
		return this.all.length;
	}
}

/** obsidian.d.ts: class Component: load, unload and everything registered between them. */
export class Component {
	private loaded__ = false;
	private children__: Component[] = [];
	private undo__: (() => void)[] = [];

	onload(): unknown {
		return undefined;
	}

	onunload(): void {}

	load(): unknown {
		if (this.loaded__) return undefined;
		this.loaded__ = true;
		const done = this.onload();
		for (const child of this.children__) child.load();
		return done;
	}

	unload(): void {
		if (!this.loaded__) return;
		this.loaded__ = false;
		for (const child of this.children__.splice(0)) child.unload();
		for (const undo of this.undo__.splice(0)) undo();
		this.onunload();
	}

	addChild<T extends Component>(child: T): T {
		this.children__.push(child);
		if (this.loaded__) child.load();
		return child;
	}

	removeChild<T extends Component>(child: T): T {
		this.children__ = this.children__.filter((other) => other !== child);
		child.unload();
		return child;
	}

	register(undo: () => void): void {
		this.undo__.push(undo);
	}

	registerEvent(ref: EventRef): void {
		this.register(() => ref.of.offref(ref));
	}

	registerDomEvent(el: EventTarget, type: string, handler: (event: Event) => void): void {
		el.addEventListener(type, handler);
		this.register(() => el.removeEventListener(type, handler));
	}

	registerInterval(id: number): number {
		this.register(() => window.clearInterval(id));
		return id;
	}
}

/** obsidian.d.ts: class MarkdownRenderChild; "when it's no longer attached … this component will be unloaded". */
export class MarkdownRenderChild extends Component {
	constructor(readonly containerEl: HTMLElement) {
		super();
	}
}

type Modifier = "Mod" | "Ctrl" | "Meta" | "Shift" | "Alt";
type Listener = (event: KeyboardEvent, context: object) => unknown;

interface Handler {
	readonly modifiers: string | null;
	readonly key: string | null;
	readonly func: Listener;
}

const written = (modifiers: readonly string[]): string => [...modifiers].sort().join(",");

function pressed(event: KeyboardEvent): string {
	const held = [event.ctrlKey && "Ctrl", event.metaKey && "Meta", event.shiftKey && "Shift", event.altKey && "Alt"];
	return written(held.filter((one) => one !== false));
}

/** obsidian.d.ts: class Scope; "`Mod` translates to `Meta` on macOS and `Ctrl` otherwise. Pass `null` to capture all". */
export class Scope {
	private handlers: Handler[] = [];

	constructor(private readonly parent?: Scope) {}

	register(modifiers: readonly Modifier[] | null, key: string | null, func: Listener): Handler {
		const handler = { modifiers: modifiers && written(modifiers.map((one) => (one === "Mod" ? "Ctrl" : one))), key, func };
		this.handlers.push(handler);
		return handler;
	}

	unregister(handler: Handler): void {
		this.handlers = this.handlers.filter((other) => other !== handler);
	}

	/** A handler that answers false has dealt with the key (docs, "User interface/Modals" and the typings' listener). */
	handle__(event: KeyboardEvent): unknown {
		for (const { modifiers, key, func } of this.handlers) {
			if (modifiers !== null && modifiers !== pressed(event)) continue;
			if (key !== null && key.toLowerCase() !== event.key.toLowerCase()) continue;
			return func(event, {});
		}
		return this.parent?.handle__(event);
	}
}

/** obsidian.d.ts: class Keymap. */
export class Keymap {
	private scopes: Scope[] = [];

	constructor() {
		this.hear__(window);
	}

	/** Before a window's page sees a key, the active scope does. */
	hear__(win: Window): void {
		win.addEventListener(
			"keydown",
			(event) => {
				if (this.scopes.at(-1)?.handle__(event) !== false) return;
				event.preventDefault();
				event.stopPropagation();
			},
			true,
		);
	}

	/** "Push a scope onto the scope stack, setting it as the active scope to handle all key events." */
	pushScope(scope: Scope): void {
		if (!this.scopes.includes(scope)) this.scopes.push(scope);
	}

	/** "If the given scope is active, the next scope in the stack will be made active." */
	popScope(scope: Scope): void {
		this.scopes = this.scopes.filter((other) => other !== scope);
	}

	/** For tests: how many scopes take keys. */
	get depth(): number {
		return this.scopes.length;
	}

	static isModifier(event: MouseEvent | KeyboardEvent, modifier: Modifier): boolean {
		const held = { Mod: event.ctrlKey, Ctrl: event.ctrlKey, Meta: event.metaKey, Shift: event.shiftKey, Alt: event.altKey };
		return held[modifier];
	}

	/** "Returns 'tab' if Cmd/Ctrl is pressed OR if this is a middle-click", "'split' if Cmd/Ctrl+Alt", "'window' if Cmd/Ctrl+Alt+Shift". */
	static isModEvent(event: MouseEvent | KeyboardEvent): string | false {
		const mod = event.ctrlKey || event.metaKey;
		if ("button" in event && event.button === 1) return "tab";
		if (!mod) return false;
		return event.altKey ? (event.shiftKey ? "window" : "split") : "tab";
	}
}

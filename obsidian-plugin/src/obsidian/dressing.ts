import type { Host } from "./host";

/** Keep what stands outside of the panes as the settings say. Returns a function that stops it. */
export function applySettings(host: Pick<Host, "settings" | "kept">, ribbon: readonly HTMLElement[], bar: HTMLElement): () => void {
	const show = (): void => {
		for (const icon of ribbon) icon.toggle(host.settings.ribbon);
		bar.toggleClass("is-icon-only", !host.settings.statusText);
	};
	show();
	return host.kept.add(show);
}

import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { Bridge, Home } from "./bridge";
import { AppWindow } from "./window";

/** How a window is opened; what is left out is as a person has it. */
export type Given = Partial<Parameters<typeof AppWindow.open>[0]>;

/** What a file's tests play on; each file has its own. */
export let home: Home;
export let bridge: Bridge;
export let obsidian: AppWindow;

/** Open a window of this home's vault, or of another's; it is closed after the test, and nothing may have gone wrong in it. */
export async function open(given: Given = {}): Promise<void> {
	obsidian = await AppWindow.open({ base: home.vault, home: home.path, ...given });
}

/** Start a bridge of this home; the one before was stopped. */
export async function serve(options: readonly string[] = []): Promise<void> {
	bridge = await Bridge.serve(home, options);
}

async function closed(): Promise<void> {
	expect(await obsidian.close()).toEqual([]);
}

/** Give all tests of a file one bridge; with the models it has embedded every note. */
export function oneBridge(models: boolean): void {
	beforeAll(async () => {
		home = await (models ? Home.embedded() : Home.make(false));
		await serve();
		await (models ? bridge.settled() : bridge.readable());
	}, 600_000);
	afterAll(async () => {
		await bridge.stop();
		await home.remove();
	});
	afterEach(closed);
}

/** What makes a vault ready: before the bridge starts, and before each test. */
interface Ready {
	readonly before?: () => Promise<unknown>;
	readonly after?: () => Promise<unknown>;
}

/** Give each test of a file a vault of its own, all served by one bridge without models. */
export function vaultForEach({ before, after }: Ready = {}): void {
	let next = 0;
	beforeAll(async ({}, { tasks }) => {
		home = await Home.make(false, undefined, tasks.length);
		for (; home.at < tasks.length; home.at++) await before?.();
		home.at = 0;
		await serve();
		await bridge.readable();
	}, 300_000);
	afterAll(async () => {
		await bridge.stop();
		await home.remove();
	});
	beforeEach(async () => {
		home.at = next++;
		await after?.();
	});
	afterEach(closed);
}

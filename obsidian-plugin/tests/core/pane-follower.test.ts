import { beforeEach, expect, test } from "vitest";
import { PaneFollower, type PanePlace } from "../../src/core/pane-follower";

const place = (path: string, heading?: string, line = 1): PanePlace => ({ path, section: heading === undefined ? null : { heading, nth: 0, line } });

let here: PanePlace | null;
let used: boolean;
let late: number;
let shown: (PanePlace | null)[];
let following: PaneFollower;

beforeEach(() => {
	[here, used, late, shown] = [place("a.md"), false, 0, []];
	following = new PaneFollower({ currentPlace: () => here, isInUse: () => used, show: (at) => shown.push(at), onDelay: () => (late += 1) });
	following.go();
	shown = [];
});

/** Go somewhere and tell what is shown of it. */
function go(to: PanePlace | null): readonly (PanePlace | null)[] {
	here = to;
	following.look();
	return shown.splice(0);
}

test("another note or section is shown once, and none while the cursor stays in it", () => {
	expect(go(place("a.md"))).toEqual([]);
	expect(go(place("a.md", "Log", 4))).toEqual([place("a.md", "Log", 4)]);
	expect(go(place("a.md", "Log", 9))).toEqual([]);
	expect(go(place("b.md", "Log", 4))).toEqual([place("b.md", "Log", 4)]);
	expect(go(null)).toEqual([]);
});

test("pinned it stays with its note and hears of it, and goes on when it is let go", () => {
	following.pin(true);
	shown = [];
	expect(go(place("b.md"))).toEqual([]);
	following.markStale("b.md");
	expect(shown).toEqual([]);
	following.markStale("a.md");
	expect(shown.splice(0)).toEqual([place("a.md")]);
	following.pin(false);
	expect(shown).toEqual([place("b.md")]);
});

test("paused it asks for nothing at all, until it goes on", () => {
	following.pause(true);
	expect(go(place("b.md"))).toEqual([]);
	following.markStale("a.md");
	following.look();
	following.pin(true);
	expect(shown).toEqual([]);
	following.pause(false);
	expect(shown.splice(0)).toEqual([place("a.md")]);
	following.pin(false);
	expect(shown).toEqual([place("b.md")]);
});

test("nothing moves under the hands of a person; it is shown when they have left", () => {
	used = true;
	expect(go(place("b.md"))).toEqual([]);
	expect(late).toBe(1);
	following.look();
	expect([shown, late]).toEqual([[], 2]);
	used = false;
	following.look();
	expect(shown.splice(0)).toEqual([place("b.md")]);
	following.look();
	expect(shown).toEqual([]);
});

test("a change that was heard of meanwhile is not forgotten, and a way there and back is", () => {
	used = true;
	expect([...go(place("b.md")), ...go(place("a.md"))]).toEqual([]);
	used = false;
	following.look();
	expect(shown).toEqual([]);
	used = true;
	following.markStale("a.md");
	expect(go(place("a.md"))).toEqual([]);
	used = false;
	following.look();
	expect(shown).toEqual([place("a.md")]);
});

test("it can be sent to a note or back, and follows one that is renamed", () => {
	following.pause(true);
	following.pinTo(place("c.md"));
	expect([following.isPinned, following.isPaused, shown.splice(0)]).toEqual([true, false, [place("c.md")]]);
	following.followRename("c.md", "d.md");
	expect(shown.splice(0)).toEqual([place("d.md")]);
	following.pause(true);
	following.follow();
	expect([following.isPinned, following.isPaused, shown]).toEqual([false, false, [place("a.md")]]);
});

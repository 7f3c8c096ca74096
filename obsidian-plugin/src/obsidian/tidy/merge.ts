import { describeChange, distinctTitles } from "../../core/tidy/reports";
import { LookFirst } from "../changes/look-first";
import type { Host } from "../host";
import { sayRefusal } from "../say-refusal";

/** Merge a note into another, after a look at what changes. */
export async function merge(host: Host, path: string, into: string, again: () => unknown): Promise<void> {
	const read = await host.link.call("read_note", { path, max_chars: 1 });
	if (!read.ok) {
		sayRefusal(read.error);
		return;
	}
	const { digest } = read.result;
	const [one, other] = distinctTitles(path, into);
	new LookFirst(host, {
		title: `Merge ${one} into ${other}`,
		verb: "Merge",
		make: (_, dryRun) => host.link.call("merge_notes", { path, into, digest, dry_run: dryRun, confirm: true }),
		says: describeChange,
		done: () => `${one} is a part of ${other} now.`,
		made: () => void again(),
	}).open();
}

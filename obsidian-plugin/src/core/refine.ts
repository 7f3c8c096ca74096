import type { Hit } from "../protocol/operations";

/**
 * Put a better answer in place of what is shown, without moving what a person has come to.
 *
 * @param shown What is on the screen.
 * @param better What replaces it, best first.
 * @param held How many of the first hits stay where they are.
 */
export function refine(shown: readonly Hit[], better: readonly Hit[], held: number): readonly Hit[] {
	const fresh = new Map(better.map((hit) => [hit.path, hit]));
	const kept = shown.slice(0, held).map((hit) => fresh.get(hit.path) ?? hit);
	const paths = new Set(kept.map((hit) => hit.path));
	return [...kept, ...better.filter((hit) => !paths.has(hit.path))];
}

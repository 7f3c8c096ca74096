import type { OperationName, Operations } from "../protocol/operations";
import { type Address, type Answer, CLIENT, parseJson, refusalOf, UNREACHABLE } from "./client";
import { EventReader, type Pushed } from "./sse";
import { byNode, byPage, type Way } from "./ways";

/** What is heard of a call whose result comes in parts. */
export interface Parts<Name extends OperationName> {
	/** A part of the result; its kind says what its data is. */
	readonly part: (kind: string, data: unknown) => void;
	/** The whole result, or why there is none. */
	readonly ended: (answer: Answer<Name>) => void;
}

/**
 * Call an operation and hear the parts of its result as they are known.
 *
 * @returns A function that breaks it off; then nothing more is heard.
 */
export function streamCall<Name extends OperationName>(
	address: Address,
	name: Name,
	given: Operations[Name]["arguments"],
	hear: Parts<Name>,
	ways: readonly Way[] = [byNode, byPage],
): () => void {
	const headers = { "X-Vaultside-Client": CLIENT, Authorization: `Bearer ${address.token}`, "Content-Type": "application/json", Accept: "text/event-stream" };
	const body = JSON.stringify({ vault: address.vault, ...given });
	const reader = new EventReader();
	let breakOff = (): void => {};
	let over = false;
	let complaint = "";
	const end = (answer: unknown): void => {
		if (over) return;
		over = true;
		// The form of each answer was compared when the bridge was met.
		hear.ended(answer as Answer<Name>);
	};
	const take = ({ kind, data }: Pushed): void => {
		if (over) return;
		if (kind === "done") end({ ok: true, result: parseJson(data) });
		else if (kind === "error") end({ ok: false, error: refusalOf(parseJson(data)) });
		else hear.part(kind, parseJson(data));
	};
	const ask = ([way, ...others]: readonly Way[]): void => {
		if (way === undefined) {
			end({ ok: false, error: UNREACHABLE });
			return;
		}
		let status = 0;
		breakOff = way(`${address.url}/api/${name}`, headers, {
			answered: (code) => (status = code),
			said: (piece) => {
				if (status === 200) reader.read(piece).forEach(take);
				else complaint += piece;
			},
			ended: () => {
				if (over) return;
				if (status === 0) ask(others);
				else end({ ok: false, error: complaint === "" ? UNREACHABLE : refusalOf(parseJson(complaint)) });
			},
		}, body);
	};
	ask(ways);
	return () => {
		over = true;
		breakOff();
	};
}

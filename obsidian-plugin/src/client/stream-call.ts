import type { OperationName, Operations } from "../protocol/operations";
import { type Address, type Answer, CLIENT, parseJson, refusalOf, UNREACHABLE } from "./client";
import { EventReader, type Pushed } from "./sse";
import { nodeTransport, pageTransport, type Transport } from "./transports";

/** Hears of a call whose result comes in parts. */
export interface PartListener<Name extends OperationName> {
	/** A part of the result; its kind says what its data is. */
	readonly onPart: (kind: string, data: unknown) => void;
	/** The whole result, or why there is none. */
	readonly onEnd: (answer: Answer<Name>) => void;
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
	listener: PartListener<Name>,
	transports: readonly Transport[] = [nodeTransport, pageTransport],
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
		listener.onEnd(answer as Answer<Name>);
	};
	const take = ({ kind, data }: Pushed): void => {
		if (over) return;
		if (kind === "done") end({ ok: true, result: parseJson(data) });
		else if (kind === "error") end({ ok: false, error: refusalOf(parseJson(data)) });
		else listener.onPart(kind, parseJson(data));
	};
	const ask = ([transport, ...others]: readonly Transport[]): void => {
		if (transport === undefined) {
			end({ ok: false, error: UNREACHABLE });
			return;
		}
		let status = 0;
		breakOff = transport(`${address.url}/api/${name}`, headers, {
			onStatus: (code) => (status = code),
			onText: (piece) => {
				if (status === 200) reader.read(piece).forEach(take);
				else complaint += piece;
			},
			onEnd: () => {
				if (over) return;
				if (status === 0) ask(others);
				else end({ ok: false, error: complaint === "" ? UNREACHABLE : refusalOf(parseJson(complaint)) });
			},
		}, body);
	};
	ask(transports);
	return () => {
		over = true;
		breakOff();
	};
}

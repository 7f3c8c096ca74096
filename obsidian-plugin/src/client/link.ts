import { findOutdated } from "../core/compatibility";
import { type Absence, backOff, type Connection, type Happening, heals, isOpen, next, OFF } from "../core/connection";
import { progress } from "../core/progress";
import { type Address, type Answer, call, explainRefusal, type Refusal, type Send, spoken } from "./client";
import type { BridgeEvent } from "../protocol/events";
import type { OperationName, Operations, VaultStatus } from "../protocol/operations";
import type { followEvents } from "./stream";
import type { PartListener, streamCall } from "./stream-call";

/** What the link needs of the app and the machine. */
export interface Environment {
	readonly send: Send;
	readonly followEvents: typeof followEvents;
	readonly stream: typeof streamCall;
	/** Find a bridge, or start one; or say why there is none. */
	readonly findBridge: () => Promise<Address | Absence>;
	readonly random: () => number;
}

export interface LinkListener {
	readonly onChange: (connection: Connection) => void;
	/** Calls can be made again, and what happened meanwhile is not known to the bridge. */
	readonly onConnect: () => void;
	readonly onEvent: (event: BridgeEvent) => void;
}

const ASK_AGAIN_MS = 1_000;
const NOT_CONNECTED: Refusal<never> = { code: "unreachable", message: "The bridge is not connected.", hint: "" };

/** The one connection to the bridge: looks for it, keeps to it, comes back after it was lost. */
export class Link {
	#state: Connection = OFF;
	#address: Address | null = null;
	#unfollow: (() => void) | null = null;
	#timer: number | undefined;
	private failures = 0;
	#lastEvent = "";
	/** Whether nobody has been told yet that calls can be made again. */
	#isNew = false;
	/** Counts what was begun, so that the answer to something older is known by it. */
	#round = 0;

	constructor(
		private readonly environment: Environment,
		private readonly listener: LinkListener,
	) {}

	get connection(): Connection {
		return this.#state;
	}

	/** Whether the bridge lets this window change its settings. */
	get owns(): boolean {
		return this.#address?.owner != null && isOpen(this.#state);
	}

	/** Whether this window may settle what was proposed: one that was let in by pairing proposes itself. */
	get decides(): boolean {
		return this.#address?.paired !== true;
	}

	/** Look for the bridge now, from the beginning. */
	open(): void {
		this.failures = 0;
		this.#apply({ what: "try" });
		void this.#attempt();
	}

	/** Let go, for good or until `open`. */
	close(): void {
		this.#letGo();
		this.#apply({ what: "lost", why: { kind: "switched_off" } });
	}

	/** Call an operation of the bridge. */
	async call<Name extends OperationName>(name: Name, given: Operations[Name]["arguments"]): Promise<Answer<Name>> {
		const address = this.#address;
		const round = this.#round;
		if (address === null || !isOpen(this.#state)) {
			return { ok: false, error: NOT_CONNECTED };
		}
		const answer = await call(this.environment.send, address, name, given);
		if (!answer.ok && answer.error.code === "unauthorized" && round === this.#round) this.#stop({ what: "refused" });
		return answer;
	}

	/**
	 * Call an operation and hear the parts of its result as they are known.
	 *
	 * @returns A function that breaks it off.
	 */
	stream<Name extends OperationName>(name: Name, given: Operations[Name]["arguments"], listener: PartListener<Name>): () => void {
		if (this.#address !== null && isOpen(this.#state)) return this.environment.stream(this.#address, name, given, listener);
		// As with any other failure, the caller has got its function by then.
		queueMicrotask(() => listener.onEnd({ ok: false, error: NOT_CONNECTED }));
		return () => {};
	}

	async #attempt(): Promise<void> {
		this.#letGo();
		const round = this.#round;
		const found = await this.environment.findBridge();
		if (round !== this.#round) return;
		if ("kind" in found) {
			this.#lose(found);
			return;
		}
		this.#apply({ what: "try" });
		this.#address = found;
		const [operations, status] = [await spoken(this.environment.send, found), await call(this.environment.send, found, "status", {})];
		if (round !== this.#round) return;
		const refusal = "code" in operations ? operations : status.ok ? null : status.error;
		if (refusal !== null) {
			this.#refuse(refusal);
			return;
		}
		const update = "code" in operations || !status.ok ? null : findOutdated(operations, status.result.version);
		if (update !== null) {
			this.#stop({ what: "mismatch", update });
			return;
		}
		this.#listen(found, round);
	}

	#listen(address: Address, round: number): void {
		this.#unfollow = this.environment.followEvents(address, this.#lastEvent, {
			onOpen: () => {
				if (round !== this.#round) return;
				this.#isNew = true;
				void this.#watch(round);
			},
			onEvent: (event, id) => {
				this.#lastEvent = id;
				if (event.kind === "index_progress") this.#askSoon(round);
				this.listener.onEvent(event);
			},
			onEnd: (status) => {
				if (round !== this.#round) return;
				if (status === 401 || status === 403) this.#stop({ what: "refused" });
				else this.#lose({ kind: "silent" });
			},
		});
	}

	/** Ask how far the index is, now and again for as long as it is not done or not answered. */
	async #watch(round: number): Promise<void> {
		if (this.#address === null) return;
		const answer = await call(this.environment.send, this.#address, "status", {});
		if (round !== this.#round) return;
		if (!answer.ok) return answer.error.code === "unauthorized" ? this.#stop({ what: "refused" }) : this.#askSoon(round);
		const vault: VaultStatus | undefined = answer.result.vaults[0];
		if (vault === undefined) return;
		this.failures = 0;
		this.#apply({ what: "progress", ...progress(vault) });
		if (this.#isNew) this.listener.onConnect();
		this.#isNew = false;
		if (this.#state.is === "indexing") this.#askSoon(round);
	}

	#askSoon(round: number): void {
		if (this.#timer !== undefined || round !== this.#round) return;
		this.#timer = window.setTimeout(() => {
			this.#timer = undefined;
			void this.#watch(round);
		}, ASK_AGAIN_MS);
	}

	#refuse(error: Refusal<string>): void {
		if (error.code === "unauthorized") this.#stop({ what: "refused" });
		else if (error.code === "unreachable") this.#lose({ kind: "silent" });
		else this.#lose({ kind: "failed", reason: explainRefusal(error) });
	}

	#lose(why: Absence): void {
		this.#stop({ what: "lost", why });
		this.failures += 1;
		if (!heals(this.#state, this.failures)) return;
		this.#timer = window.setTimeout(() => void this.#attempt(), backOff(this.failures, this.environment.random()));
	}

	#stop(happened: Happening): void {
		this.#letGo();
		this.#apply(happened);
	}

	#letGo(): void {
		this.#round += 1;
		window.clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#unfollow?.();
		this.#unfollow = null;
		this.#address = null;
	}

	#apply(happened: Happening): void {
		const before = this.#state;
		this.#state = next(before, happened);
		if (!isSameConnection(before, this.#state)) this.listener.onChange(this.#state);
	}
}

function isSameConnection(one: Connection, other: Connection): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

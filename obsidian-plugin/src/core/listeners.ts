/** Those who want to hear of something. */
export class Listeners<T> {
	readonly #all = new Set<(news: T) => void>();

	/** @returns A function after which this one hears no more. */
	add(listener: (news: T) => void): () => void {
		this.#all.add(listener);
		return () => this.#all.delete(listener);
	}

	notify(news: T): void {
		for (const listener of [...this.#all]) listener(news);
	}
}

/** Keeps an answer that comes late from being shown over one that was asked for after it. */
export class AnswerOrder {
	#asked = 0;
	#taken = 0;

	/** @returns A function that takes the answer to what is asked now, and tells whether a later one was taken before. */
	ask(): () => boolean {
		const at = (this.#asked += 1);
		return () => {
			const isLate = at < this.#taken;
			if (!isLate) this.#taken = at;
			return isLate;
		};
	}
}

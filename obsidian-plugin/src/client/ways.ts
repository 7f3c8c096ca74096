/** What is heard of a request whose answer comes piece by piece. */
export interface Hearing {
	readonly answered: (status: number) => void;
	readonly said: (piece: string) => void;
	/** It is over, or nothing came of it. */
	readonly ended: () => void;
}

/**
 * A way to make such a request: with a body it is posted.
 *
 * @returns A function that breaks it off.
 */
export type Way = (url: string, headers: Readonly<Record<string, string>>, hear: Hearing, body?: string) => () => void;

/** By Node, which sends no Origin and is no page, so that the browser has no say in it. */
export const byNode: Way = (url, headers, hear, body) => {
	let breakOff = (): void => {};
	let over = false;
	const ask = async (): Promise<void> => {
		// Only here, so that the plugin loads also where the app gives this away no more.
		const { request } = await import("node:http");
		if (over) return;
		const sent = request(url, { headers, method: methodOf(body) }, (response) => {
			response.setEncoding("utf8");
			response.on("data", hear.said);
			response.on("close", hear.ended);
			hear.answered(response.statusCode ?? 0);
		});
		sent.on("error", hear.ended);
		sent.end(body);
		breakOff = () => sent.destroy();
	};
	ask().catch(hear.ended);
	return () => {
		over = true;
		breakOff();
	};
};

/**
 * By the page. The bridge lets Obsidian's pages read its answers; whether Chromium lets them reach this computer is up to
 * the app. Its own `requestUrl` asks nobody, but hands over an answer only once that is complete.
 */
export const byPage: Way = (url, headers, hear, body) => {
	const over = new AbortController();
	const ask = async (): Promise<void> => {
		const answer = await window.fetch(url, { headers, method: methodOf(body), signal: over.signal, ...(body === undefined ? {} : { body }) });
		hear.answered(answer.status);
		const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
		for (let next = await pieces?.read(); next?.done === false; next = await pieces?.read()) hear.said(next.value);
	};
	ask().then(hear.ended, hear.ended);
	return () => over.abort();
};

function methodOf(body: string | undefined): "GET" | "POST" {
	return body === undefined ? "GET" : "POST";
}

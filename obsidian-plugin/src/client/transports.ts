/** Hears of a request whose answer comes piece by piece. */
export interface ResponseListener {
	readonly onStatus: (status: number) => void;
	readonly onText: (piece: string) => void;
	/** It is over, or nothing came of it. */
	readonly onEnd: () => void;
}

/**
 * Makes such a request: with a body it is posted.
 *
 * @returns A function that breaks it off.
 */
export type Transport = (url: string, headers: Readonly<Record<string, string>>, listener: ResponseListener, body?: string) => () => void;

/** By Node, which sends no Origin and is no page, so that the browser has no say in it. */
export const nodeTransport: Transport = (url, headers, listener, body) => {
	let breakOff = (): void => {};
	let over = false;
	const ask = async (): Promise<void> => {
		// Only here, so that the plugin loads also where the app gives this away no more.
		const { request } = await import("node:http");
		if (over) return;
		const sent = request(url, { headers, method: methodOf(body) }, (response) => {
			response.setEncoding("utf8");
			response.on("data", listener.onText);
			response.on("close", listener.onEnd);
			listener.onStatus(response.statusCode ?? 0);
		});
		sent.on("error", listener.onEnd);
		sent.end(body);
		breakOff = () => sent.destroy();
	};
	ask().catch(listener.onEnd);
	return () => {
		over = true;
		breakOff();
	};
};

/**
 * By the page. The bridge lets Obsidian's pages read its answers; whether Chromium lets them reach this computer is up to
 * the app. Its own `requestUrl` asks nobody, but hands over an answer only once that is complete.
 */
export const pageTransport: Transport = (url, headers, listener, body) => {
	const over = new AbortController();
	const ask = async (): Promise<void> => {
		const answer = await window.fetch(url, { headers, method: methodOf(body), signal: over.signal, ...(body === undefined ? {} : { body }) });
		listener.onStatus(answer.status);
		const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
		for (let next = await pieces?.read(); next?.done === false; next = await pieces?.read()) listener.onText(next.value);
	};
	ask().then(listener.onEnd, listener.onEnd);
	return () => over.abort();
};

function methodOf(body: string | undefined): "GET" | "POST" {
	return body === undefined ? "GET" : "POST";
}

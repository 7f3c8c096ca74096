/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** Mix a colour into another. @param share How much of the second there is, 0 to 1. */
export function mixColours(one: Colour, other: Colour, share: number): Colour {
	const part = (at: 0 | 1 | 2): number => Math.round(one[at] * (1 - share) + other[at] * share);
	return [part(0), part(1), part(2)];
}

/** Write a colour so that every program reads it. */
export function toHex([red, green, blue]: Colour): string {
	return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

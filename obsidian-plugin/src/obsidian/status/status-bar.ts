import { type Connection, explainConnection, inWords } from "../../core/connection";
import { makeSign } from "../sign";

const ICONS: Readonly<Record<Connection["is"], string>> = {
	off: "unplug",
	connecting: "loader",
	indexing: "loader",
	ready: "check",
	refused: "lock",
	incompatible: "alert-triangle",
};

/**
 * Make an item of the status bar tell how things stand.
 *
 * @param open Tells more, on a click.
 * @returns A function that shows a connection.
 */
export function makeStatusBar(el: HTMLElement, open: () => unknown): (connection: Connection) => void {
	const sign = makeSign(el, "vaultside-status-bar", open);
	return (connection) => {
		sign(ICONS[connection.is], inWords(connection), explainConnection(connection));
		el.dataset["state"] = connection.is;
	};
}

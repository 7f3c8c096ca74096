// Sends the token along with every request of the suite, which knows of none; only the runtime file's path is told.
import { readFileSync } from "node:fs";
import http from "node:http";
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";

const { token } = JSON.parse(readFileSync(process.env.VAULTSIDE_RUNTIME, "utf8"));
const authorization = `Bearer ${token}`;

const withToken = (dispatch) => (options, handler) =>
	dispatch({ ...options, headers: { ...options.headers, authorization } }, handler);
setGlobalDispatcher(getGlobalDispatcher().compose(withToken));

const request = http.request;
http.request = (options, ...rest) => request({ ...options, headers: { ...options.headers, authorization } }, ...rest);

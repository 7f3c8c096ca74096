import { spawn } from "node:child_process";
import { findProgram, PROGRAM } from "./discovery";

/** A program that installs others from the Python package index, each in an environment of its own. */
export interface Installer {
	readonly name: "uv" | "pipx";
	readonly file: string;
}

/** Find an installer on this computer. */
export async function findInstaller(env: Readonly<Record<string, string | undefined>>): Promise<Installer | null> {
	for (const name of ["uv", "pipx"] as const) {
		const file = await findProgram(env, name);
		if (file !== null) return { name, file };
	}
	return null;
}

/** Return the words that install or upgrade the bridge, after the installer's name. */
export function installerWords(name: Installer["name"], doing: "install" | "upgrade"): readonly string[] {
	return [...(name === "uv" ? ["tool"] : []), doing, PROGRAM];
}

/**
 * Run a program to its end.
 *
 * @param hear Gets each line that it says.
 * @throws Error It failed; the message is what it said last.
 */
export function runToEnd(file: string, words: readonly string[], hear: (line: string) => void): Promise<void> {
	return new Promise((resolve, reject) => {
		const child = spawn(file, [...words], { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
		const last: string[] = [];
		const take = (piece: string): void => {
			for (const line of piece.split(/[\r\n]+/).filter((one) => one.trim() !== "")) {
				last.push(line.trim());
				hear(line.trim());
			}
			last.splice(0, last.length - 3);
		};
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding("utf8");
			stream.on("data", take);
		}
		child.on("error", reject);
		child.on("close", (code) => {
			if (code === 0) resolve();
			else reject(new Error(last.join("\n") || `${file} ended with ${code}.`));
		});
	});
}

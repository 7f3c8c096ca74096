import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** Leaves out Sigma's table of colour names, since the graph gives it numbers only. */
const withoutColourNames = {
	name: "without colour names",
	setup({ onLoad, onEnd }) {
		let found = 0;
		onLoad({ filter: /[\\/]sigma[\\/]dist[\\/]colors-\w+\.esm\.js$/ }, async ({ path }) => {
			const contents = (await readFile(path, "utf8")).replace(/var HTML_COLORS = \{[^}]*\};/, () => {
				found += 1;
				return "var HTML_COLORS = {};";
			});
			return { contents };
		});
		onEnd(() => (found === 1 ? {} : { errors: [{ text: "Sigma keeps its colour names elsewhere now." }] }));
	},
};

/** Leaves out the comments and indents of Sigma's shaders, which the minifier keeps as text. */
const withoutShaderComments = {
	name: "without shader comments",
	setup({ onLoad, onEnd }) {
		let found = 0;
		onLoad({ filter: /[\\/]sigma[\\/]dist[\\/]index-\w+\.esm\.js$/ }, async ({ path }) => {
			const contents = (await readFile(path, "utf8")).replace(/(?<=\/\*glsl\*\/)"(?:[^"\\\n]|\\.)*"/g, (shader) => {
				found += 1;
				const lines = JSON.parse(shader).split("\n").map((line) => line.replace(/\/\/.*/, "").trim());
				return JSON.stringify(lines.filter((line) => line !== "").join("\n"));
			});
			return { contents };
		});
		onEnd(() => (found > 0 ? {} : { errors: [{ text: "Sigma keeps its shaders elsewhere now." }] }));
	},
};

/** Leaves out the shapes of `sigma/rendering` that nothing here draws, which are made as it loads; what it passes on stays. */
const withoutUnusedShapes = {
	name: "without unused shapes",
	setup({ onLoad }) {
		onLoad({ filter: /[\\/]sigma-rendering\.esm\.js$/ }, async ({ path }) => {
			const [passedOn] = /^export \{[^}]*\} from .*$/m.exec(await readFile(path, "utf8")) ?? [];
			return passedOn === undefined ? { errors: [{ text: "Sigma passes its shapes on otherwise now." }] } : { contents: passedOn };
		});
	},
};

/** Asks for the app's module once instead of in each file. */
const requireOnce = {
	name: "require once",
	async setup({ onResolve, onLoad }) {
		const names = new Set();
		for (const file of await readdir("src", { recursive: true })) {
			if (!file.endsWith(".ts")) continue;
			const text = await readFile(join("src", file), "utf8");
			for (const [, found] of text.matchAll(/^import \{([^}]*)\} from "obsidian";$/gm)) for (const one of found.split(",")) if (!/^\s*type\s/.test(one)) names.add(one.trim());
		}
		onResolve({ filter: /^obsidian$/ }, ({ namespace }) => (namespace === "app" ? { path: "obsidian", external: true } : { path: "obsidian", namespace: "app", sideEffects: false }));
		onLoad({ filter: /.*/, namespace: "app" }, () => ({ contents: `export { ${[...names].sort().join(", ")} } from "obsidian";` }));
	},
};

// The same sources give the same bytes: no times, no paths, every version locked.
const result = await build({
	entryPoints: { main: "src/main.ts", styles: "styles/index.css" },
	bundle: true,
	// Sigma's copy of what the app has already.
	alias: { events: "node:events" },
	external: ["obsidian", "electron", "node:*", "@codemirror/*", "@lezer/*"],
	format: "cjs",
	target: "es2022",
	minify: true,
	legalComments: "none",
	// Its licence asks for it, as does the directory of plugins.
	footer: { js: `/*\nContains sigma.\n\n${(await readFile("node_modules/sigma/LICENSE.txt", "utf8")).trim()}\n*/` },
	charset: "utf8",
	logLevel: "warning",
	// The app knows Node's modules by `require` alone.
	supported: { "dynamic-import": false },
	plugins: [withoutColourNames, withoutShaderComments, withoutUnusedShapes, requireOnce],
	metafile: true,
	outdir: process.argv[2] ?? ".",
});
for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
	process.stdout.write(`${file}: ${(bytes / 1024).toFixed(1)} KiB\n`);
}

import { build } from "esbuild";

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
	charset: "utf8",
	logLevel: "warning",
	// The app knows Node's modules by `require` alone.
	supported: { "dynamic-import": false },
	metafile: true,
	outdir: process.argv[2] ?? ".",
});
for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
	process.stdout.write(`${file}: ${(bytes / 1024).toFixed(1)} KiB\n`);
}

// Runs `play.ts`, which Node 20 does not read by itself.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { module } = await runnerImport(fileURLToPath(new URL("./play.ts", import.meta.url)), { configFile: false, logLevel: "error" });
await module.play(...process.argv.slice(2));
process.exit(0);

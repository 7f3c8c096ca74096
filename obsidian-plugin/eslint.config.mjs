import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";
import tseslint from "typescript-eslint";

const typed = { parser: tseslint.parser, parserOptions: { project: "./tsconfig.json" } };

export default defineConfig([
	globalIgnores(["node_modules", "main.js", "tests", "*.mjs", "vitest.config.ts", "package*.json", "tsconfig.json"]),
	...obsidianmd.configs.recommended,
	{
		files: ["src/**/*.ts"],
		languageOptions: typed,
		rules: {
			"@typescript-eslint/consistent-type-imports": "error",
			"@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
			"@typescript-eslint/no-explicit-any": "error",
			"@typescript-eslint/switch-exhaustiveness-check": "error",
		},
	},
	{
		files: ["src/core/**/*.ts", "src/client/**/*.ts", "src/protocol/**/*.ts"],
		rules: {
			"no-restricted-imports": [
				"error",
				{ paths: [{ name: "obsidian", message: "What decides must run without the app; put this into src/obsidian." }] },
			],
		},
	},
	{
		files: ["src/core/**/*.ts"],
		rules: {
			"no-restricted-imports": [
				"error",
				{
					paths: [{ name: "obsidian", message: "What decides must run without the app; put this into src/obsidian." }],
					patterns: [{ group: ["node:*"], message: "What decides touches no files and no processes; put this into src/client." }],
				},
			],
		},
	},
	{
		// Not among the recommended ones, as the rule wants the file parsed as TypeScript.
		files: ["manifest.json"],
		plugins: { obsidianmd },
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: [".json"] } },
		rules: { "no-irregular-whitespace": "off", "obsidianmd/validate-manifest": "error" },
	},
]);

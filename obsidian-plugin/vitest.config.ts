import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		projects: [
			{ test: { name: "core", include: ["tests/{core,client}/**/*.test.ts"] } },
			{
				test: {
					name: "browser",
					include: ["tests/browser/**/*.test.ts"],
					// Two processes for all files: each would take seconds to start, and the tests often wait.
					isolate: false,
					maxWorkers: 2,
					testTimeout: 300_000,
					hookTimeout: 600_000,
					expect: { poll: { timeout: 120_000 } },
				},
			},
			{ test: { name: "measure", include: ["tests/measure/**/*.test.ts"] } },
		],
	},
});

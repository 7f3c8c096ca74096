import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		projects: [
			{ test: { name: "core", include: ["tests/{core,client}/**/*.test.ts"] } },
			{
				test: {
					name: "browser",
					include: ["tests/browser/**/*.test.ts"],
					fileParallelism: false,
					testTimeout: 60_000,
					hookTimeout: 120_000,
					expect: { poll: { timeout: 30_000 } },
				},
			},
			{ test: { name: "measure", include: ["tests/measure/**/*.test.ts"] } },
		],
	},
});

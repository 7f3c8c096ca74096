import { expect, test } from "vitest";
import { fixOf } from "../../../src/core/status/fixes";

test("what a finding says is to be done is a button, a command, or words", () => {
	expect(fixOf({ do: "Run `vault-bridge reindex` when idle." })).toEqual({ kind: "operation", operation: "reindex", text: "Reindex" });
	expect(fixOf({ do: "Run `vault-bridge models install all-minilm-l6-v2`." })).toEqual({ kind: "command", command: "vault-bridge models install all-minilm-l6-v2" });
	expect(fixOf({ do: "Run: chmod 700 '/data/vault-bridge'" })).toEqual({ kind: "command", command: "chmod 700 '/data/vault-bridge'" });
	expect(fixOf({ do: "Give the folder that holds your notes." })).toBeNull();
	expect(fixOf({ do: "" })).toBeNull();
});

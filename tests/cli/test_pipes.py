"""What commands print into a pipe: one record a line, its path first."""

from tests.features.served import Served


async def test_each_record_is_one_line_that_begins_with_its_path(served: Served) -> None:
    await served.call("edit_note", path="Garden/Beans.md", edits=[{"op": "append", "text": "- [ ] a\n- [ ] b"}])
    await served.call("wait_until_indexed", path="Garden/Beans.md", what="links", timeout=300)
    for words in (["search", "frost"], ["pick-link", "frost"], ["related-notes", "--text", "frost"], ["list-tasks"]):
        ran = await served.command(*words)
        rows = [line.split("\t") for line in ran.out.splitlines()]
        assert rows, words
        assert {row[0] for row in rows} == {"Garden/Beans.md"}, words
        assert len({len(row) for row in rows}) == 1, words
    digest = (await served.call("read_note", path="Garden/Beans.md")).json["digest"]
    assert [row[-1] for row in rows] == [digest[:12]] * 2, "every task has it, not only the first of a note"
    links = await served.command("note-links", "Garden/Beans.md")
    assert links.out.split("\t")[:3] == ["Bread/Rye.md", "Linked from", "7"]
    assert links.err.splitlines()[-1].startswith("digest ")


async def test_a_pipe_gets_utf8_whatever_the_encoding_of_the_system(served: Served) -> None:
    await served.call("create_note", path="Garden/Früh 🌱.md", text="sprout")
    ran = await served.command("find-notes", "--folder", "Garden", env={"PYTHONIOENCODING": "cp1252"})
    assert [line.split("\t")[0] for line in ran.out.splitlines()] == ["Garden/Beans.md", "Garden/Früh 🌱.md"]
    missing = await served.command("read-note", "Nix 🌱", env={"PYTHONIOENCODING": "cp1252"})
    assert "Nix 🌱" in missing.err


async def test_changes_are_listed_for_a_client_in_any_case_and_for_no_path_with_a_word(served: Served) -> None:
    await served.call("edit_note", path="Bread/Rye.md", edits=[{"op": "append", "text": "x"}])
    client = (await served.call("list_changes")).json["changes"][0]["client"]
    listed = await served.command("list-changes", "--client", client.swapcase())
    assert listed.out.count("\n") == 1
    nowhere = await served.command("list-changes", "--path", "Nix")
    assert "There is no file or folder `Nix`, and none of these changes names one." in nowhere.err
    assert "There is no file" not in (await served.command("list-changes", "--path", "Garden")).err

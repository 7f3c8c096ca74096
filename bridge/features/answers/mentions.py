"""The notes and folders that a question mentions: `@[[Note]]`, `@[[Note#Heading]]`, `@Folder/` or `@"A folder/"`."""

import re

from bridge.markdown.links import inside_wiki
from bridge.records import dataclass

_MENTION = re.compile(
    rf'@(?:\[\[(?P<link>{inside_wiki()}+)\]\]|"(?P<quoted>[^"\n]+/)"|(?P<folder>[^\s@"\[\]]+/)(?=[\s?!.,;:]|$))'
)
_ALIAS = re.compile(r"\|.*$")


@dataclass(frozen=True, slots=True)
class MentioningQuestion:
    """A question without its marks.

    Attributes:
        text: The question as it reads, with the names of what it mentions.
        links: The targets of the links in it, such as `Note#Heading`.
        folders: The folders in it, without the slash at their end.
    """

    text: str
    links: tuple[str, ...]
    folders: tuple[str, ...]


def parse_mentions(question: str) -> MentioningQuestion:
    """Return the notes and folders that a question mentions, and how it reads without the marks."""
    links: list[str] = []
    folders: list[str] = []

    def read(found: re.Match[str]) -> str:
        if found["link"] is not None:
            target = _ALIAS.sub("", found["link"]).strip()
            links.append(target)
            return re.sub(r"[#^]+", " ", target.rpartition("/")[2])
        folder = (found["quoted"] or found["folder"]).strip("/")
        folders.append(folder)
        return folder

    text = _MENTION.sub(read, question)
    return MentioningQuestion(text.strip(), tuple(dict.fromkeys(links)), tuple(dict.fromkeys(folders)))

"""An HTML page, parsed strictly: what is open is closed in order, and every link inside leads somewhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "br", "hr", "img", "input"}


@dataclass
class Node:
    """An element: its tag, attributes, and what is in it, texts and elements."""

    tag: str
    attributes: dict[str, str | None]
    children: list["Node | str"] = field(default_factory=list)

    def __iter__(self) -> Iterator["Node"]:
        """This element and all in it, in order."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child

    def all(self, tag: str, **attributes: str) -> list["Node"]:
        """The elements in it with that tag, and these attributes; `class_` is one of its classes."""
        return [node for node in self if node.tag == tag and node.has(attributes)]

    def one(self, tag: str, **attributes: str) -> "Node":
        """The only element like that."""
        (node,) = self.all(tag, **attributes)
        return node

    def has(self, attributes: dict[str, str]) -> bool:
        """Whether it has these attributes."""
        if (wanted := attributes.get("class_")) and wanted not in self.classes:
            return False
        return all(
            self.attributes.get(name) == value for name, value in attributes.items() if name != "class_"
        )

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def text(self) -> str:
        """All text in it, its spaces as they are shown."""
        return " ".join(self.words().split())

    def words(self) -> str:
        """All text in it, as it is written."""
        return "".join(child if isinstance(child, str) else child.words() for child in self.children)

    def rows(self) -> list[list[str]]:
        """The texts of a table's cells, without its head."""
        body = self.one("tbody")
        return [
            [cell.text for cell in row.children if isinstance(cell, Node)]
            for row in body.children
            if isinstance(row, Node)
        ]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#root", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        node = Node(tag, dict(attrs))
        self._open[-1].children.append(node)
        if tag not in _VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        node = self._open.pop()
        assert node.tag == tag, f"</{tag}> ends <{node.tag}>"

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def end(self) -> Node:
        self.close()
        assert self._open == [self.root]
        return self.root


def parse(text: str) -> Node:
    """Parse a page."""
    parser = _Parser()
    parser.feed(text)
    root = parser.end()
    ids = [node.attributes["id"] for node in root if "id" in node.attributes]
    assert len(set(ids)) == len(ids)
    for node in root:
        target = node.attributes.get("href") or node.attributes.get("aria-labelledby") or ""
        assert target.removeprefix("#") in {*ids, ""}, target
    return root

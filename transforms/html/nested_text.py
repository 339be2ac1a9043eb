"""Text lengths of elements that lie inside one another.

`text()` walks a subtree each time, so asking each of 256 nested articles takes 256 walks. One walk with a running offset answers
for all of them:

    <article> ab <article> cd </article></article>      outer: offsets 1 to 6, trimmed 5
             ^012         ^345                           inner: offsets 4 to 6, trimmed 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from transforms.html.ancestors import inherited
from transforms.html.tree import LexborHTMLParser, LexborNode

# So many elements around one another are still cheaper one by one than with a walk of the whole tree in Python.
FEW_AROUND_ONE_ANOTHER = 8


def nest_deeply(nodes: Sequence[LexborNode]) -> bool:
    """Whether more than a few of the nodes, given in document order, may lie around one another.

    Looks at every eighth node. Within the ninth of a chain of nodes around one another the rest of the chain follows, so a chain
    of more than twice a few cannot slip through, and a flat page costs little.
    """
    asked = {node.mem_id for node in nodes}
    around: dict[int, int] = {}

    def count(above: int, node: LexborNode) -> int:
        return above + (node.mem_id in asked)

    return any(inherited(node, around, 0, count) > FEW_AROUND_ONE_ANOTHER for node in nodes[::FEW_AROUND_ONE_ANOTHER])


def trimmed_lengths(
    tree: LexborHTMLParser, nodes: Iterable[LexborNode], trimmed: str, length: Callable[[str], float]
) -> dict[int, float]:
    """Length of each node's text content without the characters of `trimmed` at its ends, by `mem_id`, in one walk.

    length: of a piece of text; it must be additive, and 1 for each character of trimmed.
    """
    followers: dict[int, int | None] = {}
    # What comes behind the subtree of each asked node in the walk. Found from the asked nodes alone: to look at the parent of every
    # node of the page, to see which elements have ended, would take longer than the walk.
    asked = {node.mem_id: inherited(node, followers, None, _follower_or) for node in nodes}
    stops = {*asked, *asked.values()}
    lengths: dict[int, float] = {}
    open_asked: list[int] = []
    begins: list[float] = []  # where the text of open_asked begins; shorter while there is only white space yet
    offset = end = 0.0  # read so far; end of the last text that is not white space

    def close() -> None:
        key = open_asked.pop()
        lengths[key] = end - begins.pop() if len(begins) > len(open_asked) else 0.0

    root = tree.root
    for node in root.traverse(include_text=True) if root is not None else ():
        text = node.text_content  # of a text node; None for any other
        key = node.mem_id
        if key in stops:
            while open_asked and asked[open_asked[-1]] == key:
                close()
            if key in asked:
                open_asked.append(key)
        if text:
            before, offset = offset, offset + length(text)
            right = text.rstrip(trimmed)
            if right:
                end = offset - (len(text) - len(right))
                if len(begins) < len(open_asked):
                    begin = before + len(text) - len(text.lstrip(trimmed))
                    begins.extend([begin] * (len(open_asked) - len(begins)))
    while open_asked:
        close()
    return lengths


def _follower_or(above: int | None, node: LexborNode) -> int | None:
    """Step for `inherited`: the `mem_id` of what comes behind a node's subtree in document order; above: behind its parent's."""
    following = node.next
    return above if following is None else following.mem_id

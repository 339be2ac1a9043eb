"""Hidden containers that nothing on the page opens (blocks.md 3.3).

Tabs, menus and accordions are hidden until something opens them, and are read. What neither is one of these nor has anything that
points into it, no reader can see: dialogs for later, templates of scripts, texts for other devices.

It takes a renderer to know what is hidden. What the markup alone hides, scripts may show without pointing at it: taken out by this
rule, it would be 114,004 words of 594 of the 1,497 WCXB development pages, on 66 of them words of the main content, whose F1 would
fall from 0.926 to 0.913.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from transforms.blocks.flat import OUTSIDE, Attributes, Flat
from transforms.blocks.names import names
from transforms.blocks.paths import Paths

# Attributes by which a control or label names what it opens: ids, or `#id` and `.class` as Bootstrap has it.
POINTING_ATTRIBUTES = names("aria-controls for popovertarget commandfor data-target data-bs-target")
OPENED_ROLES = frozenset(names("tabpanel menu menubar"))
HTML, BODY = 0, 1


def unopened_containers(flat: Flat, hidden: Collection[str]) -> list[str]:
    """The paths of the outermost hidden elements that nothing opens. hidden: paths of all elements that are not displayed.

    Something opens a hidden element if it points, from outside, at the element or at one in it; if the element or one around it
    is a `details`; or if the element or one in it has the role of a tab panel or menu. A page hidden as a whole is not judged.
    """
    paths = Paths(flat)
    if {paths.of(element) for element in (HTML, BODY) if element < len(flat.tags)} & set(hidden):
        return []
    container = _outermost_hidden(flat, paths, hidden)
    named = _elements_by_name(flat)
    opened: set[int] = set()
    pointed_at: dict[str, set[int]] = {}  # names, and the hidden elements in which something points at them
    for element, (tag, attributes) in enumerate(zip(flat.tags, flat.attributes, strict=True)):
        if not OPENED_ROLES.isdisjoint((attributes.get("role") or "").lower().split()):
            opened.add(container[element])
        for name in _names_pointed_at(tag, attributes):
            pointed_at.setdefault(name, set()).add(container[element])
    for name, origins in pointed_at.items():
        opened.update(container[target] for target in named.get(name, ()) if origins != {container[target]})
    opened.update(container[element] for element in _inside_details(flat) if container[element] == element)
    return [paths.of(element) for element, outermost in enumerate(container) if element == outermost and element not in opened]


def _outermost_hidden(flat: Flat, paths: Paths, hidden: Collection[str]) -> list[int]:
    """For each element the outermost hidden one that it is or lies in, OUTSIDE for none."""
    container: list[int] = []
    for element, parent in enumerate(flat.parents):
        outermost = OUTSIDE if parent == OUTSIDE else container[parent]
        container.append(element if outermost == OUTSIDE and paths.of(element) in hidden else outermost)
    return container


def _elements_by_name(flat: Flat) -> dict[str, list[int]]:
    """Elements by `#id`, of equal ones the first as in a browser, and by `.class`."""
    found: dict[str, list[int]] = {}
    for element, attributes in enumerate(flat.attributes):
        if (own := attributes.get("id")) and "#" + own not in found:
            found["#" + own] = [element]
        for token in (attributes.get("class") or "").split():
            found.setdefault("." + token, []).append(element)
    return found


def _names_pointed_at(tag: str, attributes: Attributes) -> Iterator[str]:
    href = attributes.get("href") or ""
    if tag == "a" and href.startswith("#"):
        yield href
    for attribute in POINTING_ATTRIBUTES:
        for name in (attributes.get(attribute) or "").split():
            yield name if name[0] in "#." else "#" + name


def _inside_details(flat: Flat) -> Iterator[int]:
    """Each `details` and all elements in one."""
    end = 0
    for element, tag in enumerate(flat.tags):
        if tag == "details":
            end = max(end, flat.ends[element])
        if element < end:
            yield element

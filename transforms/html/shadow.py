"""Declarative shadow roots: what a browser shows inside their hosts (blocks.md 8).

The tree is not changed. The result says, for a host or slot, which nodes stand inside it instead of its own children; a walk
that follows it sees the flat tree.

    <u-c> <template shadowrootmode=open> <h3><slot name=t>None</slot></h3> <slot></slot> </template>
          <b slot=t>Hi</b> <p>Yo</p> <i slot=z>no</i> </u-c>

    u-c -> h3, slot      slot t -> b      slot -> p      not displayed: i
"""

from __future__ import annotations

from transforms.html.tree import LexborNode

SHADOW_MODES = frozenset({"open", "closed"})
SILENT = frozenset({"script", "style", "template", "noscript"})


def compose_shadow_roots(top: LexborNode) -> tuple[dict[int, list[LexborNode]], list[LexborNode]]:
    """The nodes inside each host and filled slot below `top`, by `mem_id`, and the nodes that no slot displays.

    Roots within roots are composed too, in any depth.
    """
    composition: dict[int, list[LexborNode]] = {}
    undisplayed: list[LexborNode] = []
    scopes = [top]
    while scopes:
        nodes = list(scopes.pop().traverse(include_text=True))
        for node in nodes:
            host = node.parent
            if node.tag != "template" or host is None or not host.is_element_node or host.mem_id in composition:
                continue
            if (node.attributes.get("shadowrootmode") or "").strip().lower() not in SHADOW_MODES:
                continue
            fragments = node.template_fragments()
            if not fragments:
                continue  # in SVG or MathML, where the element is no template
            content = fragments[0]
            _compose(host, content, composition, undisplayed)
            scopes.append(content)
    return composition, undisplayed


def _compose(
    host: LexborNode, content: LexborNode, composition: dict[int, list[LexborNode]], undisplayed: list[LexborNode]
) -> None:
    named: dict[str, list[LexborNode]] = {}
    texts: list[LexborNode] = []
    for child in host.iter(include_text=True):
        if child.tag == "-text":
            texts.append(child)
        elif child.is_element_node and child.tag != "template":
            named.setdefault((child.attributes.get("slot") or "").strip(), []).append(child)
    for slot in content.css("slot"):
        name = (slot.attributes.get("name") or "").strip()
        assigned = named.pop(name, [])
        if not name:
            assigned += texts
            texts = []
        if any(node.tag != "-text" or (node.text_content or "").strip() for node in assigned):
            composition[slot.mem_id] = assigned
    composition[host.mem_id] = list(content.iter(include_text=True))
    undisplayed.extend(node for nodes in named.values() for node in nodes if node.tag not in SILENT)
    undisplayed.extend(texts)

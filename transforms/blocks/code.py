"""Code: the text and language of a `<pre>`, and the labels above it that are furniture (blocks.md 4.7, 4.8)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from transforms.blocks.flat import SPACE, Attributes, Code, Flat
from transforms.blocks.names import names
from transforms.blocks.subtree import events
from transforms.blocks.tags import FORM_CHOICES, SILENT, TEXT_CONTAINERS, Role
from transforms.html.tree import LexborNode

CLASS_PREFIXES = ("language-", "lang-", "highlight-source-", "highlight-")
NO_LANGUAGE = frozenset({"undefined", "none", "null", "text", "plaintext", "plain", "nohighlight"})
MOST_LABEL_WORDS = 4
COPY_LABELS = frozenset({"copy"})
# Words of the names that code blocks are labelled with.
LANGUAGE_WORDS = frozenset(
    names(
        """ada applescript asm assembly awk bash basic batch c c# c++ clojure cmake cmd cobol coffeescript console cpp crystal cs
        csharp css csv cuda curl cypher d dart delphi diff docker dockerfile elisp elixir elm erlang f# fish fortran fsharp
        gherkin git glsl go golang gradle graphql groovy haml handlebars haskell hcl html http ini java javascript jinja js
        json json5 jsonc jsx julia kotlin kql kusto latex less lisp lua make makefile markdown matlab md mermaid mysql nginx
        nim nix node objc objective-c ocaml output pascal perl php plain plaintext plsql postgresql powershell prolog
        properties proto protobuf ps1 pug puppet py python python3 r racket razor rb regex rs rst ruby rust sas sass scala
        scheme scss sed sh shell shellscript smalltalk solidity sparql sql stylus svelte svg swift tcl terminal terraform tex
        text toml ts tsql tsx twig txt typescript vb vb.net vbnet verilog vhdl vim visual vue wasm xhtml xml xquery yaml yml
        zig zsh"""
    )
)
# Elements whose lines a browser sets apart, should the page have no line break between them.
LINES = frozenset({"div", "p", "li", "tr", "ol", "ul", "table"})
NOT_CODE = frozenset({*SILENT, *FORM_CHOICES, "svg", "noscript"})
_CLOSE = int(Role.CLOSE)


def declared_language(elements: Iterable[Attributes]) -> str | None:
    """The language the first of the elements declares; None when it is a word for "no language" or nothing is declared."""
    for attributes in elements:
        language = _language_of(attributes)
        if language:
            return None if language.lower() in NO_LANGUAGE else language
    return None


def _language_of(attributes: Attributes) -> str | None:
    if not attributes:
        return None
    named = (attributes.get("data-language") or "").strip()
    if named:
        return named
    named = (attributes.get("data-lang") or "").strip().lower()
    if named:
        return named
    tokens = (attributes.get("class") or "").split()
    for token in tokens:
        for prefix in CLASS_PREFIXES:
            if token.startswith(prefix) and len(token) > len(prefix):
                return token[len(prefix) :]
    for token, following in pairwise(tokens):
        if token == "brush:":
            return following.rstrip(";") or None
    return next((token[6:].rstrip(";") for token in tokens if token.startswith("brush:") and token[6:].rstrip(";")), None)


def read_code(pre: LexborNode, attributes: Attributes) -> Code | None:
    """Reads a `<pre>` whole; None when it is blank.

    The text is as written, `<br>` a newline; only newlines at the ends go. Between elements that stand on lines of their own a
    newline is put where the page has none, so that no words are fused.
    """
    pieces: list[str] = []
    declaring = [attributes]
    at_edge = False
    skipped: int | None = None
    for node, entering in events(pre):
        tag = node.tag
        if skipped is not None:
            if node.mem_id == skipped:
                skipped = None
        elif tag == "-text":
            text = node.text_content or ""
            if at_edge and pieces and not pieces[-1].endswith("\n") and not text.startswith("\n"):
                pieces.append("\n")
            if text:
                pieces.append(text)
                at_edge = False
        elif tag in NOT_CODE:
            skipped = node.mem_id if node.first_child is not None else None
        elif tag in LINES:
            at_edge = True
        elif entering and tag == "br":
            pieces.append("\n")
            at_edge = False
        elif entering and tag == "code":
            declaring.append(node.attributes)
    text = "".join(pieces).strip("\r\n")
    if not text.strip():
        return None
    return Code(text, declared_language([*declaring, *_only_wrapper(pre)]))


def _only_wrapper(pre: LexborNode) -> list[Attributes]:
    """The attributes of the `<div>` around a `<pre>` that is its only element child, else nothing."""
    parent = pre.parent
    if parent is None or parent.tag != "div":
        return []
    elements = 0
    for child in parent.iter():
        if child.is_element_node:
            elements += 1
            if elements > 1:
                return []
    return [parent.attributes]


def drop_code_label(flat: Flat, pre: int, language: str | None) -> None:
    """Takes out the element before a `<pre>` when it is furniture: a language name, a copy button (blocks.md 4.8).

    It is the last thing read, so it can be cut off the ends of the lists. Its place in texts stays, blank.
    """
    parent = flat.parents[pre]
    before = pre - 1
    while before > parent and flat.parents[before] != parent:
        before = flat.parents[before]
    if before <= parent or not flat.cuts or flat.cuts[-1][:2] != (_CLOSE, before) or flat.tags[before] not in TEXT_CONTAINERS:
        return
    first = flat.matches[-1]
    _, _, begin, mark, pin, _ = flat.cuts[first]
    end = flat.cuts[-1][2]
    words = flat.text(begin, end).split()
    if not 1 <= len(words) <= MOST_LABEL_WORDS or not _is_furniture(flat, before, words, language):
        return
    flat.removed["code-furniture"] += len(words)
    flat.texts[begin:end] = [SPACE] * (end - begin)
    del flat.cuts[first:], flat.matches[first:], flat.marks[mark:], flat.pins[pin:]


def _is_furniture(flat: Flat, element: int, words: list[str], language: str | None) -> bool:
    inside = range(element + 1, flat.ends[element])
    if flat.tags[element] == "p":
        return any(_goes_nowhere(flat.tags[inner], flat.attributes[inner]) for inner in inside)
    if flat.tags[element] == "button" or any(flat.tags[inner] == "button" for inner in inside):
        return True
    labels = COPY_LABELS | ({language.lower()} if language else set())
    return all(word.lower() in LANGUAGE_WORDS or word.lower() in labels for word in words)


def _goes_nowhere(tag: str, attributes: Attributes) -> bool:
    """Whether a control only runs a script."""
    if tag == "a":
        href = (attributes.get("href") or "").strip()
        return href == "#" or ("onclick" in attributes and (not href or href.lower().startswith("javascript:")))
    return tag == "button" and "onclick" in attributes

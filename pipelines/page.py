"""`interleaf page`: one page through extraction, shown step by step."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipelines.config import Config, ConfigError, load_config
from pipelines.errors import UsageError
from transforms.archives.encoding import decode_html
from transforms.archives.read import plan_file, read_range, read_source
from transforms.archives.select import select_page
from transforms.archives.settings import ReadSettings
from transforms.blocks.dedup import Repeat, deduplicate
from transforms.blocks.extract import page_blocks
from transforms.blocks.links import PageUrls
from transforms.blocks.main_content.select import select_main_content
from transforms.blocks.markdown import render_markdown
from transforms.documents.extract import extract_document
from transforms.documents.nodes import make_nodes, no_node_rule
from transforms.documents.obelics import read_obelics_page
from transforms.documents.obelics_images import OutlineImages
from transforms.files import InputError
from transforms.html.limits import Exceeded, parse_within
from transforms.html.outline import read_outline
from transforms.html.readerable import gate_score
from transforms.html.simplify import simplify
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.simplify_trace import trace_merging
from transforms.html.tree import LexborHTMLParser
from transforms.records import Block, Document, Drop, InputRange, Node, Page, Response, Revisit, Source


def show_page(
    *,
    archive: str | None,
    html: str | None,
    url: str | None,
    offset: int | None,
    stage: str,
    as_json: bool,
    trace: bool = False,
    config: str | None,
    overrides: Sequence[str],
) -> int:
    """Prints a page's blocks, nodes or Markdown; what is not asked for goes to stderr. Returns the exit status."""
    try:
        resolved = load_config(config, overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    profile = resolved.extract.profile
    if trace and profile != "obelics":
        raise UsageError(f"--trace shows how the profile obelics merges texts; the profile is {profile} (--profile obelics)")
    if stage == "repeats" and profile == "obelics":
        raise UsageError("--stage repeats shows what deduplication took out; the profile obelics takes no repeats out")
    page = _page_of_file(html, url) if html is not None else _page_of_archive(archive, url, offset, resolved)
    decoded = decode_html(page.body, page.content_type)
    tree = parse_within(decoded.utf8, resolved.extract.limits)
    if isinstance(tree, Exceeded):
        print(f"dropped by {tree.rule}: {tree.value} > {tree.threshold}", file=sys.stderr)
        return 0
    score = gate_score(tree, resolved.extract.gate)
    if profile == "obelics":
        if not as_json:
            _describe(page, resolved, score, f"{decoded.encoding} ({decoded.source}), {decoded.errors} bad bytes")
        _show_obelics(tree, page.url, resolved.extract.obelics, "trace" if trace else stage, as_json)
        return 0
    found = page_blocks(tree, page.url)
    deduplicated = deduplicate(found.blocks)
    selection = select_main_content(found, deduplicated, page.url, resolved.extract.main_content)
    if not as_json:
        _describe(page, resolved, score, f"{decoded.encoding} ({decoded.source}), {decoded.errors} bad bytes")
    if stage == "markdown":
        sys.stdout.write(render_markdown(deduplicated.kept))
        return 0
    if stage == "nodes":
        lines = _node_lines(make_nodes(selection.blocks), as_json)
    elif stage == "repeats":
        lines = _repeat_lines(deduplicated.repeats, as_json)
    else:
        lines = _block_lines(found.blocks if stage == "blocks" else selection.blocks, as_json)
    for line in lines:
        print(line)
    if not as_json and stage == "document":
        print(f"\nremoved by deduplication: {len(deduplicated.repeats)}")
        for line in _repeat_lines(deduplicated.repeats, as_json):
            print(f"  {line}")
    return 0


def _show_obelics(tree: LexborHTMLParser, url: str, config: ObelicsConfig, stage: str, as_json: bool) -> None:
    if stage == "trace":
        for line in obelics_trace(tree, url, config, as_json):
            print(line)
        return
    found = read_obelics_page(tree, url, config)
    if stage == "markdown":
        sys.stdout.write(render_markdown(found.blocks))
        return
    for line in _node_lines(iter(found.nodes), as_json) if stage == "nodes" else _block_lines(found.blocks, as_json):
        print(line)
    if not as_json:
        print(f"\ncharacters removed: {dict(found.removed) or 'none'}; uses of the majority guard: {found.guarded}")
        for item in found.left_out:
            print(f"  {item.rule}  {item.path}  {_short(item.reference)}")


def obelics_trace(tree: LexborHTMLParser, url: str, config: ObelicsConfig, as_json: bool) -> Iterator[str]:
    """The merging of a page's texts, a line a step, columns as in the worked example of obelics.md 4.3."""
    base = tree.css_first("base[href]")
    outline = read_outline(tree)
    images = OutlineImages(outline, PageUrls(url, base.attributes.get("href") if base is not None else None))
    for number, step in enumerate(trace_merging(simplify(outline, config), lambda image: images.source(image) is not None)):
        source = images.source(step.element) if step.path[-1] == "img" else None
        if as_json:
            values = dataclasses.asdict(step) | {"step": number, "image": source.candidates[0] if source else None}
            yield json.dumps(values, ensure_ascii=False)
            continue
        ending = f"<{source.candidates[0] if source is not None else 'boundary'}>"
        shown = ending if step.text is None else json.dumps(step.text, ensure_ascii=False)
        separators = ", ".join("space" if s == " " else json.dumps(s) for s in step.separators) or "-"
        yield f"{number}  {shown}  [{' '.join(step.path)}]  {{{separators}}}  {_short_end(step.merged)}"


def _short_end(text: str, width: int = 90) -> str:
    return json.dumps(text if len(text) <= width else "…" + text[1 - width :], ensure_ascii=False)


def _page_of_file(html: str, url: str | None) -> Page:
    if url is None:
        raise UsageError("--html needs --url: links and images are resolved against it")
    try:
        body = sys.stdin.buffer.read() if html == "-" else Path(html).read_bytes()
    except OSError as error:
        raise UsageError(f"--html {html}: {error.strerror}") from None
    return Page(url, body, "text/html", Source(html, 0, len(body)))


def _page_of_archive(archive: str | None, url: str | None, offset: int | None, config: Config) -> Page:
    if archive is None:
        raise UsageError("give an archive or a table, or --html FILE")
    if not Path(archive).is_file():
        raise UsageError(f"{archive}: no such file")
    seen = 0
    try:
        for item in _items(archive, offset, config.input.read_settings()):
            if isinstance(item, Drop):
                if offset is not None:
                    raise UsageError(f"{archive}, offset {offset}: {item.rule} {item.detail or ''}")
                continue
            seen += 1
            if isinstance(item, Response) and url in (None, item.url):
                return _page_of(item, config)
    except InputError as error:
        raise UsageError(str(error)) from None
    if offset is not None:
        raise UsageError(f"{archive}, offset {offset}: no response {f'for {url} ' if url is not None else ''}starts there")
    raise UsageError(f"{archive}: {f'a response for {url}' if url is not None else 'a response'} is not in it ({seen} read)")


def _items(archive: str, offset: int | None, settings: ReadSettings) -> Iterator[Response | Revisit | Drop]:
    """What stands in a file, or at an offset of it: a byte of an archive or of lines, the number of a row of a table."""
    size = Path(archive).stat().st_size
    format_, spans = plan_file(archive, size, max(size, 1), settings)
    if offset is not None and format_ in ("parquet", "arrow"):
        yield read_source(Source(archive, offset, 1), settings)
        return
    if offset is not None:
        spans = [(offset, offset + 1)]  # the record that starts there, and no other
    for start, stop in spans:
        yield from read_range(InputRange(0, archive, start, stop, format_), settings)


def _page_of(response: Response, config: Config) -> Page:
    page = select_page(response, config.select)
    if isinstance(page, Drop):
        print(f"not selected by these settings: {page.rule} {page.detail or ''}", file=sys.stderr)
        return Page(
            response.url, response.body, response.content_type, response.source, response.date, response.flags, response.headers
        )
    return page


def _describe(page: Page, config: Config, score: float, encoding: str) -> None:
    document = extract_document(page, config.extract)
    unit = "characters" if config.extract.profile == "obelics" else "words"
    lines = [
        f"url       {page.url}",
        f"source    {page.source.file}, offset {page.source.offset}, length {page.source.length}",
        f"flags     {', '.join(page.flags) or 'none'}",
        f"encoding  {encoding}",
        f"gate      {score:.3f} against {config.extract.gate.min_score}",
    ]
    if isinstance(document, Drop):
        lines.append(f"dropped   by {document.rule}: {document.value} against {document.threshold} {document.detail or ''}")
    else:
        lines += [
            f"title     {document.title}",
            f"language  {document.language} {document.language_score}",
            f"content   {_describe_choice(document)}",
            f"nodes     {len(document.nodes)} of {document.block_count} blocks; {unit} removed: {dict(document.removed) or 'none'}",
        ]
    print("\n".join(lines) + "\n")


def _describe_choice(document: Document) -> str:
    """How the main content was chosen, and how many words it has."""
    words = ", ".join(f"{reason} {number}" for reason, number in document.main_content_words.items())
    if document.main_content_threshold is None:
        return f"words: {words}" if words else "all blocks"
    return (
        f"blocks of a probability of at least {document.main_content_threshold:.3f} (expected F1 {document.main_content_f1:.3f}); "
        f"words: {words}"
    )


def _block_lines(blocks: Sequence[Block], as_json: bool) -> Iterator[str]:
    for block in blocks:
        if as_json:
            yield json.dumps(dataclasses.asdict(block), ensure_ascii=False)
            continue
        marks = [
            f"L{block.level}" if block.level else "",
            block.region or "",
            "main" if block.in_main else "",
            "body" if block.body_of else "",
            f"widget:{block.widget}" if block.widget else "",
            f"quoted:{block.quoted}" if block.quoted else "",
            "hidden" if block.hidden else "",
            no_node_rule(block) or "",
            "" if block.probability is None else f"p={block.probability:.2f}",
        ]
        text = f"{block.alt or ''} <{block.href}>" if block.kind == "image" else block.text
        yield f"{block.kind:<15} {_short(text)}  [{' '.join(filter(None, marks))}]  {block.xpath}"


def _repeat_lines(repeats: Sequence[Repeat], as_json: bool) -> Iterator[str]:
    """What deduplication took out: by which rule, and where the copy stands that is kept."""
    for repeat in repeats:
        if as_json:
            yield json.dumps(dataclasses.asdict(repeat), ensure_ascii=False)
        else:
            twin = f"as {repeat.twin_path}" if repeat.twin_path is not None else "restates several blocks"
            yield f"{repeat.rule:<17} {repeat.block.kind:<15} {_short(repeat.block.text)}  {repeat.block.xpath}  {twin}"


def _node_lines(nodes: Iterator[Node], as_json: bool) -> Iterator[str]:
    for number, node in enumerate(nodes):
        if as_json:
            stored = {"kind": node.kind, "text": node.text, **dataclasses.asdict(node)}
            yield json.dumps(stored, ensure_ascii=False)
        elif node.image is not None:
            image = node.image
            yield f"{number} image  {image.alt or ''} <{image.href}>  {len(image.candidates)} candidates  {node.path}"
        else:
            yield f"{number} text   {node.path}\n{node.text}\n"


def _short(text: str, width: int = 90) -> str:
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= width else line[: width - 1] + "…", ensure_ascii=False)

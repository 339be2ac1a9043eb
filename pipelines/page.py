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
from transforms.archives.select import select_page
from transforms.archives.warc import read_responses
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.blocks.markdown import render_markdown
from transforms.documents.extract import extract_document, make_nodes, no_node_rule
from transforms.html.limits import exceeded_limit
from transforms.html.readerable import gate_score
from transforms.html.tree import parse_html
from transforms.records import Block, Drop, Node, Page, Response, Source


def show_page(
    *,
    archive: str | None,
    html: str | None,
    url: str | None,
    offset: int | None,
    stage: str,
    as_json: bool,
    config: str | None,
    overrides: Sequence[str],
) -> int:
    """Prints a page's blocks, nodes or Markdown; what is not asked for goes to stderr. Returns the exit status."""
    try:
        resolved = load_config(config, overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    page = _page_of_file(html, url) if html is not None else _page_of_archive(archive, url, offset)
    decoded = decode_html(page.body, page.content_type)
    exceeded = exceeded_limit(decoded.text, resolved.extract.limits)
    if exceeded is not None:
        print(f"dropped by {exceeded.rule}: {exceeded.value} > {exceeded.threshold}", file=sys.stderr)
        return 0
    tree = parse_html(decoded.text)
    score = gate_score(tree, resolved.extract.gate)
    found = page_blocks(tree, page.url)
    deduplicated = deduplicate(found.blocks)
    if not as_json:
        _describe(page, resolved, score, f"{decoded.encoding} ({decoded.source}), {decoded.errors} bad bytes")
    if stage == "markdown":
        sys.stdout.write(render_markdown(deduplicated.kept))
        return 0
    if stage == "nodes":
        lines = _node_lines(make_nodes(deduplicated.kept), as_json)
    else:
        lines = _block_lines(found.blocks if stage == "blocks" else deduplicated.kept, as_json)
    for line in lines:
        print(line)
    if not as_json and stage == "document":
        print(f"\nremoved by deduplication: {len(deduplicated.repeats)}")
        for repeat in deduplicated.repeats:
            print(f"  {repeat.rule}  {_short(repeat.block.text)}  {repeat.block.xpath}  as {repeat.twin_path}")
    return 0


def _page_of_file(html: str, url: str | None) -> Page:
    if url is None:
        raise UsageError("--html needs --url: links and images are resolved against it")
    try:
        body = sys.stdin.buffer.read() if html == "-" else Path(html).read_bytes()
    except OSError as error:
        raise UsageError(f"--html {html}: {error.strerror}") from None
    return Page(url, body, "text/html", Source(html, 0, len(body)))


def _page_of_archive(archive: str | None, url: str | None, offset: int | None) -> Page:
    if archive is None:
        raise UsageError("give an archive, or --html FILE")
    if not Path(archive).is_file():
        raise UsageError(f"{archive}: no such file")
    seen = 0
    stop = None if offset is None else offset + 1  # the record that starts there, and no other
    for item in read_responses(archive, offset or 0, stop):
        if isinstance(item, Drop):
            if offset is not None:
                raise UsageError(f"{archive}, offset {offset}: {item.rule} {item.detail or ''}")
            continue
        seen += 1
        if url is None or item.url == url:
            return _page_of(item)
    if offset is not None:
        raise UsageError(f"{archive}, offset {offset}: no response {f'for {url} ' if url is not None else ''}starts there")
    raise UsageError(f"{archive}: {f'a response for {url}' if url is not None else 'a response'} is not in it ({seen} read)")


def _page_of(response: Response) -> Page:
    page = select_page(response, Config().select)
    if isinstance(page, Drop):
        print(f"not selected by the default settings: {page.rule} {page.detail or ''}", file=sys.stderr)
        return Page(response.url, response.body, response.content_type, response.source, response.date, response.flags)
    return page


def _describe(page: Page, config: Config, score: float, encoding: str) -> None:
    document = extract_document(page, config.extract)
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
            f"nodes     {len(document.nodes)} of {document.block_count} blocks; words left out: {dict(document.removed) or 'none'}",
        ]
    print("\n".join(lines) + "\n")


def _block_lines(blocks: Sequence[Block], as_json: bool) -> Iterator[str]:
    for block in blocks:
        if as_json:
            yield json.dumps(dataclasses.asdict(block), ensure_ascii=False)
            continue
        marks = [
            f"L{block.level}" if block.level else "",
            block.region or "",
            "main" if block.in_main else "",
            f"widget:{block.widget}" if block.widget else "",
            f"quoted:{block.quoted}" if block.quoted else "",
            "hidden" if block.hidden else "",
            no_node_rule(block) or "",
        ]
        text = f"{block.alt or ''} <{block.href}>" if block.kind == "image" else block.text
        yield f"{block.kind:<15} {_short(text)}  [{' '.join(filter(None, marks))}]  {block.xpath}"


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

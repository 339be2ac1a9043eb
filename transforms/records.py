"""The data model: what a page, a block, a document, a drop and a manifest are.

Plain frozen dataclasses; nothing here imports Beam. The few records that cross a Beam boundary are registered with the row
coder in `transforms.coders`; all others live inside one fused stage or in a stage file.

Flow of the types: `Response` -> `Page` -> `Block`s -> `Document` of `Node`s -> dataset row; whatever stops on the way becomes a
`Drop`. Terms as in the design: reference (a document's mention of an image URL), outcome (what became of a URL), shard, manifest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

BlockKind = Literal["paragraph", "heading", "list-item", "table", "image", "code", "quote", "figure-caption", "media", "rule"]
ParagraphKind = Literal[BlockKind, "boundary"]
"""boundary: a mark between articles of one page, no text of it; never measured, never rejected (obelics.md 4.5)."""
TargetKind = Literal["record", "page", "block", "node", "image", "pair"]
InputFormat = Literal["warc", "parquet", "arrow", "jsonl"]
Separator = Literal["", " ", "\n", "\n\n"]

NETWORK, INLINE = "network", "inline"
"""Sources of an outcome whose bytes are in a file of the run: from the network, and in a page."""
REVISIT = "revisit"
"""The flag of a page that an archive holds under another URL or date, and that a revisit record repeats."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record stands, so that it can be read again.

    file: path of the archive as the input named it. offset, length: place of the record in the file as stored, in bytes; for a
    `.gz` archive these are compressed bytes of one gzip member. For a row of a table they are its number and 1, for one of JSONL
    the bytes of its line. record_id: `WARC-Record-ID`. digest: `WARC-Payload-Digest`.
    """

    file: str
    offset: int
    length: int
    record_id: str | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """One archived HTTP response of any type, its content codings undone.

    status: HTTP status, 200 for records without one. content_type: the header as sent. date: capture time, ISO 8601 UTC.
    flags: findings about the record, e.g. `length_mismatch`, `maybe_truncated`. headers: all HTTP headers as sent, names in
    lower case; empty for records without.
    """

    url: str
    status: int
    content_type: str | None
    body: bytes
    source: Source
    date: str | None = None
    flags: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Revisit:
    """A record that says a URL was answered with the same payload as before, and does not store it again (WARC 1.1, 6.7.2).

    source: of this record; its digest is what names the payload. refers_to: URL and date of the response that it repeats, empty
    where it does not say so.
    """

    url: str
    source: Source
    date: str | None = None
    refers_to: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML response, still as bytes. headers: all HTTP headers as sent, names in lower case."""

    url: str
    body: bytes
    content_type: str | None
    source: Source
    date: str | None = None
    flags: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


# "from" is a keyword, hence the functional form. media and type only where a <source> states them (blocks.md 4.10).
Candidate = TypedDict(
    "Candidate",
    {"url": str, "descriptor": "str | None", "from": str, "media": str, "type": str},
    total=False,
)


# A page has hundreds of blocks, drops, paragraphs and images, and a frozen one takes ten times as long to make. So nothing keeps
# these from being changed but the rule that records are not.
@dataclass(slots=True)
class Block:
    """One innermost block-level piece of a page: text, image, embed or rule (blocks.md section 2). Not changed once made.

    kind, text, tag, xpath: what it is, its plain text, its element in lower case, its absolute path. dom_index: 0, 1, 2 … in
    emission order. level: heading 1-6, list depth >= 1, else 0. rich_text, rich_rows: with inline Markdown, None when equal to
    the plain form. rows: table grid. href, alt, link: image or media source, alternative text, link target. width, height:
    declared size of an image as written. excluded: None, or why the block is not main content. probability: the share of its
    words that is, as the model expects; None for blocks it does not judge. rect: x, y, width, height in
    CSS pixels from the page's top left, None unless a renderer measured the page.
    """

    kind: BlockKind
    text: str
    tag: str
    xpath: str
    dom_index: int
    rich_text: str | None = None
    level: int = 0
    ordered: bool = False
    ordinal: int | None = None
    rows: list[list[str]] | None = None
    rich_rows: list[list[str]] | None = None
    table_html: str | None = None
    href: str | None = None
    alt: str | None = None
    link: str | None = None
    width: str | None = None
    height: str | None = None
    candidates: list[Candidate] | None = None
    language: str | None = None
    region: str | None = None
    in_main: bool = False
    widget: str | None = None
    quoted: int = 0
    body_of: str | None = None
    float_of: str | None = None
    hidden: bool = False
    excluded: str | None = None
    rect: tuple[float, float, float, float] | None = None
    probability: float | None = None


@dataclass(slots=True)
class ImageRef:
    """A document's mention of an image: identity, words about it, every place it may be had from.

    href: identity of the image on the page. candidates: absolute URLs, best first (images.md 3.1). alt: None when empty.
    rendered_width, rendered_height: declared size, pixels as `"300"` or a percentage as `"50%"`, None when not stated.
    origins, hints: of each candidate where the page has it, and its declared size, pixels of the shorter side known, None when it
    is not stated. skipped, skip_detail: the status of a mention that is not looked up, whatever other pages mention.

    Of the profile `obelics` only (obelics.md 5.3): unformatted_src: the reference as the page wrote it. formatted_filename: the
    file name as words, None when it says nothing. inline: text of the same block stands before or after it.
    """

    href: str
    candidates: tuple[str, ...]
    alt: str | None = None
    link: str | None = None
    rendered_width: str | None = None
    rendered_height: str | None = None
    unformatted_src: str | None = None
    formatted_filename: str | None = None
    inline: bool = False
    origins: tuple[str, ...] = ()
    hints: tuple[int | None, ...] = ()
    skipped: str | None = None
    skip_detail: str | None = None


@dataclass(slots=True)
class Paragraph:
    """A piece of a text node that is measured and judged on its own.

    separator: what stands between it and the text before it. path: element path of its first block. blocks: half-open range of
    block numbers it was made of; empty for a boundary.
    """

    text: str
    kind: ParagraphKind
    separator: Separator
    path: str
    blocks: tuple[int, int]


@dataclass(slots=True)
class Node:
    """A text run or an image of a document, in reading order. Exactly one of paragraphs and image is set."""

    path: str
    blocks: tuple[int, int]
    paragraphs: tuple[Paragraph, ...] = ()
    image: ImageRef | None = None

    @property
    def kind(self) -> Literal["text", "image"]:
        return "text" if self.image is None else "image"

    @property
    def text(self) -> str | None:
        """The paragraphs joined by their separators; None for an image."""
        if self.image is not None:
            return None
        return join_paragraphs(self.paragraphs)


def join_paragraphs(paragraphs: Sequence[Paragraph]) -> str:
    """Joins paragraphs by their separators; the first one's is not written."""
    return "".join(p.text if i == 0 else p.separator + p.text for i, p in enumerate(paragraphs))


@dataclass(slots=True)
class Drop:
    """Something that does not go on, and why (design.md, `drops/`).

    stage, rule: where and by which rule. target_kind, target_id: what. value, threshold: what was measured and the limit it
    missed, None where the rule is not a number. detail: the same for people.
    """

    stage: str
    rule: str
    target_kind: TargetKind
    target_id: str
    url: str | None = None
    value: float | None = None
    threshold: float | None = None
    detail: str | None = None
    file: str | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class InlineImage:
    """An image that stands in a page as a `data:` URL. url: the name of its bytes; content_type: as the page says, or empty."""

    url: str
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """The node sequence of one page.

    id: 32 hexadecimal digits, a function of the archive's file name, the record's offset and the URL. domain: host of the URL.
    language: ISO 639 code as identified, `und` when unknown. declared_languages: those that the page says it is in, sorted.
    gate_score: the readerable measure. removed: words left out, by reason; characters
    and rules of obelics.md 3 where that is the profile.
    drops: blocks that did not become part of a node, each with its rule. blocks: kept only where the configuration asks.
    main_content_threshold, main_content_f1: the least probability of a block that stayed, and how well the model expects to have
    chosen; None without a model. main_content_words: words that stayed (`kept`), and that did not, by reason.
    directives: what the page and its headers say about its use (images.md 6). rejected: references of images that are no URL to
    look up, each with its status. inline: images that stand in the page and are candidates of a node; their bytes are stored apart.
    """

    id: str
    url: str
    domain: str
    source: Source
    nodes: tuple[Node, ...]
    date: str | None = None
    title: str | None = None
    description: str | None = None
    language: str = "und"
    language_score: float | None = None
    declared_languages: tuple[str, ...] = ()
    gate_score: float | None = None
    encoding: str | None = None
    rtl: bool = False
    content_hash: str = ""
    flags: tuple[str, ...] = ()
    removed: Mapping[str, int] = field(default_factory=dict)
    block_count: int = 0
    drops: tuple[Drop, ...] = ()
    blocks: tuple[Block, ...] = ()
    main_content_threshold: float | None = None
    main_content_f1: float | None = None
    main_content_words: Mapping[str, int] = field(default_factory=dict)
    directives: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    inline: tuple[InlineImage, ...] = ()

    @property
    def texts(self) -> list[str | None]:
        """One entry a node: its text, None where the node is an image."""
        return [node.text for node in self.nodes]

    @property
    def images(self) -> list[ImageRef | None]:
        """One entry a node: its image, None where the node is text."""
        return [node.image for node in self.nodes]

    def markdown(self) -> str:
        """The document's main content as Markdown (blocks.md section 12); needs `blocks`."""
        from transforms.blocks.markdown import render_markdown

        return render_markdown(self.blocks, only_main=True)


@dataclass(frozen=True, slots=True)
class InputRange:
    """The unit of reading: the records that start in `[start, stop)` of a file, and the shard they go to.

    start, stop: bytes as stored for `warc` and `jsonl`, row groups for `parquet`, record batches for `arrow`.
    """

    index: int
    file: str
    start: int
    stop: int
    format: str = "warc"


@dataclass(frozen=True, slots=True)
class Sighting:
    """An image URL seen: mentioned by a document shard, or answered in an archive. One type for both, so that their join has a
    typed coder.

    kind: `mention`; `image`, `redirect`, `revisit` (of a payload that is not there) and `error` for what an archive answers;
    `target` where a redirect leads. date: of the earliest page of the shard that mentions it, or of the capture.

    Of a mention: shard: the document shard. documents: how many of its documents mention the URL. hint: the largest size that any
    of them declares, pixels of the shorter side, None when one declares none. status: why it is not wanted, if all agree.
    Of a capture: its place and digest; http_status; target: where a redirect leads; directives: what the owner says (optout).
    """

    url: str
    kind: str
    date: str | None = None
    shard: int | None = None
    documents: int = 0
    hint: int | None = None
    status: str | None = None
    detail: str | None = None
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    record_id: str | None = None
    digest: str | None = None
    http_status: int | None = None
    target: str | None = None
    directives: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PayloadSighting:
    """A payload seen under its digest: stored by a response that was used, or repeated by a revisit, which has its URL and date.

    file, offset, length, record_id: the place of the record. One type for both, so that their join has a typed coder.
    """

    is_revisit: bool
    url: str
    date: str
    file: str
    offset: int
    length: int
    record_id: str | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class RepeatedPayload:
    """A revisit, and the place of the response whose payload it repeats; `original_file` is None where there is none.

    by_digest: it was looked for by the digest, else by the URL and date that the revisit names.
    """

    url: str
    date: str
    file: str
    offset: int
    record_id: str | None = None
    digest: str | None = None
    original_file: str | None = None
    original_offset: int = 0
    original_length: int = 0
    original_record_id: str | None = None
    by_digest: bool = True


@dataclass(frozen=True, slots=True)
class WantedImage:
    """A distinct image URL, the document shards that mention it, and what the archives hold of it.

    status: what became of it without a look at any bytes, with detail, value and threshold; None when there is a body to look at,
    or when nobody has looked for one yet. date: of the earliest page that mentions it. trail: the URLs that archived redirects led
    through, in order; the last is where the body was found. file, offset, length, record_id, captured, digest: place, date and
    payload digest of the body.
    """

    url_key: bytes
    url: str
    shards: Sequence[int]
    date: str | None = None
    status: str | None = None
    detail: str | None = None
    value: float | None = None
    threshold: float | None = None
    trail: Sequence[str] = ()
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    record_id: str | None = None
    captured: str | None = None
    digest: str | None = None
    flags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class LookUp:
    """What meets under the key of a URL when archived redirects are followed: a wanted image on its way, or what an archive has
    there. is_settled: the image needs not go any further."""

    wanted: WantedImage | None = None
    seen: Sighting | None = None
    is_settled: bool = False


# Not frozen: a run reads one for each image of each document.
@dataclass(slots=True)
class Outcome:
    """What became of one distinct image URL (images.md section 10). Not changed once made.

    status: from the closed list; `ok` has all facts about the image, any other status what was learnt before it. shards: the
    document shards that mention the URL. value, threshold: of the limit that a status is about. source: `archive`, `network` or
    `inline`, None when nobody was asked. sha256, bytes, format, width, height, frames, mode: of the stored bytes. orientation,
    perceptual_hash: of the received ones; source_sha256 as well, where they are not those that are stored. content_type: as sent.
    final_url, hops: where redirects led. date: when the bytes were captured. flags: findings, such as `warc_truncated`.
    http_status, attempts: of the network, the last answer and how often it was asked. file, offset, length, record_id: where the
    body can be read again; a file of the run itself, named from its folder, for the network and for images in pages. stored_file,
    stored_offset: place of the stored bytes in a file of the run, where they are not those that can be read again.
    """

    url_key: bytes
    url: str
    status: str
    shards: Sequence[int] = ()
    detail: str | None = None
    value: float | None = None
    threshold: float | None = None
    source: str | None = None
    sha256: str | None = None
    format: str | None = None
    width: int | None = None
    height: int | None = None
    bytes: int | None = None
    frames: int | None = None
    mode: str | None = None
    orientation: int | None = None
    perceptual_hash: str | None = None
    source_sha256: str | None = None
    content_type: str | None = None
    final_url: str | None = None
    hops: int | None = None
    date: str | None = None
    flags: Sequence[str] = ()
    http_status: int | None = None
    attempts: int | None = None
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    record_id: str | None = None
    stored_file: str | None = None
    stored_offset: int | None = None


@dataclass(frozen=True, slots=True)
class ShardManifest:
    """What a finished shard holds. The sidecar file beside the shard has the same content, less cpu_seconds.

    stage, index, total: which shard of how many. rows, bytes, sha256: of the main file. files: sha256 of every file of the shard
    by its path in the run folder. counts: `in`, `out`, `drop:RULE` per counted level, as `LEVEL/KEY`. cpu_seconds: what making it
    cost in this attempt; 0 when it was found finished.
    """

    stage: str
    index: int
    total: int
    rows: int
    bytes: int
    sha256: str
    files: Mapping[str, str]
    counts: Mapping[str, int]
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunTotals:
    """What shards hold together, in a size that does not grow with their number.

    shards, rows, bytes, cpu_seconds: by stage; rows and bytes of main files. counts: those of the manifests, added up.
    """

    shards: Mapping[str, int]
    rows: Mapping[str, int]
    bytes: Mapping[str, int]
    counts: Mapping[str, int]
    cpu_seconds: Mapping[str, float]

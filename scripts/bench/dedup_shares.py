"""What deduplication takes out of real pages: blocks removed, by rule, by kind and by whether they are hidden (blocks.md 10, 11).

    python -m scripts.bench.dedup_shares crawl/*.warc.gz [--every 1]

A share is of the blocks emitted on all pages together. `repeats` counts blocks whose key (text and address) stood on the page
before, removed or not; that is what the reference measured. Blocks without text are never repeats; they count as emitted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from transforms.archives.encoding import decode_html
from transforms.archives.warc import read_responses
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.html.tree import parse_html
from transforms.records import Block, Response


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--every", type=int, default=1, help="read every n-th page only")
    options = parser.parse_args()
    emitted: Counter[str] = Counter()
    repeats: Counter[str] = Counter()
    removed: Counter[tuple[str, str]] = Counter()
    places: Counter[str] = Counter()
    shares: list[float] = []
    pages = with_text = characters = repeated_characters = 0
    responses = (item for archive in options.archives for item in read_responses(archive) if isinstance(item, Response))
    for number, response in enumerate(responses):
        if number % options.every:
            continue
        pages += 1
        blocks = page_blocks(parse_html(decode_html(response.body, response.content_type).text), response.url).blocks
        found = deduplicate(blocks)
        emitted.update(block.kind for block in blocks)
        repeated = [block for block, is_repeat in zip(blocks, find_repeats(blocks), strict=True) if is_repeat]
        repeats.update(block.kind for block in repeated)
        with_text += sum(bool(block.text) for block in blocks)
        characters += sum(len(block.text) for block in blocks)
        repeated_characters += sum(len(block.text) for block in repeated)
        removed.update((repeat.rule, repeat.block.kind) for repeat in found.repeats)
        places.update(place_of(repeat.block) for repeat in found.repeats)
        if blocks:
            shares.append(len(found.repeats) / len(blocks))
    all_blocks = emitted.total()
    of_text = repeats.total() / with_text
    print(f"pages {pages}, blocks {all_blocks}, repeats {repeats.total()} ({repeats.total() / all_blocks:.1%})")
    print(
        f"blocks with text {with_text}, repeats of these {of_text:.1%}, of their characters {repeated_characters / characters:.1%}"
    )
    print(f"removed {removed.total()} ({removed.total() / all_blocks:.1%}); share of a page's blocks: {quantiles(shares)}")
    by_rule: Counter[str] = Counter()
    for (rule, _), count in removed.items():
        by_rule[rule] += count
    kinds = [kind for kind, _ in emitted.most_common()]
    print(f"\n{'':<22}{'all':>16}" + "".join(f"{kind:>16}" for kind in kinds))
    print(f"{'emitted':<22}{all_blocks:>16}" + "".join(f"{emitted[kind]:>16}" for kind in kinds))
    print(f"{'repeats':<22}{share(repeats.total(), all_blocks)}" + "".join(share(repeats[kind], emitted[kind]) for kind in kinds))
    for rule, count in by_rule.most_common():
        cells = "".join(share(removed[rule, kind], emitted[kind]) for kind in kinds)
        print(f"{rule:<22}{share(count, all_blocks)}{cells}")
    print("\nwhere removed blocks stood")
    for place, count in places.most_common():
        print(f"  {place:<20}{share(count, removed.total())}")
    return 0


def find_repeats(blocks: Sequence[Block]) -> Iterator[bool]:
    """For each block whether its text and address stood on the page before."""
    seen: set[tuple[str, str | None]] = set()
    for block in blocks:
        key = ("".join(block.text.split()).casefold(), block.href)
        yield bool(key[0]) and key in seen
        seen.add(key)


def place_of(block: Block) -> str:
    if block.hidden:
        return "hidden"
    return block.region or ("widget" if block.widget else "elsewhere")


def share(count: int, of: int) -> str:
    return f"{count:>9} {count / of:>6.1%}" if of else f"{count:>16}"


def quantiles(shares: list[float]) -> str:
    ordered = sorted(shares)
    return ", ".join(f"{name} {ordered[int(at * (len(ordered) - 1))]:.1%}" for name, at in (("median", 0.5), ("90th", 0.9)))


if __name__ == "__main__":
    sys.exit(main())

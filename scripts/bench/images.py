"""Images from the network, measured on the loopback interface beside img2dataset's own command.

    python -m scripts.bench.images [http] [https] [memory] [kill] [logos]      (default: all)

http, https: CPU milliseconds an image of the fetching process, from the CPU of a whole command with many URLs less that of one with
a single URL, so that imports count for neither; the server runs in a process of its own. The full decode stands apart.
memory: how much larger a process gets with a body of 300 MiB and with a PNG of 144 megapixels.
kill: a fetch worker is killed, the run repeated; its bytes are compared with those of an undisturbed run.
logos: 10,000 documents that share 50 logos; the server counts the requests.
Figures depend on the machine; its load stands beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import resource
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.bench.fault_server import FaultServer, answer, endless
from scripts.bench.warc_builder import gzip_member, http_response, warc_record
from transforms.images.network.config import NetworkConfig

THREADS = 16
CONTACT = "https://crawler.example/about"
SETTINGS = NetworkConfig(
    user_agent_contact=CONTACT,
    allow_addresses=("127.0.0.0/8",),
    delay_per_host=0.0,
    connections_per_host=THREADS,
    in_flight=THREADS,
)
MEBIBYTE = 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=argparse.SUPPRESS)
    parser.add_argument("--images", type=int, default=1000, help="images of http and https (default: %(default)s)")
    parser.add_argument("--documents", type=int, default=10_000, help="documents of logos (default: %(default)s)")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="interleaf-bench-") as folder:
            PARTS[name](Path(folder), options)
    print(f"load {os.getloadavg()[0]:.1f}")
    return 0


def pictures(count: int, seed: int = 1) -> list[bytes]:
    """Images of the mix in images.md section 2: JPEG, PNG and WebP as 6 to 2 to 2, median of some 41 KB."""
    from PIL import Image

    chance = random.Random(seed)
    distinct = []
    for number in range(40):
        side = int(chance.lognormvariate(5.3, 0.35))
        blocks = Image.frombytes("RGB", (side // 4, side // 4), chance.randbytes(3 * (side // 4) ** 2))
        image = blocks.resize((2 * side, int(1.5 * side)), Image.Resampling.BICUBIC)
        body = io.BytesIO()
        kind = ("JPEG", "JPEG", "JPEG", "PNG", "WEBP")[number % 5]
        image.resize((side, side)).save(body, kind) if kind == "PNG" else image.save(body, kind, quality=85)
        distinct.append(body.getvalue())
    return [distinct[number % len(distinct)] for number in range(count)]


def bomb(side: int = 12_000) -> bytes:
    """A small PNG of so many pixels squared, one bit each."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    header = side.to_bytes(4, "big") * 2 + bytes([1, 0, 0, 0, 0])
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + side // 8)) for _ in range(side)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def command_cpu(command: Sequence[str], environment: dict[str, str]) -> float:
    """CPU seconds of a command and of all processes that it waited for."""
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime


def measure_fetch(folder: Path, options: argparse.Namespace, *, tls: bool) -> None:
    """CPU of ours and of img2dataset's command for the same URLs."""
    count = options.images
    (folder / "count").write_text(str(count))
    environment = {"NO_ALBUMENTATIONS_UPDATE": "1", "WANDB_MODE": "disabled", "PYTHONPATH": os.getcwd()}
    if tls:
        make_certificates(folder)
        environment["SSL_CERT_FILE"] = str(folder / "roots.pem")
    server = subprocess.Popen(
        [sys.executable, "-m", "scripts.bench.images", "--serve", str(folder)], env={**os.environ, **environment}
    )
    try:
        while not (folder / "port").exists():
            time.sleep(0.05)
        origin = f"{'https' if tls else 'http'}://localhost:{(folder / 'port').read_text()}"
        lists = {}
        for size in (1, count):
            lists[size] = folder / f"urls-{size}.txt"
            lists[size].write_text("".join(f"{origin}/{number}\n" for number in range(size)))
        ours = [sys.executable, "-m", "scripts.bench.images", "--fetch"]
        ways: dict[str, Callable[[int], list[str]]] = {
            "ours": lambda size: [*ours, str(lists[size])],
            "ours, with full decode": lambda size: [*ours, str(lists[size]), "--decode"],
            "img2dataset command": lambda size: theirs(lists[size], folder / f"out-{time.monotonic_ns()}"),
        }
        for name, command in ways.items():
            one = command_cpu(command(1), environment)
            many = command_cpu(command(count), environment)
            print(
                f"{'https' if tls else 'http '}  {name:<24} {1000 * (many - one) / (count - 1):7.2f} CPU-ms an image "
                f"({count} images; one image alone, imports included: {one:.1f} CPU-s)"
            )
    finally:
        server.terminate()
        server.wait()


def theirs(urls: Path, output: Path) -> list[str]:
    """img2dataset's command with as many threads, nothing re-encoded, no retry."""
    return [
        str(Path(sys.executable).parent / "img2dataset"), f"--url_list={urls}", "--input_format=txt", f"--output_folder={output}",
        "--output_format=files", "--processes_count=1", f"--thread_count={THREADS}", "--resize_mode=no",
        "--disable_all_reencoding=True", "--retries=0", "--enable_wandb=False", "--number_sample_per_shard=100000",
    ]  # fmt: skip


def fetch_list(urls: Path, decode: bool) -> None:
    """What a fetch shard does with its URLs, without or with the full decode; run as a process of its own."""
    from transforms.images.network.downloader import fetch_urls
    from transforms.images.network.fetch import Fetched
    from transforms.images.network.transport import Transport
    from transforms.images.optout import OptOutConfig
    from transforms.images.validate import ImageFacts, ImageLimits, validate_image

    found: Counter[str] = Counter()

    def take(fetched: Fetched) -> None:
        body = fetched.body or b""
        if decode:
            facts = validate_image(body, fetched.content_type, ImageLimits(min_side=1, max_aspect=None))
            found["ok" if isinstance(facts, ImageFacts) else facts.status] += 1
        else:
            found["ok" if hashlib.sha256(body).hexdigest() and fetched.failure is None else "failed"] += 1

    wanted = urls.read_text().split()
    fetch_urls(wanted, SETTINGS, OptOutConfig(), Transport(SETTINGS), take)
    if found["ok"] != len(wanted):
        raise RuntimeError(f"{found}")


def make_certificates(folder: Path) -> None:
    """A certificate for `localhost`, and the roots of the system with the one that signed it."""
    import certifi
    import trustme

    authority = trustme.CA()
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    (folder / "roots.pem").write_bytes(Path(certifi.where()).read_bytes() + authority.cert_pem.bytes())


def serve(folder: Path) -> None:
    """The image server, as a process of its own."""
    bodies = pictures(int((folder / "count").read_text()))
    context = None
    if (folder / "server.pem").exists():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem")
    routes = {f"/{number}": answer(body, content_type="image/jpeg") for number, body in enumerate(bodies)}
    with FaultServer(routes, context=context, max_seconds=500) as server:
        (folder / "port.new").write_text(str(server.port))
        os.replace(folder / "port.new", folder / "port")
        signal.sigwait({signal.SIGTERM})


def measure_memory(_: Path, options: argparse.Namespace) -> None:
    """Growth of a process that fetches and validates, by case."""
    for case in ("a picture", "300 MiB declared", "300 MiB without a length", "gzip of 300 MiB", "PNG of 144 megapixels"):
        command = [sys.executable, "-m", "scripts.bench.images", "--grow", case]
        print(f"memory  {case:<26} {subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()}")


def grow(case: str) -> None:
    """Prints what became of one case, and by how much the process grew; run as a process of its own."""
    from transforms.fetch_network_images import fetched_outcome
    from transforms.images.network.downloader import fetch_urls
    from transforms.images.network.transport import Transport
    from transforms.images.optout import OptOutConfig
    from transforms.images.prepare import StoredImageConfig
    from transforms.images.validate import ImageLimits
    from transforms.records import Outcome

    size = 300 * MEBIBYTE
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb_body = b"".join(packer.compress(bytes(MEBIBYTE)) for _ in range(300)) + packer.flush()
    routes = {
        "/a picture": answer(pictures(1)[0]),
        "/300 MiB declared": endless(size, f"Content-Length: {size}"),
        "/300 MiB without a length": endless(size),
        "/gzip of 300 MiB": answer(bomb_body, 200, "Content-Encoding: gzip"),
        "/PNG of 144 megapixels": answer(bomb()),
    }
    said: list[str] = []

    def fetch(path: str) -> None:
        url = server.url(path.replace(" ", "%20"))
        wanted = Outcome(b"", url, "not_in_archive")
        config = StoredImageConfig(ImageLimits(min_side=1, max_aspect=None))
        fetch_urls(
            [url], SETTINGS, OptOutConfig(), Transport(SETTINGS),
            lambda fetched: said.append(fetched_outcome(wanted, fetched, config)[0].status),
        )  # fmt: skip

    with FaultServer({path.replace(" ", "%20"): route for path, route in routes.items()}) as server:
        fetch("/a picture")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.process_time()
        fetch(f"/{case}")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = 1000 * (time.process_time() - started)
    print(f"{said[-1]:<16} peak +{(after - before) / 1024:.0f} MiB, {spent:.0f} CPU-ms with those of the server")


WORDS = (
    "The harbour was quiet in the morning, and the boats lay side by side in the pale light of a day in early autumn. "
    "People came down to the water with baskets and talked about the weather. "
)


def write_crawl(path: Path, documents: int, images: Callable[[int], Sequence[str]]) -> None:
    """An archive of pages that mention images."""
    with path.open("wb") as file:
        for number in range(documents):
            tags = "".join(f"<p>{WORDS}{number} {place}</p><img src='{url}'>" for place, url in enumerate(images(number)))
            html = f"<html><title>{number}</title><body><h1>Harbour {number}</h1>{f'<p>{WORDS}</p>' * 3}{tags}</body></html>"
            url = f"http://pages.example/{number}"
            file.write(gzip_member(warc_record(http_response(html.encode()), url, record_id=f"<urn:{number}>")))


def build_command(crawl: Path, output: Path, *settings: str) -> list[str]:
    """`interleaf build` with images from the loopback interface."""
    network = {"user_agent_contact": CONTACT, "allow_addresses": "[127.0.0.0/8]", "delay_per_host": 0.01}
    overrides = [
        "images.source=network", "extract.main_content.method=off", "output.shards=1",
        *(f"images.network.{name}={value}" for name, value in network.items()), *settings,
    ]  # fmt: skip
    command = [sys.executable, "-m", "pipelines.cli", "build", "--input", str(crawl), "--output", str(output), "--workers", "1"]
    return command + [part for override in overrides for part in ("--set", override)]


def measure_kill(folder: Path, _: argparse.Namespace) -> None:
    """Kills a build while it fetches, repeats it, and compares the bytes with those of an undisturbed one."""
    bodies = pictures(40)
    with FaultServer({f"/{number}": answer(body) for number, body in enumerate(bodies)}) as server:
        write_crawl(folder / "a.warc.gz", 10, lambda number: [server.url(f"/{n}") for n in range(40)])
        process = subprocess.Popen(build_command(folder / "a.warc.gz", folder / "out"), stderr=subprocess.DEVNULL)
        while len(server.paths()) < 20 and process.poll() is None:
            time.sleep(0.002)
        process.kill()
        process.wait()
        killed_at = len(server.paths())
        subprocess.run(build_command(folder / "a.warc.gz", folder / "out"), stderr=subprocess.DEVNULL, check=True)
        asked = Counter(server.paths())
        subprocess.run(build_command(folder / "a.warc.gz", folder / "clean"), stderr=subprocess.DEVNULL, check=True)
    same = tree(folder / "out") == tree(folder / "clean")
    print(
        f"kill    SIGKILL after {killed_at} of 40 requests; after the restart {sum(asked.values())} requests for {len(asked)} "
        f"URLs; all files equal to an undisturbed run's: {same}"
    )


def tree(run: Path) -> dict[str, str]:
    """sha256 of every file of a run but the one with its times."""
    files = (path for path in sorted(run.rglob("*")) if path.is_file() and path.name != "stats.json")
    return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def measure_logos(folder: Path, options: argparse.Namespace) -> None:
    """Many documents, few images: how often the server is asked, and what the stages cost."""
    logos, on_a_page = 50, 5
    bodies = pictures(logos, seed=2)
    chance = random.Random(3)
    with FaultServer({f"/{number}": answer(body) for number, body in enumerate(bodies)}, max_seconds=500) as server:
        urls = [server.url(f"/{number}") for number in range(logos)]
        write_crawl(folder / "a.warc.gz", options.documents, lambda number: chance.sample(urls, on_a_page))
        command = build_command(folder / "a.warc.gz", folder / "out", "images.max_docs_per_url=null", "images.limits.min_side=1")
        process = subprocess.Popen([*command, "--set", "guard.max_dropped=null"], stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"the build ended with {process.returncode}")
        asked = Counter(server.paths())
    stats = json.loads((folder / "out/stats.json").read_text())
    cpu = {stage: seconds for stage, seconds in stats["cpu_seconds"].items() if stage.startswith(("looked", "fetched", "outcomes"))}
    print(
        f"logos   {stats['stages']['documents']['out']:,} documents, {stats['stages']['image_nodes']['in']:,} mentions of {logos} "
        f"images: {sum(asked.values())} requests, at most {max(asked.values())} a URL; CPU-s of the image stages: "
        f"{cpu}; peak memory of the process {used.ru_maxrss / 1024:.0f} MiB"
    )


PARTS: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "http": lambda folder, options: measure_fetch(folder, options, tls=False),
    "https": lambda folder, options: measure_fetch(folder, options, tls=True),
    "memory": measure_memory,
    "kill": measure_kill,
    "logos": measure_logos,
}

CHILDREN: dict[str, Callable[[list[str]], None]] = {
    "--serve": lambda rest: serve(Path(rest[0])),
    "--fetch": lambda rest: fetch_list(Path(rest[0]), "--decode" in rest),
    "--grow": lambda rest: grow(rest[0]),
}
"""What this program does in processes of its own, so that each is measured alone."""


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in CHILDREN:
        CHILDREN[sys.argv[1]](sys.argv[2:])
        sys.exit(0)
    sys.exit(main())

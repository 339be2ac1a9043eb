"""A Spark cluster on this machine: standalone master, two workers and Beam's job server, for tests and trials.

    python -m scripts.spark_cluster up                   # some 30 s; the class path of the job server is made by Maven, once
    interleaf build --runner spark --input … --output …  # finds the cluster
    python -m scripts.spark_cluster status               # master, processes, tasks by executor, states of jobs
    python -m scripts.spark_cluster down

It needs Java 11 or 17, pyspark (`make spark`) and, the first time, Maven (`mvn`). Spark listens on 127.0.0.1, Beam's job server and
executors on all interfaces and without authentication: not for a machine that strangers can reach. See scripts/spark.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pipelines.errors import UsageError
from pipelines.spark_cluster import cluster_folder, read_cluster
from scripts.spark.class_path import SparkUnavailableError, make_class_path
from scripts.spark.processes import ClusterSize, StartError, master_state, running, start_cluster, stop_cluster


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; 0 done, 1 failed or not to be had, 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog="spark_cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=cluster_folder(),
        help="logs, scratch and cluster.json (default: $INTERLEAF_SPARK_CLUSTER or %(default)s)",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="command")
    up = commands.add_parser("up", help="start the cluster and wait until it takes jobs")
    size = ClusterSize()
    up.add_argument("--workers", type=int, default=size.workers, help="Spark workers (default: %(default)s)")
    up.add_argument("--cores", type=int, default=size.cores, help="cores of a worker, one executor each (default: %(default)s)")
    up.add_argument(
        "--executor-memory",
        type=int,
        default=size.executor_memory,
        metavar="MIB",
        help="heap of an executor (default: %(default)s)",
    )
    up.add_argument("--conf", action="append", default=[], metavar="spark.KEY=VALUE", help="a setting of Spark; may be repeated")
    commands.add_parser("down", help="stop all its processes")
    commands.add_parser("status", help="JSON: processes, the master's view, tasks by executor, states of jobs")
    commands.add_parser("jars", help="make the class path of the job server and print its folder")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    try:
        if options.command == "up":
            if options.workers < 1 or options.cores < 1 or any("=" not in setting for setting in options.conf):
                parser.error("--workers and --cores are at least 1, --conf is spark.KEY=VALUE")
            properties = dict(setting.split("=", 1) for setting in options.conf)
            cluster = start_cluster(folder, ClusterSize(options.workers, options.cores, options.executor_memory, properties))
            endpoint = cluster.options["job_endpoint"]
            print(f"up: {cluster.master_url}, {cluster.status_url}, job server {endpoint}; logs in {folder}/logs")
        elif options.command == "down":
            killed = stop_cluster(folder)
            print(f"down{f'; did not end by themselves: {chr(44).join(killed)}' if killed else ''}")
        elif options.command == "jars":
            print(make_class_path())
        else:
            return print_status(folder)
    except (SparkUnavailableError, StartError) as error:
        print(f"spark_cluster: {error}", file=sys.stderr)
        return 1
    except UsageError as error:
        print(f"spark_cluster: {error}", file=sys.stderr)
        return 2
    return 0


def print_status(folder: Path) -> int:
    """Prints the state of a folder's cluster as JSON; 1 when a process of it is not alive, or there is none."""
    from scripts.spark.jobs import applications, job_states

    cluster = read_cluster(folder)
    alive = running(folder)
    if cluster is None:
        print(f"spark_cluster: no cluster in {folder}", file=sys.stderr)
        return 1
    state = {
        "processes": {name: alive[name].pid if name in alive else None for name in cluster.processes},
        "master": master_state(cluster),
        "applications": [application.as_dict() for application in applications(folder / "events")],
        "jobs": job_states(cluster) if "job-server" in alive else {},
    }
    print(json.dumps(state, indent=1))
    return int(len(alive) < len(cluster.processes))


if __name__ == "__main__":
    sys.exit(main())

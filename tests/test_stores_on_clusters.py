"""Logs and outputs in a bucket, with the work done on a cluster of Dask."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.clusters import cluster_in
from support.conversions import GOLDEN_LOGS
from support.in_process import run
from support.processes import environment
from support.stores import Bucket, files_in

_LOGS = 24


@pytest.mark.seldom
def test_a_cluster_reads_and_writes_a_bucket_as_this_machine_does_a_disk(
    bucket: Bucket, tmp_path: Path
) -> None:
    logs = [GOLDEN_LOGS[number % len(GOLDEN_LOGS)] for number in range(_LOGS)]
    keys = {f"logs/{n:02}{log.suffix}": log.read_bytes() for n, log in enumerate(logs)}
    bucket.put(keys)
    # Where a report shortens a name depends on its length.
    place = "place".ljust(len(bucket.url), "-")
    (tmp_path / place / "logs").mkdir(parents=True)
    for key, content in keys.items():
        (tmp_path / place / key).write_bytes(content)
    (tmp_path / "cluster").mkdir()
    with cluster_in(tmp_path / "cluster") as cluster:
        # Each worker has the credentials in its own environment.
        for _ in range(2):
            cluster.add_worker(**bucket.environment)
        words = ["--engine", "dask", "--scheduler", cluster.address]

        for command in (
            ["{}/logs/", "-t", "markdown", "-o", "{}/made/"],
            ["table", "calls", "{}/logs/", "-o", "{}/made/calls.csv"],
            ["table", "runs", "{}/logs/", "-o", "{}/made/runs/", "--format", "ndjson"],
            ["stats", "{}/logs/", "-o", "{}/made/pages/"],
            ["diff", "{}/logs/", "{}/logs/", "-o", "{}/made/diff.md"],
        ):
            remote, local = (
                run(
                    [*(word.replace("{}", at) for word in command), *engine],
                    tmp_path,
                    environment(**bucket.environment),
                )
                for at, engine in ((bucket.url, words), (place, []))
            )

            assert remote.status == local.status
            assert without_place(remote.stderr, bucket.url) == without_place(
                local.stderr, place
            )
    made, local_made = bucket.objects("made/"), files_in(tmp_path / place / "made")
    assert made.keys() == local_made.keys()
    for name, content in made.items():
        assert without_place(content, bucket.url) == without_place(
            local_made[name], place
        ), name


def without_place(text: bytes, place: str) -> bytes:
    """Return a text without the places that it names, and without progress.

    A line of progress comes where a slow machine takes ten seconds.
    """
    text = re.sub(rb"(?m)^runconv: [\d,]+ of [\d,]+ logs, .*\n", b"", text)
    # Markdown shows a text with a URL as code.
    return text.replace(place.encode(), b"PLACE").replace(b"`", b"")

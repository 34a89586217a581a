"""A server of S3 on the loopback, and the contents of its buckets."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from support.libraries import need

# No other server may be asked for credentials.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "of-a-test",
    "AWS_SECRET_ACCESS_KEY": "of-a-test-too",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


class Bucket:
    """A bucket of the server, and the environment in which commands find it."""

    def __init__(self, name: str, endpoint: str) -> None:
        self.name = name
        self.environment = {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint}
        self.client = _client(endpoint)
        self.client.create_bucket(Bucket=name)

    @property
    def url(self) -> str:
        """Its URL, without a slash at the end."""
        return f"s3://{self.name}"

    def put(self, objects: Mapping[str, bytes]) -> None:
        """Write objects, by their keys."""
        for key, content in objects.items():
            self.client.put_object(Bucket=self.name, Key=key, Body=content)

    def put_folder(self, folder: Path, below: str = "") -> None:
        """Write the files of a folder below a key."""
        files = filter(Path.is_file, folder.rglob("*"))
        self.put({f"{below}{f.relative_to(folder)}": f.read_bytes() for f in files})

    def objects(self, below: str = "") -> dict[str, bytes]:
        """Return the contents of the objects below a key, by the rest of their keys."""
        listed = self.client.list_objects_v2(Bucket=self.name, Prefix=below)
        keys = [each["Key"] for each in listed.get("Contents", [])]
        return {key.removeprefix(below): self.content(key) for key in keys}

    def content(self, key: str) -> bytes:
        """Return the content of an object."""
        content: bytes = self.client.get_object(Bucket=self.name, Key=key)[
            "Body"
        ].read()
        return content

    @contextlib.contextmanager
    def closed_to_strangers(self) -> Iterator[None]:
        """Let the server deny, in a block, each request without a grant."""
        self._allow("0")
        try:
            yield
        finally:
            self._allow("inf")

    def _allow(self, requests: str) -> None:
        """Let the server answer so many more requests before it asks who asks."""
        place = f"{self.environment['AWS_ENDPOINT_URL']}/moto-api/reset-auth"
        plain = {"Content-Type": "text/plain"}
        with urlopen(Request(place, requests.encode(), plain)) as answer:
            answer.read()

    def uploads(self) -> list[str]:
        """Return the keys of objects that are being uploaded in parts."""
        found = self.client.list_multipart_uploads(Bucket=self.name)
        return [each["Key"] for each in found.get("Uploads", [])]


# It ends with this process.
_SERVER = """
import sys
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(f"http://{host}:{port}", flush=True)
sys.stdin.read()
"""


@functools.cache
def _client(endpoint: str) -> Any:
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        region_name=CREDENTIALS["AWS_DEFAULT_REGION"],
    )


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """Start a server of S3 as a process, whose threads are not ours; yield its address.

    Its lines about each request go nowhere.
    """
    need("moto", "s3fs")
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.stdin.close()


def forget_objects() -> None:
    """Forget the known states of objects, and the objects in memory."""
    from fsspec.implementations.memory import MemoryFileSystem

    from convert.scale import forget

    forget()
    MemoryFileSystem.store.clear()


def forget_filesystems() -> None:
    """Forget the filesystems of fsspec, whose settings may be those of another test."""
    import fsspec

    forget_objects()
    for kind in _kinds(fsspec.AbstractFileSystem):
        kind.clear_instance_cache()


def disconnect() -> None:
    """Close the filesystems of fsspec and end its thread: later tests may fork."""
    from fsspec import asyn

    forget_filesystems()
    # They close their connections when they are removed.
    gc.collect()
    loop, thread = asyn.loop[0], asyn.iothread[0]
    asyn.loop[0] = asyn.iothread[0] = None
    if loop is not None and thread is not None:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _kinds(kind: type[Any]) -> Iterator[type[Any]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files in a folder, by their paths there."""
    files = filter(Path.is_file, folder.rglob("*"))
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in files}

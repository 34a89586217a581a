"""The net change of a file of a run that was approved: contents by their digests."""

from __future__ import annotations

from msgspec import Struct

from convert.facts.edits import ABSENT, UNRECORDED, Missing
from convert.facts.net_changes import NetStatus
from convert.model.approved import ApprovedFile
from convert.wording.digests import blake2b


class Digest(Struct, frozen=True):
    """A content that is known by its digest."""

    text: str
    """The digest, in hexadecimal digits."""


Known = Digest | Missing


class ApprovedChange(Struct, frozen=True):
    """The change of one file by an approved run."""

    path: str
    """The path after the rules for noise."""

    status: NetStatus
    """The difference between the contents."""

    before: Known
    """The content before the first change."""

    after: Known
    """The content after the last change."""

    effect: Digest | None
    """The change from one to the other; None if it is not recorded."""

    line: int
    """The line of the log that records the change."""

    @property
    def counts(self) -> None:
        """The numbers of lines added and removed are not recorded."""


def digest_of(text: str) -> Digest:
    """Return the digest of a content."""
    data = text.encode("utf-8", "surrogatepass")
    return Digest(blake2b(data, digest_size=8).hexdigest())


def change_of(file: ApprovedFile, line: int) -> ApprovedChange:
    """Return the change that a trajectory has of a file."""
    statuses: dict[str, NetStatus] = {
        "new": "new",
        "deleted": "deleted",
        "unknown": "unknown",
    }
    return ApprovedChange(
        path=file.path,
        status=statuses.get(file.status, "changed"),
        before=ABSENT if file.status == "new" else _content(file.before),
        after=ABSENT if file.status == "deleted" else _content(file.after),
        effect=Digest(file.effect) if file.effect else None,
        line=line,
    )


def _content(digest: str) -> Known:
    return Digest(digest) if digest else UNRECORDED

"""What a user can ask of the writers."""

from __future__ import annotations

from msgspec import Struct


class Options(Struct, frozen=True):
    """The options of a conversion; every writer reads its own.

    `follows` says that something stands above the output already, so that answers
    keep an empty line between them across logs.
    """

    detail: bool = False
    language: str = "en"
    answer: bool = False
    partial: bool = False
    follows: bool = False

"""Libraries that some tests need, and that the extra `test` does not install."""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

_PROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
_NAME = re.compile(r"[\w.-]+")


def need(*names: str) -> None:
    """Skip a test, or a module, if one of these distributions is missing."""
    for name in missing(*names):
        pytest.skip(
            f"{name} is missing; the extra {_extras()[name]} installs it",
            allow_module_level=True,
        )


def missing(*names: str) -> list[str]:
    """Return the distributions of these that are not installed."""
    return [name for name in names if not _is_installed(name)]


@functools.cache
def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


@functools.cache
def _extras() -> dict[str, str]:
    """Return the extra of each distribution that tests may miss."""
    project = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]
    return {
        _NAME.match(requirement)[0]: extra  # type: ignore[index]
        for extra, requirements in project["optional-dependencies"].items()
        if extra.startswith("test-") or extra == "lint"
        for requirement in requirements
    }

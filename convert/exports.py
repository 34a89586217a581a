"""Names of a package that load their module when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def exports(package: str, modules: dict[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    `modules` has the names that each module defines, with blanks between them.
    """

    def load(name: str) -> Any:
        from importlib import import_module

        for module, names in modules.items():
            if name in names.split():
                return getattr(import_module(f"{package}.{module}"), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return load

"""The contract of import-linter about imports inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class LateImports(Contract):
    """Functions import only the modules of a list, and modules inside them.

    A module that no function imports any more has to leave the list.
    """

    folder = fields.StringField()
    modules = fields.SetField(subfield=fields.StringField())
    may_import_all = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Compare the imports inside functions with the list."""
        unused, refused = set(self.modules), []
        for path in sorted(Path(self.folder).rglob("*.py")):
            if path.as_posix() in (self.may_import_all or ()):
                continue
            for line, name in sorted(set(_late_imports(path.read_bytes()))):
                listed = {
                    each for each in self.modules if f"{name}.".startswith(f"{each}.")
                }
                unused -= listed
                if not listed:
                    refused.append(f"{path}:{line}: a function imports {name}")
        vain = [f"{name} is listed, but no function imports it" for name in unused]
        found = refused + sorted(vain)
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each import that is not listed, and each module listed in vain."""
        for sentence in check.metadata["found"]:
            output.print_error(sentence)


def _late_imports(source: bytes) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of each import inside a function."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                match node:
                    case ast.Import(names=names):
                        yield from ((node.lineno, each.name) for each in names)
                    case ast.ImportFrom(module=str(module), names=names):
                        yield from (
                            (node.lineno, f"{module}.{each.name}") for each in names
                        )

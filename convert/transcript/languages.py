"""The language or the media type of a file, by its name.

The names are those that code hosts highlight. The tables are our own, so that a
transcript does not change with a library.
"""

from __future__ import annotations

_LANGUAGES = {
    "bash": "sh bash zsh bashrc zshrc profile",
    "batch": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs",
    "cmake": "cmake cmakelists.txt",
    "cpp": "cc cpp cxx hpp hh hxx",
    "csharp": "cs",
    "css": "css",
    "csv": "csv",
    "dart": "dart",
    "diff": "diff patch",
    "dockerfile": "dockerfile containerfile",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "fsharp": "fs fsx",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle jenkinsfile",
    "haskell": "hs",
    "hcl": "hcl tf tfvars",
    "html": "html htm",
    "ini": "ini cfg conf editorconfig",
    "java": "java",
    "javascript": "js cjs mjs",
    "json": "json jsonc ndjson jsonl",
    "jsx": "jsx",
    "julia": "jl",
    "kotlin": "kt kts",
    "less": "less",
    "lua": "lua",
    "makefile": "mk makefile gnumakefile",
    "markdown": "md mdc mdx markdown",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php",
    "powershell": "ps1 psm1",
    "properties": "properties env",
    "protobuf": "proto",
    "python": "py pyi pyw",
    "r": "r",
    "ruby": "rb rake gemfile rakefile",
    "rust": "rs",
    "scala": "scala sbt",
    "scss": "scss",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts cts mts",
    "vue": "vue",
    "xml": "xml svg xsd xsl",
    "yaml": "yml yaml",
    "zig": "zig",
}
_BY_NAME = {
    name: language for language, names in _LANGUAGES.items() for name in names.split()
}


_MEDIA_TYPES = {
    "avif": "image/avif",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "png": "image/png",
    "webp": "image/webp",
    "zip": "application/zip",
}


def media_type_of(path: str) -> str:
    """Return the media type of a binary file by its suffix; empty if unknown."""
    return _MEDIA_TYPES.get(path.rpartition(".")[2].lower(), "")


def language_of(path: str) -> str:
    """Return the language of a file by its name or suffix; empty if unknown."""
    if language := _BY_NAME.get(path.rpartition(".")[2].lower()):
        # Most names have a suffix that says it.
        return language
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_NAME.get(name.rpartition(".")[2], "")

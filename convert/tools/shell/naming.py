"""Names of programs, of their subcommands, and of programs that run others."""

from __future__ import annotations

from msgspec import Struct

# Other names of a program.
NAMES = {
    "fdfind": "fd",
    "gmake": "make",
    "gradlew": "gradle",
    "mvnw": "mvn",
    "nodejs": "node",
    "py": "python",
    "py.test": "pytest",
}

# Nothing that a command is made for; it counts only if nothing else is run.
PREPARATION = {
    *("cd", "pushd", "popd", "set", "shopt", "source", ".", "eval", "ulimit", "umask"),
    *("echo", "printf", "true", "false", ":", "sleep", "wait", "read", "test", "["),
    *("exit", "return", "break", "continue", "trap", "alias", "hash", "clear"),
    *("conda activate", "nvm use"),
}


class Runner(Struct, frozen=True):
    """A program that runs another one in an environment."""

    subcommands: tuple[str, ...] = ()
    """The subcommands that do so; the program itself does without any."""

    values: tuple[str, ...] = ()
    """Options whose value is the next word."""

    interpreter: tuple[str, ...] = ()
    """The program whose words it takes."""


_UV = Runner(
    ("run",),
    (
        *("--with", "--extra", "--group", "--only-group", "--python", "-p", "--from"),
        *("--directory", "--project", "--package", "--env-file", "--index"),
    ),
)

RUNNERS = {
    "bundle": Runner(("exec",)),
    "bunx": Runner(),
    "conda": Runner(("run",), ("-n", "--name", "-p", "--prefix")),
    "coverage": Runner(("run",), ("--source", "--rcfile"), ("python",)),
    "exec": Runner((), ("-a",)),
    "hatch": Runner(("run",), ("-e", "--env")),
    "npm": Runner(("exec",), ("-p", "--package", "--prefix", "-w")),
    "npx": Runner((), ("-p", "--package")),
    "pdm": Runner(("run",), ("-p", "--project")),
    "pipenv": Runner(("run",)),
    "pipx": Runner(("run",), ("--spec",)),
    "pnpm": Runner(("exec", "dlx"), ("-C", "--dir", "--filter", "-F")),
    "poetry": Runner(("run",), ("-C", "--directory", "-P", "--project")),
    "rye": Runner(("run",)),
    "uv": _UV,
    "uvx": Runner((), _UV.values),
    "yarn": Runner(("exec", "dlx"), ("--cwd",)),
}


class Interpreter(Struct, frozen=True):
    """A program that runs a script."""

    values: tuple[str, ...] = ()
    """Options whose value is the next word."""

    code: tuple[str, ...] = ()
    """Options behind which a script is written out."""


_SHELL = Interpreter(("-o",), ("-c",))

INTERPRETERS = {
    "bash": _SHELL,
    "dash": _SHELL,
    "java": Interpreter(("-cp", "-classpath", "--class-path")),
    "lua": Interpreter((), ("-e",)),
    "node": Interpreter(
        ("-r", "--require", "--import", "--loader"), ("-e", "-p", "--eval", "--print")
    ),
    "osascript": Interpreter((), ("-e",)),
    "perl": Interpreter((), ("-e", "-E")),
    "php": Interpreter((), ("-r",)),
    "python": Interpreter(("-W", "-X"), ("-c",)),
    "Rscript": Interpreter((), ("-e",)),
    "ruby": Interpreter((), ("-e",)),
    "sh": _SHELL,
    "ts-node": Interpreter(("-P", "--project"), ("-e",)),
    "tsx": Interpreter((), ("-e",)),
    "zsh": _SHELL,
}

# Scripts whose first word says what they do.
SCRIPTS_WITH_SUBCOMMANDS = {"manage.py", "artisan"}


class Subcommands(Struct, frozen=True):
    """A program whose first word says what it does."""

    values: tuple[str, ...] = ()
    """Options before that word whose value is the next word."""

    deeper: tuple[str, ...] = ()
    """Subcommands whose first word says more."""

    is_deep: bool = False
    """All subcommands are of that kind."""


_NONE = Subcommands()
_DEEP = Subcommands(is_deep=True)

SUBCOMMANDS = {
    "ansible-galaxy": _DEEP,
    "apt": _NONE,
    "apt-get": _NONE,
    "aws": Subcommands(("--profile", "--region", "--output"), is_deep=True),
    "az": _DEEP,
    "bazel": _NONE,
    "brew": _NONE,
    "bun": Subcommands(deeper=("run",)),
    "bundle": _NONE,
    "cargo": Subcommands(("--manifest-path", "--config", "-Z", "-C")),
    "composer": _NONE,
    "conda": Subcommands(deeper=("env",)),
    "dart": _NONE,
    "deno": _NONE,
    "dnf": _NONE,
    "docker": Subcommands(
        ("-H", "--host", "--context", "--config", "-f", "--file", "-p"),
        ("compose", "container", "image", "network", "volume", "system", "buildx"),
    ),
    "docker-compose": Subcommands(("-f", "--file", "-p", "--project-name")),
    "dotnet": Subcommands(deeper=("ef", "tool")),
    "flutter": _NONE,
    "gcloud": _DEEP,
    "gh": Subcommands(("-R", "--repo"), is_deep=True),
    "git": Subcommands(
        ("-C", "-c", "--git-dir", "--work-tree"),
        (
            *("bisect", "lfs", "notes", "reflog", "remote", "stash", "submodule"),
            *("worktree",),
        ),
    ),
    "go": Subcommands(("-C",), ("mod", "tool")),
    "gradle": Subcommands(("-p", "--project-dir", "-x")),
    "helm": Subcommands(("-n", "--namespace"), ("repo",)),
    "hatch": Subcommands(("-e", "--env")),
    "just": Subcommands(("-f", "--justfile", "-d")),
    "kubectl": Subcommands(("-n", "--namespace", "--context"), ("config", "rollout")),
    "make": Subcommands(("-C", "-f", "-I", "-o", "-W", "--directory", "--file")),
    "mix": _NONE,
    "mvn": Subcommands(("-f", "--file", "-pl", "-P")),
    "npm": Subcommands(("--prefix", "-w", "--workspace"), ("run", "config")),
    "nx": _NONE,
    "pdm": _NONE,
    "pip": _NONE,
    "pipenv": _NONE,
    "pipx": _NONE,
    "pnpm": Subcommands(("-C", "--dir", "--filter", "-F")),
    "poetry": Subcommands(("-C", "--directory", "-P", "--project")),
    "pre-commit": _NONE,
    "rails": _NONE,
    "rake": _NONE,
    "ruff": _NONE,
    "rustup": _NONE,
    "rye": _NONE,
    "service": _NONE,
    "swift": _NONE,
    "systemctl": _NONE,
    "task": _NONE,
    "terraform": Subcommands(deeper=("state", "workspace")),
    "turbo": Subcommands(deeper=("run",)),
    "uv": Subcommands(_UV.values, ("pip", "tool", "python", "cache")),
    "yarn": Subcommands(("--cwd",)),
    "yum": _NONE,
}

# Two ways to say the same.
ALIASES = {
    **{f"npm run {name}": f"npm {name}" for name in ("test", "start", "stop")},
    "npm i": "npm install",
    "npm t": "npm test",
    "pnpm i": "pnpm install",
}

# Programs that run a script of a package with `run` and without it.
RUN_IS_IMPLIED = {"pnpm", "yarn"}

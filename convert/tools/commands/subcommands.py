"""The subcommands of programs that are known to change nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from convert.tools.commands.rules import Rule
from convert.tools.commands.words import UNKNOWN
from convert.wording.compiled import compiled

# Settings that only say what output looks like. Others name programs to run.
_HARMLESS_SETTING = (
    r"(?i)(?:color\.[\w.]+|core\.quote[pP]ath|core\.abbrev|core\.autocrlf|log\.\w+"
    r"|diff\.(?:renames|noprefix|context|algorithm)|advice\.\w+|safe\.directory)=[^\0]*"
    r"|(?:core\.pager|pager\.\w+)=(?:cat|false|)"
)


def _has_harmless_settings(words: Sequence[str]) -> bool:
    """Return True if no `-c` before a subcommand of git names a program to run."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return True
        value = next(rest, UNKNOWN) if word in _GIT_VALUES else ""
        if word == "-c" and not compiled(_HARMLESS_SETTING).fullmatch(value):
            return False
    return True


def _has_options(*options: str) -> Callable[[Sequence[str]], bool]:
    """Return a check that words have no options but these, each a word of its own."""
    return lambda words: all(
        word in options or not word.startswith(("-", UNKNOWN)) for word in words
    )


def _always(names: str) -> dict[str, tuple[Rule, ...]]:
    return {name: (Rule(),) for name in names.split()}


_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree")
_LISTING_BRANCHES = (
    *("-a", "-r", "-v", "-l", "--all", "--remotes", "--verbose", "--list", "--column"),
    *("--show-current", "--sort", "--format", "--color", "--no-color", "--no-column"),
    *("--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
    *("--abbrev", "--no-abbrev", "--ignore-case"),
)
_LISTING_TAGS = (
    *("-l", "--list", "-n", "--sort", "--format", "--column", "--no-column", "--color"),
    *("--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
    *("--ignore-case",),
)
_ASKING = ("--list", "--contains", "--no-contains", "--merged", "--no-merged")
# All of them take the options of `git diff`.
_READS = (
    *("log", "diff", "show", "blame", "shortlog", "rev-list", "whatchanged"),
    *("range-diff", "diff-tree", "diff-files", "diff-index"),
)

_LOG = (Rule(acts_with=("--output",)),)

_GIT = Rule(
    only_with=(
        *("--no-pager", "-P", "-C", "-c", "--git-dir", "--work-tree"),
        *("--no-optional-locks", "--literal-pathspecs"),
    ),
    values=_GIT_VALUES,
    check=_has_harmless_settings,
    subcommands={
        **_always("status rev-parse ls-files ls-tree describe cat-file merge-base"),
        **_always("name-rev show-ref for-each-ref show-branch cherry count-objects"),
        **_always("check-ignore check-attr version"),
        **dict.fromkeys(_READS, _LOG),
        "grep": (Rule(acts_with=("-O", "--open-files-in-pager")),),
        "branch": (
            Rule(only_with=_LISTING_BRANCHES, operands=0),
            Rule(only_with=_LISTING_BRANCHES, needs=_ASKING),
        ),
        "tag": (
            Rule(only_with=_LISTING_TAGS, operands=0),
            Rule(only_with=_LISTING_TAGS, needs=(*_ASKING, "-l", "-n")),
        ),
        "config": (
            Rule(needs=("--get", "--get-all", "--get-regexp", "--list", "-l")),
            Rule(subcommands=_always("get list")),
        ),
        "remote": (
            Rule(only_with=("-v", "--verbose"), subcommands=_always("show get-url")),
            Rule(only_with=("-v", "--verbose"), operands=0),
        ),
        "stash": (Rule(subcommands={"list": _LOG, "show": _LOG}),),
        "reflog": (
            Rule(acts_with=("--output",), operands=0),
            Rule(acts_with=("--output",), subcommands={"show": _LOG}),
        ),
        "worktree": (Rule(subcommands=_always("list")),),
        "submodule": (Rule(subcommands=_always("status")),),
        "symbolic-ref": (Rule(only_with=("--short", "-q", "--quiet"), operands=1),),
    },
    looks=(
        "git --no-pager log --oneline -20 -- src",
        "git -C sub -c color.ui=never -c core.pager=cat diff --stat HEAD~1",
        "git status --short",
        "git show HEAD~1:src/x.py",
        "git diff -- $x",
        "git grep -n x",
        "git branch",
        "git branch -vv --sort=-committerdate",
        "git branch --contains abc",
        "git tag -l 'v*'",
        "git tag --sort=v:refname",
        "git config --get user.name",
        "git config -l",
        "git config get user.name",
        "git remote -v",
        "git remote get-url origin",
        "git stash list",
        "git stash show -p stash@{0}",
        "git reflog",
        "git worktree list",
        "git submodule status",
        "git symbolic-ref --short HEAD",
    ),
    acts=(
        "git",
        "git push",
        "git $x",
        "git diff --output=x",
        "git log --outp x",
        "git log $x",
        "git grep -Ovim x",
        "git -c core.pager=./run log",
        "git -c diff.external=./run diff",
        "git -c alias.log=x log",
        "git --exec-path=x log",
        "git branch new",
        "git branch -v new",
        "git branch -d old",
        "git branch --list -D old",
        "git tag v1",
        "git tag -d v1",
        "git tag -a -l v1",
        "git config user.name x",
        "git config --unset user.name",
        "git remote add x y",
        "git remote -v update",
        "git stash",
        "git stash pop",
        "git stash show --output=x",
        "git reflog show --output=x",
        "git reflog expire --all",
        "git worktree add x",
        "git submodule update",
        "git symbolic-ref HEAD refs/heads/x",
        "git symbolic-ref -d HEAD",
    ),
)

_PIP = Rule(
    only_with=(),
    subcommands=_always("list show freeze check"),
    looks=("pip list --outdated", "pip show x"),
    acts=("pip install x", "pip", "pip --log x list"),
)

_NPM = Rule(
    only_with=(),
    subcommands=_always("ls list view info outdated why explain"),
    looks=("npm ls --depth=0", "npm view x version"),
    acts=("npm test", "npm publish", "npm --prefix x ls"),
)

_DOCKER = Rule(
    only_with=(),
    subcommands={
        **_always("ps images logs inspect version info top port"),
        "compose": (
            Rule(
                only_with=("-f", "--file", "-p", "--project-name"),
                values=("-f", "--file", "-p", "--project-name"),
                subcommands=_always("ps logs images top version"),
            ),
        ),
        "container": (Rule(subcommands=_always("ls list inspect logs top")),),
        "image": (Rule(subcommands=_always("ls list inspect history")),),
        "network": (Rule(subcommands=_always("ls list inspect")),),
        "volume": (Rule(subcommands=_always("ls list inspect")),),
    },
    looks=(
        "docker ps -a",
        "docker logs --tail 20 x",
        "docker compose -f x.yml ps",
        "docker container ls",
        "docker image history x",
        "docker network ls",
        "docker volume inspect x",
    ),
    acts=(
        "docker run x",
        "docker compose up",
        "docker container rm x",
        "docker image prune",
        "docker network create x",
        "docker volume rm x",
    ),
)

_KUBECTL = Rule(
    only_with=("-n", "--namespace", "--context"),
    values=("-n", "--namespace", "--context"),
    subcommands={
        **_always("get describe logs version explain top api-resources api-versions"),
        "config": (Rule(subcommands=_always("view current-context get-contexts")),),
    },
    looks=("kubectl -n x get pods -o wide", "kubectl config current-context"),
    acts=("kubectl delete pod x", "kubectl config use-context x"),
)

# A browser is opened for all to see.
_SEEN = (Rule(acts_with=("-w", "--web")),)


def _seen(names: str) -> tuple[Rule, ...]:
    return (Rule(subcommands=dict.fromkeys(names.split(), _SEEN)),)


_GH = Rule(
    values=("-R", "--repo"),
    subcommands={
        "pr": _seen("view list diff checks status"),
        "issue": _seen("view list status"),
        "run": _seen("view list"),
        "release": _seen("view list"),
        "repo": _seen("view list"),
        "workflow": _seen("view list"),
    },
    looks=(
        "gh pr view 3 --json title",
        "gh -R a/b pr checks",
        "gh issue list",
        "gh run view 7 --log",
        "gh release list",
        "gh repo view",
        "gh workflow list",
    ),
    acts=(
        "gh pr merge 3",
        "gh pr view 3 --web",
        "gh issue close 3",
        "gh run rerun 7",
        "gh release create v1",
        "gh repo delete x",
        "gh workflow run x",
        "gh api x",
    ),
)

WITH_SUBCOMMANDS: dict[str, Rule] = {
    "cargo": Rule(
        only_with=(),
        subcommands=_always("tree metadata version"),
        looks=("cargo tree -i x", "cargo metadata --no-deps"),
        acts=("cargo test", "cargo --config x tree"),
    ),
    "docker": _DOCKER,
    "gh": _GH,
    "git": _GIT,
    "go": Rule(
        only_with=(),
        subcommands={
            **_always("version doc"),
            "list": (Rule(check=_has_options("-m", "-json", "-deps", "-e", "-f")),),
            "env": (Rule(check=_has_options("-json")),),
        },
        looks=("go version", "go list ./...", "go env GOPATH"),
        acts=("go test ./...", "go env -w GOFLAGS=x", "go list -mod=mod ./..."),
    ),
    "kubectl": _KUBECTL,
    "npm": _NPM,
    "pip": _PIP,
    "pnpm": Rule(
        only_with=(),
        subcommands=_always("ls list why outdated"),
        looks=("pnpm ls",),
        acts=("pnpm install",),
    ),
    "yarn": Rule(
        only_with=(),
        subcommands=_always("list info why"),
        looks=("yarn why x",),
        acts=("yarn", "yarn add x"),
    ),
}

"""The programs and subcommands that are known to change nothing, and with which words.

A wrong row here hides what a command did, so a program is in these tables only if it is
sure. A row that is missing only makes a command count as one that acts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from convert.tools.shell.rules import Rule, awk_only_prints, sed_only_prints
from convert.tools.shell.syntax import UNKNOWN
from convert.wording import compiled


def _has_no_index(words: Sequence[str]) -> bool:
    """Return True if no word has an index, which could be a command."""
    return not any("[" in word for word in words)


# With any options and operands.
ALWAYS = {
    *(":", "true", "false", "exit", "return", "break", "continue", "shift"),
    *("cd", "pushd", "popd", "dirs", "pwd", "set", "shopt", "wait", "jobs", "type"),
    *("echo", "sleep", "seq", "yes", "expr", "factor", "numfmt", "cal"),
    *("ls", "cat", "head", "tail", "wc", "nl", "tac", "rev", "cut", "tr", "paste"),
    *("join", "fold", "fmt", "pr", "expand", "unexpand", "column", "comm", "cmp"),
    *("diff", "grep", "egrep", "fgrep", "zgrep", "zcat", "bzcat", "xzcat", "zstdcat"),
    *("od", "hexdump", "strings", "cksum", "sum", "md5sum", "sha1sum", "sha224sum"),
    *("sha256sum", "sha384sum", "sha512sum", "b2sum", "jq", "look", "tsort"),
    *("stat", "du", "df", "which", "whereis", "basename", "dirname", "realpath"),
    *("readlink", "whoami", "id", "groups", "users", "who", "uname", "arch"),
    *("nproc", "uptime", "free", "lscpu", "lsblk", "ps", "pgrep", "pidof", "tty"),
    *("printenv", "getconf", "locale"),
}

# With some options and operands only.
WITH_CONDITIONS: dict[str, Rule] = {
    "ag": Rule(
        acts_with=("--pager",),
        looks=("ag -l x src",),
        acts=("ag --pager 'sh run' x",),
    ),
    "awk": Rule(
        check=awk_only_prints,
        looks=(
            "awk '{print $1}' \"$f\"",
            "awk -F: -v n=3 '$3 > n || $4 { print }'",
            "awk -F '|' 'NR>1'",
        ),
        acts=(
            "awk '{print > \"x\"}'",
            "awk 'BEGIN { system(\"rm x\") }'",
            "awk '{ print | \"sh\" }'",
            "awk '@include \"script\"'",
            "awk -f script x",
            "awk -i inplace '{}' x",
            'awk "$script"',
            "awk",
        ),
    ),
    "base64": Rule(
        acts_with=("-o", "--output"),
        looks=("base64 -d x",),
        acts=("base64 -o y x", "base64 --out=y x"),
    ),
    "command": Rule(
        needs=("-v", "-V"),
        looks=("command -v node",),
        acts=("command node x",),
    ),
    "date": Rule(
        acts_with=("-s", "--set"),
        operands=0,
        values=("-d", "--date", "-r", "--reference"),
        looks=("date", "date -u +%s", "date -d yesterday '+%F %T'"),
        acts=("date -s 12:00", "date --set=12:00", "date 01020304", 'date "$x"'),
    ),
    "fd": Rule(
        acts_with=("-x", "-X", "--exec", "--exec-batch"),
        looks=("fd -e py .", "fd -H x src"),
        acts=("fd -e py -x rm", "fd . --exec-batch rm"),
    ),
    "file": Rule(
        acts_with=("-C", "--compile"),
        looks=("file -b x",),
        acts=("file -C -m magic",),
    ),
    "find": Rule(
        acts_with=(
            *("-delete", "-exec", "-execdir", "-ok", "-okdir"),
            *("-fprint", "-fprint0", "-fprintf", "-fls"),
        ),
        looks=(
            "find",
            "find . -type f -name '*.py' -not -path './.git/*' -print0",
            "find . \\( -name a -o -name b \\) -newer x",
        ),
        acts=(
            "find . -delete",
            "find . -exec grep -l x {} +",
            "find . -name x -ok rm {} \\;",
            "find . -fprintf x %p",
            "find . $more",
            "find {.,-delete}",
        ),
    ),
    "hostname": Rule(
        acts_with=("-b", "--boot", "-F", "--file"),
        operands=0,
        looks=("hostname", "hostname -f"),
        acts=("hostname other", "hostname -F x", "hostname $x"),
    ),
    "iconv": Rule(
        acts_with=("-o", "--output"),
        looks=("iconv -f latin1 -t utf8 x",),
        acts=("iconv -f latin1 x -o y",),
    ),
    "json.tool": Rule(
        operands=1,
        looks=("python -m json.tool x", "cat x | python3 -m json.tool"),
        acts=("python -m json.tool x y",),
    ),
    "printf": Rule(
        check=lambda words: words[:1] != ["-v"],
        looks=("printf '%s\\n' \"a\" b",),
        acts=("printf -v x y",),
    ),
    "read": Rule(
        only_with=("-r", "-p", "-d", "-n", "-t", "-s", "-e"),
        values=("-p", "-d", "-n", "-t"),
        looks=("read -r line", "read -rp 'Name: ' a b"),
        acts=("read -a x", 'read "$x"', "read 'x[$(rm y)]'"),
        check=_has_no_index,
    ),
    "rg": Rule(
        acts_with=("--pre", "--hostname-bin"),
        looks=("rg -n 'a|b' src -g '*.py'", 'rg --files src/"$x" | head'),
        acts=("rg --pre ./run x", "rg --hostname-bin=./run x", 'rg "$x"'),
    ),
    "sed": Rule(
        check=sed_only_prints,
        looks=(
            "sed -n '1,40p' x",
            "sed -n -e '/^def /,/^$/p' -e '$=' x",
            "sed -E 's/[0-9]+([a-z])/\\1/gI; 3q' x",
            "sed 's#a/b#c#' x",
        ),
        acts=(
            "sed -i s/a/b/ x",
            "sed -ni p x",
            "sed --in-place=.bak s/a/b/ x",
            "sed -n 'w y' x",
            "sed -n '/a/w y' x",
            "sed 's/a/b/w y' x",
            "sed '1e rm y' x",
            "sed 's/a/rm y/e' x",
            "sed -n '1p;w y' x",
            "sed 's/[/]/g;s/;w f/x/' x",
            "sed -f script x",
            'sed -n "${n}p" x',
            'sed -n 1p "$x"',
            "sed",
        ),
    ),
    "shuf": Rule(
        acts_with=("-o", "--output"),
        looks=("shuf -n 3 x",),
        acts=("shuf -o y x",),
    ),
    "sort": Rule(
        acts_with=("-o", "--output", "--compress-program"),
        looks=("sort -u x", "sort -t, -k2,2nr x", "sort -- $x"),
        acts=("sort -o x x", "sort -uo x x", "sort --outp=x x", 'sort "$x"'),
    ),
    "test": Rule(
        check=_has_no_index,
        looks=("test -f x", 'test "$x" = y', "[ -d x ]"),
        acts=("test -v 'x[$(rm y)]'",),
    ),
    "tree": Rule(
        acts_with=("-o", "-R"),
        values=("-L", "-I", "-P"),
        looks=("tree -L 2 -I node_modules src",),
        acts=("tree -o x", "tree -R -L 1 -H ."),
    ),
    "uniq": Rule(
        operands=1,
        values=("-f", "-s", "-w"),
        looks=("uniq -c x", "uniq -f 1 x"),
        acts=("uniq x y", "uniq *", "uniq {x,y}", "uniq $x"),
    ),
    "xxd": Rule(
        operands=1,
        values=("-l", "-s", "-c", "-g"),
        looks=("xxd -l 16 x",),
        acts=("xxd x y", "xxd -r x y"),
    ),
    "yq": Rule(
        acts_with=("-i", "--inplace", "--in-place", "-s", "--split-exp"),
        looks=("yq .a x",),
        acts=("yq -i '.a = 1' x", "yq --inplace .a x"),
    ),
}

# Programs whose version and help change nothing, besides those of the other tables.
ASKED = {
    *("python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "java"),
    *("javac", "gcc", "g++", "clang", "cmake", "make", "rustc", "rustup", "tsc"),
    *("pytest", "ruff", "mypy", "black", "eslint", "prettier", "bash", "zsh", "tar"),
    *("curl", "wget", "ssh", "rsync", "psql", "sqlite3", "aws", "terraform", "helm"),
}
QUESTIONS = {"--version", "--help", "-V"}


def _has_options(*options: str) -> Callable[[Sequence[str]], bool]:
    """Return a check that words have no options but these, each a word of its own."""
    return lambda words: all(
        word in options or not word.startswith(("-", UNKNOWN)) for word in words
    )


def _always(names: str) -> dict[str, tuple[Rule, ...]]:
    return {name: (Rule(),) for name in names.split()}


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
PROGRAMS: dict[str, Rule] = {
    **dict.fromkeys(ALWAYS, Rule()),
    **WITH_CONDITIONS,
    **WITH_SUBCOMMANDS,
    "fdfind": WITH_CONDITIONS["fd"],
    "gawk": WITH_CONDITIONS["awk"],
    "mawk": WITH_CONDITIONS["awk"],
    "pip3": WITH_SUBCOMMANDS["pip"],
}

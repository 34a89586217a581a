"""The programs that are known to change nothing, and with which words.

A wrong row here hides what a command did, so a program is in these tables only if it is
sure. A row that is missing only makes a command count as one that acts.
"""

from __future__ import annotations

from collections.abc import Sequence

from convert.tools.commands.rules import Rule
from convert.tools.commands.scripts import awk_only_prints, sed_only_prints
from convert.tools.commands.subcommands import WITH_SUBCOMMANDS


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

PROGRAMS: dict[str, Rule] = {
    **dict.fromkeys(ALWAYS, Rule()),
    **WITH_CONDITIONS,
    **WITH_SUBCOMMANDS,
    "fdfind": WITH_CONDITIONS["fd"],
    "gawk": WITH_CONDITIONS["awk"],
    "mawk": WITH_CONDITIONS["awk"],
    "pip3": WITH_SUBCOMMANDS["pip"],
}

"""Shell commands: which of them look, which program runs, and in which directory."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from convert.tools import (
    ASKED,
    PROGRAMS,
    WRAPPERS,
    Rule,
    Wrapper,
    led_by_directory,
    only_looks,
    parse,
    plain_syntax,
    program_of,
    without_directory,
)
from convert.tools.shell import harmless
from support.matrix import each, matrix, part

ALWAYS = [name for name, rule in PROGRAMS.items() if rule == Rule()]


def rules_below(rule: Rule) -> Iterator[Rule]:
    """Yield a rule and those of its subcommands."""
    yield rule
    for rules in rule.subcommands.values():
        for below in rules:
            yield from rules_below(below)


def examples(row: Rule | Wrapper) -> tuple[list[str], list[str]]:
    """Return the commands of a row that look, and those that act."""
    rows = [*rules_below(row)] if isinstance(row, Rule) else [row]
    looking = [command for each in rows for command in each.looks]
    return looking, [command for each in rows for command in each.acts]


ROWS: list[tuple[str, Rule | Wrapper]] = [
    *((name, rule) for name, rule in PROGRAMS.items() if rule != Rule()),
    *WRAPPERS.items(),
]
LOOKING = [command for _, row in ROWS for command in examples(row)[0]]
ACTING = [command for _, row in ROWS for command in examples(row)[1]]
every_row = each(("name", "row"), ROWS)


@every_row
def test_each_row_has_commands_that_look(name: str, row: Rule | Wrapper) -> None:
    looking, _ = examples(row)

    assert looking
    assert [command for command in looking if not only_looks(command)] == []


@every_row
def test_each_row_has_commands_that_act(name: str, row: Rule | Wrapper) -> None:
    _, acting = examples(row)

    assert acting
    assert [command for command in acting if only_looks(command)] == []


@every_row
def test_the_examples_of_a_row_are_about_its_program(
    name: str, row: Rule | Wrapper
) -> None:
    names = [other for other, rule in ROWS if rule is row]
    looking, acting = examples(row)
    others = [
        command
        for command in looking + acting
        if not any(name in command for name in names)
    ]

    assert [command for command in others if command != "[ -d x ]"] == []


def test_each_program_has_one_place() -> None:
    text = (Path(harmless.__file__).parent / "harmless.ini").read_text("utf-8")
    always, _, rules = text.partition("[version and help]\n")
    listed = re.findall("^programs = (.*)$", always, re.MULTILINE)
    headings = re.findall(r"^\[([^:\n]*)\]$", rules, re.MULTILINE)

    names = [name for line in listed for name in line.split()]
    names += [name for heading in headings for name in heading.split(", ")]

    assert sorted(names) == sorted(PROGRAMS)


@each("name", sorted(ALWAYS))
def test_a_program_that_always_looks_acts_only_by_a_redirection(name: str) -> None:
    assert only_looks(f"{name} --any x")
    assert only_looks(f"{name} $any")
    assert not only_looks(f"{name} x > y")


@each(
    ("program", "name"),
    [
        (program, name)
        for program, rule in PROGRAMS.items()
        for name in rule.subcommands
    ],
)
def test_each_subcommand_has_an_example(program: str, name: str) -> None:
    looking, acting = examples(PROGRAMS[program])
    rules = [
        replace(rule, looks=(), acts=()) for rule in PROGRAMS[program].subcommands[name]
    ]

    if any(rule != Rule(acts_with=rule.acts_with) for rule in rules):
        assert any(f" {name}" in command for command in looking)
        assert any(f" {name}" in command for command in acting)
    else:
        assert only_looks(f"{program} {name} x")


def options_that_act() -> list[tuple[str, str]]:
    """Each command with an option with which it acts."""
    found = []
    waiting = [*PROGRAMS.items()]
    for command, rule in waiting:
        found += [(command, option) for option in rule.acts_with]
        for name, rules in rule.subcommands.items():
            waiting += [(f"{command} {name}", below) for below in rules]
    return found


@each(("command", "option"), options_that_act())
def test_each_option_that_acts_is_found(command: str, option: str) -> None:
    assert not only_looks(f"{command} {option}")
    assert not only_looks(f"{command} x {option} y")
    assert not only_looks(f"{command} '{option}=y'") or not option.startswith("--")


@each("name", sorted((ASKED | PROGRAMS.keys()) - {":", "json.tool"}))
def test_a_version_can_be_asked_for(name: str) -> None:
    assert only_looks(f"{name} --version")
    assert not only_looks(f"./{name} --version")


def test_a_question_is_the_only_word() -> None:
    assert not only_looks("python x.py --version")
    assert not only_looks("python --version x.py")
    assert not only_looks("./deploy --help")


# `{}` is replaced; each command in such a list may run.
PLACES = [
    "{}",
    "ls; {}",
    "ls && {}",
    "ls || {}",
    "{} | head",
    "head x |& {}",
    "( {} )",
    "{{ {}; }}",
    "! {}",
    'echo "a $({}) b"',
    "echo `{}`",
    "echo ${{x:-$({})}}",
    "echo $((1 + $({})))",
    "cat <({})",
    "x=$({})",
    "export x=$({})",
    "if {}; then ls; fi",
    "if ls; then {}; else pwd; fi",
    "for x in *; do {}; done",
    "for x in $({}); do ls; done",
    "while {}; do ls; done < x",
    "case $x in a) {};; esac",
    "{} 2>/dev/null",
    "{} >/dev/null 2>&1",
    "[ -f x ] && {}",
    "ls # nothing\n{}",
    "ls \\\n  && {}",
    "cat <<END\n$({})\nEND",
    "time {}",
    "cd x && {} &",
]
# A backtick is not within backticks, nor `[` after `time`.
PLAIN = [command for command in LOOKING + ACTING if not set(command) & set("`$\"'\\&[")]


@given(
    st.sampled_from(PLAIN),
    st.sampled_from(PLAIN),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
)
def test_a_command_looks_if_each_command_in_it_looks(
    one: str, other: str, place: str, outer: str
) -> None:
    made = place.format(one)
    nested = f"{outer.format(made)}\n{other}"

    looks = only_looks(one) and only_looks(other)
    assert only_looks(f"{made}\n{other}") == looks
    # Not every nesting can be parsed, and `$((` begins a sum, which changes nothing.
    assert looks or "$((" in nested or not only_looks(nested)


@each("place", PLACES)
def test_a_command_that_acts_is_found_in_each_place(place: str) -> None:
    assert only_looks(place.format("grep x y"))
    assert not only_looks(place.format("rm y"))


@each(
    "command",
    [
        "cat a.txt 2>&1 | sort | uniq -c | head -20",
        "ls 2>/dev/null >&2",
        "ls >&-",
        "cat < x",
        "cat <<'END'\n`rm x` $(rm x)\nEND",
        'grep -q x <<< "$y"',
        "ls > >(head)",
        "sleep 5 &",
        "x=1; y=$x; export z",
        "GIT_PAGER=cat git log -3",
        "LC_ALL=C sort x",
        "# nothing",
        "'ls' -l",
        'l"s" -l',
        "\\ls",
        "/usr/bin/head x",
        "/bin/ls",
        "/opt/homebrew/bin/rg x",
        "bash -c 'ls | head'",
        'bash -lc "cd x && git status"',
        "sh -euo pipefail -c ls",
        "sudo -u app env A=b timeout 5 cat x",
        "cd 'my src' && cat x",
        "git log --grep '$(x)' --format='`'",
        "[[ $a =~ ^(x|y)$ && -f b ]] || exit 1",
        "echo a" + " | cat" * 600,
    ],
)
def test_a_command_is_known_to_look(command: str) -> None:
    assert only_looks(command)


@each(
    "command",
    [
        "",
        " \n",
        "ls > x",
        "ls >> x",
        "ls &> x",
        "ls >| x",
        "ls >& x",
        "ls 2> x",
        "ls > 1",
        "ls <> x",
        "> x",
        "ls > $x",
        "ls > /dev/sda",
        # The words after the target belong to the program.
        "sort > /dev/null -o x y",
        "sort <<END -o x\nEND",
        "./ls",
        "~/bin/ls",
        "$x y",
        "`which rm` x",
        "eval ls",
        "source x",
        ". x",
        "exec ls",
        "trap ls EXIT",
        "alias ls=rm; ls",
        "ls() { rm x; }; ls",
        "function ls { cat x; }",
        "PATH=.:$PATH ls",
        "export PATH=.; ls",
        "export 'PATH=.'; ls",
        "for PATH in .; do ls; done",
        "LD_PRELOAD=./x ls",
        "GIT_EXTERNAL_DIFF=./x git diff",
        "PAGER=./x git log",
        "env PATH=. ls",
        "unset 'x[$(rm y)]'",
        "[[ 'x[$(rm y)]' -eq 0 ]]",
        "x='y[$(rm z)]'; echo $((x))",
        "x='$(rm y)'; echo ${x@P}",
        "cat <<END\n`rm x`\nEND",
        "cat <<-END\n\t$(rm x)\n\tEND",
        'echo "${x:-`rm y`}"',
        "echo `echo \\`rm x\\``",
        "echo `ls \\`date\\` b`",
        "cat <<'END' | sh\nrm x\nEND",
        "bash x",
        "bash",
        'bash -c "$x"',
        'bash -c "ls #$x"',
        "bash -ic ls",
        "bash -c 'rm x'",
        "bash --rcfile x -c ls",
        "sudo -s ls",
        "python -m ls",
        "python -c 'print()'",
        "curl x",
        "less x",
        "ls 'x",
        "ls (",
        "if ls; then",
        "ls\0",
        "echo a\0b",
        "ls \udc80",
        "ls " + "x" * 20_000,
        "sort '-'\\o x y",
        "- a=b",
        "ls\u2028-l",
        "ls \\ -l",
        # The parser takes these words for further files of a redirection.
        "sort < a -o b",
        "ls 2> /dev/null x",
        "echo a" + " | cat" * 601,
    ],
)
def test_a_command_is_not_known_to_look(command: str) -> None:
    assert not only_looks(command)


@each(
    ("name", "commands"),
    [
        (
            "pytest",
            [
                "pytest",
                "python -m pytest",
                "python3 -m pytest -x",
                "python3.12 -um pytest",
                ".venv/bin/pytest",
                ".venv\\Scripts\\pytest.exe -q",
                "C:\\app\\.venv\\Scripts\\python.exe -m pytest",
                "uv run pytest",
                "uv run --with x python -m pytest",
                "poetry run pytest",
                "coverage run -m pytest",
                "cd x && FOO=1 sudo pytest -q 2>&1 | tail -20",
                "source .venv/bin/activate && pytest",
                "set -e; export A=b; pytest",
                "x=$(git rev-parse HEAD) && pytest",
                "bash -lc 'cd x && pytest'",
                "timeout 60 pytest",
                "(pytest)",
                "if [ -d tests ]; then pytest; fi",
                "py.test",
            ],
        ),
        ("npm test", ["npm test", "npm run test", "npm t", "npm --prefix x test"]),
        ("npm publish", ["npm publish"]),
        ("npm run build", ["npm run build -- --watch"]),
        ("yarn build", ["yarn build", "yarn run build"]),
        ("jest", ["npx jest", "npx --yes jest x", "./node_modules/.bin/jest"]),
        (
            "git status",
            ["git status", "git -C x --no-pager status", "/usr/bin/git status"],
        ),
        ("git push", ["git push origin main"]),
        ("git stash pop", ["git stash pop"]),
        ("git", ["git --version"]),
        ("docker compose up", ["docker compose -f x.yml up -d"]),
        ("gh pr create", ["gh -R a/b pr create"]),
        ("make test", ["make test", "make -j 4 CC=x test lint", "gmake -C x test"]),
        ("make", ["make"]),
        ("cargo test", ["cargo test", "cargo +nightly test"]),
        ("gradle test", ["./gradlew test", "gradle test"]),
        ("python scripts/deploy.py", ["python scripts/deploy.py --prod"]),
        ("python x.py", ["python3 ./x.py", "python -u x.py", "./x.py", "uv run x.py"]),
        (
            "python manage.py migrate",
            ["python manage.py migrate", "./manage.py migrate"],
        ),
        ("python -c", ["python -c 'print()'"]),
        ("python -", ["python - < x"]),
        ("python", ["python", "python - <<'END'\nprint(')\nEND"]),
        ("node build.js", ["node build.js", "node --inspect ./build.js"]),
        ("bash run.sh", ["bash run.sh", "bash -x ./run.sh x"]),
        ("bash -c", ['bash -c "$x"']),
        ("./run.sh", ["./run.sh", "sudo ./run.sh"]),
        ("scripts/run.sh", ["./scripts/run.sh", "scripts/run.sh"]),
        ("tee", ["echo x | tee y"]),
        ("echo", ["echo x", "cd y && echo x"]),
        ("cd", ["cd x"]),
        ("$", ["$x y"]),
        ("", ["", " \n"]),
        ("'unclosed", ["'unclosed x"]),
        ("cat", ["cat > x <<END\n" + "x" * 20_000 + "\nEND"]),
        ("tar", ["cd x && tar xf y\n)"]),
        ("\udc80", ["\udc80 x"]),
    ],
)
def test_a_command_is_known_by_its_program(name: str, commands: list[str]) -> None:
    assert {command: program_of(command) for command in commands} == dict.fromkeys(
        commands, name
    )


@given(
    st.sampled_from(LOOKING + ACTING),
    st.sampled_from(["cd x && ", "A=b; ", "set -e\n"]),
)
def test_preparation_does_not_change_the_program(command: str, before: str) -> None:
    # A test is preparation itself, as in `[ -d x ] && make`.
    assume(not command.startswith("["))

    assert program_of(before + command) == program_of(command)


@pytest.mark.parametrize("end", [" && ", "; ", ";", "\n", " &&\\\n  ", "&&"])
@each(
    ("directory", "written"),
    [
        ("/w/app", "/w/app"),
        ("/w/app", "/w/app/"),
        ("/w/app/", "'/w/app'"),
        ("/w/app", '/w/"app"'),
        ("/w/app", "."),
        ("", "./"),
        ("/", "/"),
        ("/w/my app", "'/w/my app'"),
        ("/w/my app", '"/w/my app/"'),
        ("/w/my app", "/w/my\\ app"),
        ("/w/it's", '"/w/it\'s"'),
        ("/tmp/x", "/private/tmp/x"),
        ("/private/var/x", "/var/x"),
        ("C:\\app", "C:\\app"),
        ("C:\\app", "/d c:\\app\\"),
        ("c:\\app", "C:/app"),
        ("C:\\app", "C:\\App"),
        ("C:\\my app", '"C:\\my app"'),
        ("C:\\app", "/c/app"),
        ("/w/app", "-- /w/app"),
    ],
)
def test_changing_to_the_own_directory_is_cut(
    directory: str, written: str, end: str
) -> None:
    assert without_directory(f"cd {written}{end}ls | head", directory) == "ls | head"


@each(
    ("directory", "command"),
    [
        ("/w/app", "cd /w && ls"),
        ("/w/app", "cd /w/app/x && ls"),
        ("/w/app", "cd /w/app-old && ls"),
        ("/w/app", "cd app && ls"),
        ("/w/app", "cd /w/app || ls"),
        ("/w/app", "cd /w/app & ls"),
        ("/w/app", "cd /w/app | ls"),
        ("/w/app", "cd /w/app > x && ls"),
        ("/w/app", "cd /w/app;; ls"),
        ("/w/app", "cd /w/app"),
        ("/w/app", "cd /w/app && "),
        ("/w/app", "cd /w/app &&"),
        ("/w/app", "cdx /w/app && ls"),
        ("/w/app", "ls && cd /w/app && ls"),
        ("/w/app", "cd '/w/app && ls"),
        ("/w/$x", 'cd "/w/$x" && ls'),
        ("/w/*", "cd /w/* && ls"),
        ("/w/app", "cd /W/app && ls"),
        ("/c/app", "cd C:\\app && ls"),
        ("", "cd / && ls"),
        ("", "cd '' && ls"),
        ("/tmp/x", "cd /private/tmpx && ls"),
    ],
)
def test_another_change_of_directory_stays(directory: str, command: str) -> None:
    assert without_directory(command, directory) == command


@each(
    ("command", "shown"),
    [
        ("git -C /w/app status", "git status"),
        ("git -C '/w/app/' log | head", "git log | head"),
        ("cd /w/app && git -C . diff && git -C /w/app log", "git diff && git log"),
        ("git -C /w/x status", "git -C /w/x status"),
        ("cd x && git -C /w/app status", "cd x && git -C /w/app status"),
        ("make -C /w/app", "make -C /w/app"),
        ("git -C /w/app", "git -C /w/app"),
    ],
)
def test_git_in_the_own_directory_does_without_it(command: str, shown: str) -> None:
    assert without_directory(command, "/w/app") == shown


@each(
    ("command", "place"),
    [
        ("cd src && ls", "src"),
        ("cd 'a b' && ls", "a b"),
        ("cd - && ls", ""),
        ("cd $X && ls", ""),
        ("cd && ls", ""),
        ("ls", ""),
    ],
)
def test_the_folder_of_a_command_is_that_of_a_cd_before_it(
    command: str, place: str
) -> None:
    assert led_by_directory(command) == (place, "ls" if place else command)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1))
def test_any_directory_is_found_in_quotes(name: str) -> None:
    directory = f"/w/{name}x"

    assert without_directory(f"cd {shlex.quote(directory)} && ls", directory) == "ls"


@given(st.text() | st.text(alphabet="ls'\"`$(){}[]<>|&;\\#! \n=-@*\0\udc80"))
def test_no_text_breaks_a_parser(text: str) -> None:
    assert only_looks(text) in (True, False)
    assert isinstance(program_of(text), str)
    assert without_directory("cd " + text, "/w").endswith(text[-1:])


# A command can consist of these, which take long to parse.
PIECES = [
    *("(", "$(", "`", "{", "${x:-", "<(", "[[ ", "((", "if ", "case x in @(", ")"),
    *("ls|", "ls&&", "ls;", "<", "<<a ", "a[", "a=b ", "! ", "'", '"', "\\", "{a,"),
    *("x ", "\0", "sudo ", "bash -c ", "-e p ", "'a'", "ls\n", "\\x", "cd ", "/"),
]


@matrix(piece=part(PIECES, 3), before=["", "cd ", "sed '", "xargs "])
def test_a_hostile_command_takes_no_longer_than_another(
    piece: str, before: str
) -> None:
    for size in (5_000, 500_000):
        command = before + piece * (size // len(piece))

        assert only_looks(command) in (True, False)
        assert isinstance(program_of(command), str)
        assert len(without_directory(command, "C:\\x")) <= len(command)


def test_the_tables_and_the_parser_are_loaded_when_a_command_is_judged() -> None:
    code = """
import sys
from convert.facts.changed_files import acts
from convert.tools.shell import only_looks
from convert.tools.subjects import without_directory
without_directory("cd . && ls", "/w")
print(*sys.modules)
only_looks("ls | head")
print(*sys.modules)
"""
    slow = {"tree_sitter", "tree_sitter_bash", "convert.tools.shell.harmless"}

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )

    before, after = (set(line.split()) for line in done.stdout.splitlines())
    assert not before & slow
    assert slow <= after


@given(
    st.lists(
        st.text("abz019_./- ", min_size=1, max_size=8)
        | st.sampled_from(["if", "export", "time", "git", "-c", "do", "local", "in"]),
        max_size=6,
    )
)
def test_plain_words_are_taken_apart_as_the_parser_does(words: list[str]) -> None:
    command = " ".join(words)
    plain = plain_syntax(command)

    # With a semicolon, it is the parser that takes it apart.
    assert plain is None or plain == parse(f"{command};")


@each("before", ["{", "a {", "x{", "${", "ls\n{"])
def test_no_character_after_a_brace_crashes_the_parser(before: str) -> None:
    for wide in (
        "\u0152",
        "\u3000",
        "\uffff",
        "\U000326ca",
        "\U0009c6ca",
        "\U0010ffff",
    ):
        assert only_looks(f"{before}{wide}") is False
        assert only_looks(f"ls '{wide}'") is only_looks("ls 'a'") is True


def test_a_document_ends_at_its_own_delimiter() -> None:
    hidden = "cat <<\u0152\n\u0153\ncat <<B\n\u0152\nrm -r x\nB"

    assert only_looks("cat <<B\n\u0153\nB")
    assert not only_looks(hidden)

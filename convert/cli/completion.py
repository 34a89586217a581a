"""The command `completion`: a script with which a shell completes command lines.

shtab writes the scripts from a parser with all commands. The command `convert` is
implied, so its options and logs are completed where no command is named.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from typing import Any

from convert.cli.commands import (
    HELP,
    IMPLIED,
    SHELLS,
    command_names,
    commands,
    option_sets,
)
from convert.errors import ExitStatus, UsageError, with_nearest
from convert.options.option_set import Option

_USAGE = """\
usage: runconv completion SHELL

Print a script that completes the commands, options, values and files of
runconv. SHELL is one of bash, zsh, fish and powershell.

  bash        source <(runconv completion bash), in ~/.bashrc
  zsh         eval "$(runconv completion zsh)", in ~/.zshrc below compinit
  fish        runconv completion fish > ~/.config/fish/completions/runconv.fish
  powershell  runconv completion powershell | Out-String | Invoke-Expression,
              in the file that $PROFILE names
"""
# Options whose value is a path.
_PATHS = {"config", "files_from", "log", "output"}

_ANY = "..."
# Added to the scripts of shtab: the first word may be a log, too, and options without a
# command are those of the implied one. In zsh, shtab completes only one log.
_MORE = {
    "bash": """
_shtab_runconv_pos_0_COMPGEN=_shtab_compgen_files
# Bash splits --option=value at the sign, unless COMP_WORDBREAKS lacks it.
_runconv() {{
  local word before='' joined='' last=$COMP_CWORD words=() i
  for ((i = 0; i <= last; i++)); do
    word=${{COMP_WORDS[i]}} joined=''
    if [[ $word == --*=* ]]; then
      joined=${{word%%=*}}=
      words+=("${{word%%=*}}")
      word=${{word#*=}}
    elif [[ $word == '=' && $before == --* ]]; then
      ((i < last)) && continue
      word=''
    fi
    words+=("$word")
    before=$word
  done
  local COMP_WORDS=("${{words[@]}}") COMP_CWORD=$((${{#words[@]}} - 1))
  _shtab_runconv
  COMPREPLY=("${{COMPREPLY[@]/#/$joined}}")
}}
complete -o bashdefault -F _runconv runconv
""",
    "zsh": """
_shtab_runconv_{implied}_options+=('*:log:_files')
_runconv() {{
  if (( CURRENT == 2 )) || [[ " {commands} " != *" ${{words[2]}} "* ]]; then
    (( CURRENT == 2 )) && [[ ${{words[2]}} != -* ]] && _shtab_runconv_commands
    words=(runconv {implied} "${{(@)words[2,-1]}}")
    (( CURRENT += 1 ))
  fi
  _shtab_runconv "$@"
}}
compdef _runconv runconv
""",
    "fish": """
complete -c runconv -n '_shtab_runconv_using; and test $_shtab_runconv_npos -eq 0' \
-ka "(__fish_complete_path (commandline -ct))"
""",
    "powershell": """
$_shtab_runconv_compgens['_shtab_runconv_pos_0'] = '_shtab_powershell_compgen_files'
""",
}
# Replacements in the scripts of shtab, so that values follow a = as well: zsh needs a
# sign for that, and fish completes files there if it searches for them itself.
_WITH_SIGN = {
    "zsh": (r"^(  (?:\"|\{-\w,)--[\w-]+)(?=\}?\"?\[.*\]:[A-Z]+:)", r"\1="),
    "fish": (
        r'( -l \S+) -xka "\(__fish_complete_path \(commandline -ct\)\)"',
        r"\1 -rF",
    ),
}


def main(arguments: list[str]) -> int:
    """Print the script for a shell; return the exit status."""
    from convert.cli.destination import print_text

    if {*arguments} & {"-h", "--help"}:
        print_text(_USAGE)
        return ExitStatus.CONVERTED
    if len(arguments) != 1:
        raise UsageError(f"completion takes one shell: {', '.join(SHELLS)}")
    # The one of PowerShell is spelled with capitals.
    shell = arguments[0].lower()
    if shell not in SHELLS:
        advice = with_nearest(shell, SHELLS, f"choose from {', '.join(SHELLS)}")
        raise UsageError(f"no completion for '{arguments[0]}' ({advice})")
    print_text(script(shell))
    return ExitStatus.CONVERTED


def script(shell: str) -> str:
    """Return the script for a shell."""
    import shtab

    made: str = shtab.complete(parser(shell), shell)
    if shell in _WITH_SIGN:
        made = re.sub(*_WITH_SIGN[shell], made, flags=re.MULTILINE)
    names = " ".join([*command_names(), HELP])
    more = _MORE[shell].format(commands=names, implied=IMPLIED)
    return made.rstrip("\n") + "\n" + more


def parser(shell: str) -> ArgumentParser:
    """Return a parser of all commands, as shtab needs it."""
    whole = ArgumentParser("runconv", add_help=False)
    _add_options(whole, IMPLIED)
    parsers: Any = whole.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in commands().items():
        one = parsers.add_parser(name, help=command.about, add_help=False)
        _add_options(one, name)
        for word in command.words:
            one.add_argument("word", choices=word)
        for log in command.logs:
            if shell != "zsh" or not log.endswith(_ANY):
                _add_path(one, log)
    topics = parsers.add_parser(HELP, help="print the help", add_help=False)
    topics.add_argument("word", choices=[*command_names()])
    if shell != "zsh":
        _add_path(whole, _ANY)
    return whole


def _add_options(one: ArgumentParser, command: str) -> None:
    import shtab

    for kind in option_sets(command):
        for row in kind.options().values():
            added: Any = one.add_argument(
                *row.flags,
                *(f"--no-{flag[2:]}" for flag in row.flags if row.is_negatable),
                help=row.description.replace("%", "%%"),
                **_traits(row),
            )
            if row.name in _PATHS:
                added.complete = shtab.FILE


def _traits(row: Option) -> dict[str, Any]:
    if row.kind is bool:
        return {"action": "store_true"}
    return {"metavar": row.metavar, "choices": _choices(row) or None}


def _choices(row: Option) -> list[str]:
    """Return the words that an option takes; none if there is no list of them."""
    from convert.formats import readers, writers

    if row.name in ("source", "from_a", "from_b"):
        return ["auto", *readers()]
    return [*writers()] if row.name == "target" else [*row.choices]


def _add_path(one: ArgumentParser, log: str) -> None:
    """Add a log, or any number of them."""
    import shtab

    added: Any = one.add_argument(log, nargs="*" if log.endswith(_ANY) else 1)
    added.complete = shtab.FILE

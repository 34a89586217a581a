"""An option, stated once as a field of an `OptionSet`, and the values that it may have.

The field says the type, the default, the bounds, the flags and the help. The parser of
the command line, `--help`, the names in a settings file and the checks in Python are
made from it. Modules that state options do not import msgspec, so that `--help` does
not wait for it, nor annotations from __future__, since the types are read.
"""

import re
import sys
import warnings
from collections.abc import Callable
from typing import (
    Any,
    ClassVar,
    Literal,
    Self,
    dataclass_transform,
    get_args,
    get_origin,
)

from convert.errors import UsageError, with_nearest
from convert.wording import split_command
from convert.wording.numbers import in_words

# Raises ValueError with an advice for a value that cannot be used.
Check = Callable[[Any], object]


def invalid_value(name: str, value: Any, advice: str) -> UsageError:
    """Return the error for a value that an option cannot have."""
    shown = f"'{value}'" if isinstance(value, str) else repr(value)
    return UsageError(f"invalid value for {name}: {shown} ({advice})")


class Option:
    """One option: a field of an `OptionSet`, read-only on its instances.

    help           a description, with `{choices}` and `{default}` to be filled in
    section        its heading in the help; by default, of its formats
    formats        the formats that it is for, if not for all
    flags          those of the command line, the long one last; by default its name
    metavar        its value in the help, empty for a switch
    least, most    the bounds of a number
    is_size        a number of bytes, or a text with a unit, such as "64kB"
    is_amount      a number, or a text with a unit, such as "50k"
    is_split       a list whose words may be separated by commas
    is_negatable   a switch that `--no-NAME` turns off
    is_hidden      set only by the program
    is_rare        shown by `--help all` and in the manual only
    as_choice      returns the choice for another spelling of it
    check          called with each value that has the right type
    advice         the possible values, if type and bounds do not show them
    """

    name = ""
    kind: type = str
    choices: tuple[str, ...] = ()
    is_list = False

    def __init__(
        self,
        default: Any,
        help: str,
        *,
        section: str = "",
        formats: tuple[str, ...] = (),
        flags: str = "",
        metavar: str = "",
        least: int = 0,
        most: int = sys.maxsize,
        is_size: bool = False,
        is_amount: bool = False,
        is_split: bool = False,
        is_negatable: bool = False,
        is_hidden: bool = False,
        is_rare: bool = False,
        as_choice: Callable[[str], str] | None = None,
        check: Check | None = None,
        advice: str = "",
    ) -> None:
        self.default = default
        self.help = help
        of_formats = f"options for {in_words([*formats])}" if formats else ""
        self.section = section or of_formats
        self.formats = formats
        self.flags = flags.split(", ") if flags else []
        self.metavar = metavar
        self.least = least
        self.most = most
        self.is_size = is_size
        self.is_amount = is_amount
        self.is_split = is_split
        self.is_negatable = is_negatable
        self.is_hidden = is_hidden
        self.is_rare = is_rare
        self.as_choice = as_choice
        self.check = check
        self._advice = advice

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        if not self.flags:
            self.flags = [f"--{name.replace('_', '-')}"]
        kind: Any = owner.__annotations__[name]
        if get_origin(kind) is tuple:
            self.is_list = True
            kind = get_args(kind)[0]
        if get_origin(kind) not in (None, Literal):
            # The first of a union is the type, the other is None.
            kind = get_args(kind)[0]
        if get_origin(kind) is Literal:
            self.choices = get_args(kind)
        else:
            self.kind = kind
        # For the builtin help().
        self.__doc__ = self.description

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else instance.__dict__[self.name]

    def __set__(self, instance: object, value: Any) -> None:
        raise AttributeError(f"{self.name} cannot be changed; use replace()")

    @property
    def long_name(self) -> str:
        """The name in a settings file."""
        return self.flags[-1].removeprefix("--")

    @property
    def description(self) -> str:
        """The help, with the choices and the default put in."""
        if "{" not in self.help:
            return self.help
        marks = {self.default: " (default)"} if self.choices else {}
        choices = ", ".join(word + marks.get(word, "") for word in self.choices)
        default = size_with_unit(self.default) if self.is_size else str(self.default)
        return self.help.format(choices=choices, default=default)

    @property
    def advice(self) -> str:
        """The values to choose from, for a message about another value."""
        if self._advice:
            return self._advice
        if self.choices:
            return f"choose from {', '.join(self.choices)}"
        if self.kind in (str, bool):
            return "write text" if self.kind is str else "choose from true, false"
        if self.most < sys.maxsize:
            bounds = f" from {self.least} to {self.most}"
        else:
            bounds = f", {self.least} or more"
        if self.is_size:
            return f"choose a number of bytes{bounds}, as in 65536 or 1.5MB"
        if self.is_amount:
            return f"choose a whole number{bounds}, as in 50000 or 50k"
        return f"choose a {'whole ' * (self.kind is int)}number{bounds}"

    def parsed(self, given: Any) -> Any:
        """Return the value of the words of a command line."""
        called = self.flags[-1]
        if self.kind is bool:
            return given
        if not self.is_list:
            return self._read(given, called, self._parse)
        words = [word.strip() for text in given for word in text.split(",")]
        if self.is_split:
            # A list of checked values must not be empty by accident.
            words = [word for word in words if word] or (words if self.check else [])
        else:
            words = given
        return tuple(self._read(word, called, self._parse) for word in words)

    def checked(self, value: Any, called: str) -> Any:
        """Return a value as the field holds it; errors name the option `called`."""
        if value is None and self.default is None:
            return None
        if not self.is_list:
            return self._read(value, called, self._check)
        if not isinstance(value, list | tuple):
            raise invalid_value(called, value, "write a list")
        return tuple(self._read(item, called, self._check) for item in value)

    def _read(self, value: Any, called: str, reads: Callable[[Any], Any]) -> Any:
        try:
            return reads(value)
        except ValueError as error:
            raise invalid_value(called, value, str(error) or self.advice) from error

    def _parse(self, text: str) -> Any:
        if self.is_size or self.is_amount:
            return self._check(text)
        if self.kind is int and not re.fullmatch(r"-?\d{1,15}", text, re.ASCII):
            raise ValueError
        try:
            value = self.kind(text)
        except ValueError:
            raise ValueError from None
        return self._check(value)

    def _choice(self, value: Any) -> str:
        """Return the choice for a value; raises ValueError for anything else."""
        choice = self.as_choice(value) if self.as_choice else value
        if choice not in self.choices:
            raise ValueError(with_nearest(value, self.choices, self.advice))
        return choice

    def _check(self, value: Any) -> Any:
        if isinstance(value, str) and (self.is_size or self.is_amount):
            if self.is_amount and value.lower().endswith("b"):
                raise ValueError
            value = number_of_bytes(value)
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind is not Any and type(value) is not self.kind:
            raise ValueError
        if self.choices and value not in self.choices:
            value = self._choice(value)
        if isinstance(value, int | float) and not self.least <= value <= self.most:
            raise ValueError
        if self.check is not None:
            self.check(value)
        return value


def option(*, default: Any, help: str, **traits: Any) -> Any:
    """State an option, as the value of a field; `traits` are those of `Option`."""
    return Option(default, help, **traits)


class _Signature:
    """The signature of a set's constructor, for help() and editors."""

    def __get__(self, instance: object, owner: type["OptionSet"]) -> Any:
        # Imported here: it takes longer than to start the command.
        from inspect import Parameter, Signature

        rows = owner.options().items()
        return Signature(
            [
                Parameter(name, Parameter.KEYWORD_ONLY, default=row.default)
                for name, row in rows
            ]
        )


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_BINARY = {"k": 2**10, "m": 2**20, "g": 2**30}


def number_of_bytes(text: str) -> int:
    """Parse a number of bytes: 65536, 200MB, 1.5G, 1MiB; a kB is 1,000, a KiB 1,024."""
    match = re.fullmatch(
        r"(\d{1,15}(?:\.\d{1,9})?) ?([kmg]?)(?:b?|(?<=[kmg])(?P<binary>ib))",
        text.lower(),
        re.ASCII,
    )
    if match is None:
        raise ValueError
    unit = (_BINARY if match["binary"] else _UNITS)[match[2]]
    return int(float(match[1]) * unit)


def size_with_unit(number: int | None) -> str:
    """Write a number of bytes as `number_of_bytes` reads it."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(option,)
)
class OptionSet:
    """Options that belong together; their values are checked and do not change.

    Raises UsageError for a value that an option cannot have.
    """

    _options: ClassVar[dict[str, Option]] = {}
    # The argument of the functions in Python that takes the set.
    _argument: ClassVar[str] = ""
    __signature__ = _Signature()

    def __init_subclass__(cls) -> None:
        own = {name: row for name, row in vars(cls).items() if isinstance(row, Option)}
        cls._options = cls._options | own

    def __init__(self, **values: Any) -> None:
        for name, row in self._options.items():
            self.__dict__[name] = row.default
        self._take(values)

    def _take(self, values: dict[str, Any]) -> None:
        """Check values and take them."""
        if not values.keys() <= self._options.keys():
            raise TypeError(self._unknown(min(values.keys() - self._options.keys())))
        for name in filter(values.__contains__, self._options):
            self.__dict__[name] = self._options[name].checked(values[name], name)
        self.settle()

    @classmethod
    def _unknown(cls, name: str) -> str:
        """Return the message about a name that is not one of the options."""
        for other in OptionSet.__subclasses__():
            if other._argument and name in other.options():
                called = other.__name__
                return (
                    f"{name} belongs to {called}: {other._argument}={called}({name}=…)"
                )
        return f"no option '{name}'; choose from {', '.join(cls.options())}"

    @classmethod
    def or_default(cls, given: Self | None) -> Self:
        """Return the set that a caller passes, the defaults for None."""
        if given is None:
            return cls()
        if not isinstance(given, cls):
            kind = type(given).__name__
            raise TypeError(f"{cls._argument} takes {cls.__name__}(…), not {kind}")
        return given

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._options:
            raise AttributeError(f"{type(self).__name__} has no option '{name}'")
        super().__setattr__(name, value)

    def settle(self) -> None:
        """Complete the values, for a set in which one option implies another."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return the options by name, in order, without the hidden ones."""
        return {name: row for name, row in cls._options.items() if not row.is_hidden}

    def replace(self, **changes: Any) -> Self:
        """Return the same options with changes."""
        made = type(self).__new__(type(self))
        # They have been checked, unlike the changes.
        made.__dict__.update(self.__dict__)
        made._take(changes)
        return made

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, without the hidden ones."""
        return {name: self.__dict__[name] for name in self.options()}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        values = (f"{name}={self.__dict__[name]!r}" for name in self.options())
        return f"{type(self).__name__}({', '.join(values)})"


# A heading in the help.
SECRETS = "secrets and limits"

RUN_ADVICE = "choose a whole number other than 0; 1 is the first run, -1 the last"


def check_run(number: int) -> None:
    """Raise ValueError for anything but the number of a run."""
    if type(number) is not int or number == 0:
        raise ValueError(RUN_ADVICE)


def check_pattern(pattern: str) -> None:
    """Raise ValueError for anything but a regular expression that is not empty."""
    if not pattern:
        raise ValueError("write a regular expression")
    try:
        with warnings.catch_warnings():
            # They are about patterns with another meaning in a later Python.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error


def language(text: str) -> str:
    """Return the code of a language that is written as in a locale: `en_US.UTF-8`."""
    return re.split(r"[-_.@]", text, maxsplit=1)[0].lower()


def report_name(text: str) -> str:
    """Return the name of the report for a suffix of its files."""
    from convert.reports import FORMATS

    suffixes = {suffix: row.name for row in FORMATS.values() for suffix in row.suffixes}
    return suffixes.get(f".{text}", "ndjson" if text == "jsonl" else text)


_DURATION = "".join(
    rf"(?:(?P<{name}>\d{{1,9}}(?:\.\d{{1,9}})?){name})? ?"
    for name in ("h", "m", "s", "ms")
)
_MILLISECONDS = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
DURATION_ADVICE = "write a duration, as in 90s, 2m30s, 1h or 1500ms"


def milliseconds(text: str) -> int:
    """Parse a duration: 90s, 2m30s, 1h, 1500ms; raises ValueError for others."""
    match = re.fullmatch(_DURATION, text.strip().lower(), re.ASCII)
    parts = match.groupdict() if match else {}
    if not any(parts.values()):
        raise ValueError(DURATION_ADVICE)
    return round(sum(float(parts[name] or 0) * _MILLISECONDS[name] for name in parts))


def check_command(text: str) -> None:
    """Raise ValueError for anything but a command that takes both answers."""
    try:
        words = split_command(text)
    except ValueError as error:
        raise ValueError(f"not a command: {str(error).lower()}") from error
    arguments = " ".join(words[1:])
    if "{a}" not in arguments or "{b}" not in arguments:
        raise ValueError("write {a} and {b} for the answers, as in 'judge {a} {b}'")


def check_argument(name: str) -> None:
    """Raise ValueError unless a text names an argument of a tool."""
    tool, dot, path = name.partition(".")
    if not tool or not dot or not all(path.split(".")):
        raise ValueError("write TOOL.PATH, as in shell.isBackground")


def check_scrub(scrub: str) -> None:
    """Raise ValueError unless a text is a pattern and a replacement."""
    pattern, arrow, _ = scrub.partition("=>")
    if not arrow or not pattern:
        raise ValueError("write 'REGEX=>TEXT'")
    check_pattern(pattern)

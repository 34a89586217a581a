"""The settings for noise that a trajectory was made with, beside those of a comparison.

They hold for the other log as well. Settings that are added later hold for both as far
as a trajectory can lose more: it cannot get back what it does not hold.
"""

from __future__ import annotations

from convert.errors import InputError
from convert.model.approved import ApprovedSettings
from convert.options.settings import Settings

_ANEW = "approve the run anew"


def noise_of(settings: Settings) -> ApprovedSettings:
    """Return the settings that say what is noise."""
    return ApprovedSettings(
        ignore_arg=[*settings.ignore_arg],
        keep_arg=[*settings.keep_arg],
        scrub=[*settings.scrub],
        raw=settings.raw,
    )


def settings_with(settings: Settings, made_with: ApprovedSettings) -> Settings:
    """Return settings, and those that a trajectory was made with.

    Raises InputError for a setting by which a trajectory would have to hold more.
    """
    if lacking := [
        name for name in settings.keep_arg if name not in made_with.keep_arg
    ]:
        raise InputError(
            f"the trajectory was made without --keep-arg {lacking[0]}; {_ANEW} with it"
        )
    if settings.raw and not made_with.raw:
        raise InputError(f"the trajectory was made without --raw; {_ANEW} with it")
    if settings.outputs:
        raise InputError("a trajectory holds no outputs; leave out --outputs")
    if settings.text == "exact":
        raise InputError(
            "a trajectory does not hold the answer as recorded; leave out --text exact"
        )
    return settings.replace(
        ignore_arg=_joined(made_with.ignore_arg, settings.ignore_arg),
        keep_arg=tuple(made_with.keep_arg),
        scrub=_joined(made_with.scrub, settings.scrub),
        raw=made_with.raw,
    )


def added_scrubs(settings: Settings, made_with: ApprovedSettings) -> tuple[str, ...]:
    """Return the substitutions that a trajectory has not been through."""
    return tuple(each for each in settings.scrub if each not in made_with.scrub)


def added_ignores(settings: Settings, made_with: ApprovedSettings) -> Settings:
    """Return settings that leave out the arguments which a trajectory still has."""
    added = [each for each in settings.ignore_arg if each not in made_with.ignore_arg]
    return Settings(ignore_arg=tuple(added), keep_arg=settings.keep_arg)


def _joined(first: list[str], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *others]))

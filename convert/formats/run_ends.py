"""The last line of `text`: how a run ended, in every language.

    Run failed: ActionRequiredError: You've hit your usage limit
    Run cut off after 16.0 s: a tool call is unfinished

A run that succeeded has no such line, and neither has one whose end is not recorded.
All phrases are ours. They are read back, so no two of them are alike.
"""

from __future__ import annotations

import functools
import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from convert.model.events import End
from convert.tools.row import LANGUAGES, Phrases
from convert.wording.numbers import duration
from convert.wording.sanitise import one_line, repair_surrogates

_FAILED = Phrases(
    en="Run failed",
    es="La ejecución falló",
    fr="L’exécution a échoué",
    de="Lauf fehlgeschlagen",
    ko="실행 실패",
    ja="実行に失敗した",
    zh="运行失败",
    tr="Çalıştırma başarısız oldu",
)
_CUT = Phrases(
    en="Run cut off",
    es="Ejecución interrumpida",
    fr="Exécution interrompue",
    de="Lauf abgebrochen",
    ko="실행 중단됨",
    ja="実行が中断された",
    zh="运行中断",
    tr="Çalıştırma yarıda kesildi",
)
_CUT_AFTER = Phrases(
    en="Run cut off after {}",
    es="Ejecución interrumpida tras {}",
    fr="Exécution interrompue après {}",
    de="Lauf nach {} abgebrochen",
    ko="{} 후 실행 중단됨",
    ja="{} 後に実行が中断された",
    zh="运行在 {} 后中断",
    tr="Çalıştırma {} sonra yarıda kesildi",
)
_NO_RESULT = Phrases(
    en="no result",
    es="sin resultado",
    fr="aucun résultat",
    de="kein Ergebnis",
    ko="결과 없음",
    ja="結果なし",
    zh="没有结果",
    tr="sonuç yok",
)
_OPEN_CALL = Phrases(
    en="a tool call is unfinished",
    es="una llamada a una herramienta sin terminar",
    fr="un appel d’outil inachevé",
    de="ein Werkzeugaufruf ist unvollendet",
    ko="끝나지 않은 도구 호출",
    ja="ツール呼び出しが未完了",
    zh="有未完成的工具调用",
    tr="bir araç çağrısı bitmedi",
)
_RECONNECTING = Phrases(
    en="while reconnecting",
    es="durante una reconexión",
    fr="pendant une reconnexion",
    de="beim Wiederverbinden",
    ko="다시 연결하는 중",
    ja="再接続中",
    zh="正在重新连接",
    tr="yeniden bağlanırken",
)
_RETRYING = Phrases(
    en="while retrying",
    es="durante un nuevo intento",
    fr="pendant une nouvelle tentative",
    de="bei einem neuen Versuch",
    ko="다시 시도하는 중",
    ja="再試行中",
    zh="正在重试",
    tr="yeniden denenirken",
)
# Compiled only when a text is read.
_DURATION = r"(?:([\d,]+) h )?(?:(\d+) min(?: |\Z))?(?:([\d.]+) s)?|(\d+) ms"


class _Cut(Struct, frozen=True):
    """A reason why a run has no result, in every language."""

    phrases: Phrases
    state: Literal["cut", "unfinished"]
    interrupted: Literal["", "reconnecting", "retry"] = ""


_CUTS = (
    _Cut(_RECONNECTING, "cut", "reconnecting"),
    _Cut(_RETRYING, "cut", "retry"),
    _Cut(_OPEN_CALL, "unfinished"),
    _Cut(_NO_RESULT, "cut"),
)


def run_end_line(end: End, language: str = "en") -> str:
    """Return the line for the end of a run; "" if it succeeded, or nobody knows."""
    if end.state in (None, "success"):
        return ""
    if end.state == "error":
        reason = one_line(end.reason)
        head = _in(_FAILED, language)
        return repair_surrogates(f"{head}: {reason}" if reason else head)
    head = _in(_CUT, language)
    if end.span_ms is not None:
        head = _in(_CUT_AFTER, language).format(duration(end.span_ms))
    return f"{head}: {_in(_why(end).phrases, language)}"


def read_run_end(line: str) -> End | None:
    """Return the end that a line in any language stands for; None for another line."""
    line = line.strip()
    for head in asdict(_FAILED).values():
        rest = line.removeprefix(head)
        if rest != line and (not rest or rest.startswith(": ")):
            return End(run=1, line=0, state="error", reason=rest.removeprefix(": "))
    head, _, why = line.rpartition(": ")
    cut = _cuts().get(why)
    match = _cut_heads().fullmatch(head) if cut else None
    if cut is None or match is None:
        return None
    span = next(filter(None, match.groups()), None)
    return End(
        run=1,
        line=0,
        state=cut.state,
        interrupted=cut.interrupted,
        span_ms=None if span is None else _milliseconds(span),
    )


def _in(phrases: Phrases, language: str) -> str:
    text: str = getattr(phrases, language)
    return text


def _why(end: End) -> _Cut:
    """Return the reason of a run that was cut off; its connection counts most."""
    if end.interrupted:
        return next(cut for cut in _CUTS if cut.interrupted == end.interrupted)
    return next(cut for cut in _CUTS if cut.state == end.state and not cut.interrupted)


@functools.cache
def _cuts() -> dict[str, _Cut]:
    return {phrase: cut for cut in _CUTS for phrase in asdict(cut.phrases).values()}


@functools.cache
def _cut_heads() -> re.Pattern[str]:
    """Match the head of a cut run's line in any language, with the time as a group."""
    heads = [re.escape(_in(_CUT, language)) for language in LANGUAGES]
    for language in LANGUAGES:
        before, after = map(re.escape, _in(_CUT_AFTER, language).split("{}"))
        heads.append(f"{before}([\\d,.]+ (?:ms|s|min|h)[\\w ]*?){after}")
    return re.compile("|".join(heads))


def _milliseconds(text: str) -> int | None:
    """Read back a time as `duration` writes it; None if it is none."""
    match = re.fullmatch(_DURATION, text)
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = match.groups()
    if milliseconds:
        return int(milliseconds)
    total = int((hours or "0").replace(",", "")) * 3600 + int(minutes or 0) * 60
    return total * 1000 + round(float(seconds or 0) * 1000)

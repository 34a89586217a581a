"""How a tool call ended and why it failed, on one line of any language."""

from __future__ import annotations

import functools
import re
from typing import get_args

from convert.model.events import Outcome, OutcomeStatus
from convert.tools.row import LANGUAGES, Phrases
from convert.wording import compiled
from convert.wording.escapes import one_line

# `PreToolUse:Bash hook error: [pwsh -File guard.ps1]: ` before what the hook says.
_HOOK = (
    r"\w+(?::\S+)? hook (?:blocking )?error(?: from command)?: "
    r"(?:\[.*?\]|\".*?\"): (?=\S)"
)


def outcome_note(outcome: Outcome, language: str = "en") -> str:
    """Return an outcome other than ok with its reason: `exit 1`, `error: …`."""
    if outcome.exit_code is not None and not outcome.signal:
        text: str = getattr(EXIT, language)
        return text.format(outcome.exit_code)
    reason = without_hook_name(reason_of(outcome, language))
    word = STATUSES.get(outcome.status)
    status: str = getattr(word, language) if word else outcome.status
    return f"{status}: {reason}" if reason else status


def without_hook_name(reason: str) -> str:
    """Return a reason without the name and the command of the hook that gives it."""
    if " hook " not in reason:
        return reason
    lead = compiled(_HOOK).match(reason)
    return reason[lead.end() :] if lead else reason


def status_word(status: OutcomeStatus) -> str:
    """Return what people read for a status: `refused` for `rejected`."""
    return "refused" if status == "rejected" else status


def parse_outcome(name: str, message: str = "") -> Outcome:
    """Return an outcome by its name; raises ValueError for what is none."""
    for status in get_args(OutcomeStatus):
        if name == status:
            return Outcome(status, message=message)
    match = re.fullmatch(r"error\((.*)\)", name, re.DOTALL)
    if match is None:
        raise ValueError(f"{name} is no outcome")
    if re.fullmatch(r"-?[0-9]{1,10}", match[1]):
        return Outcome("error", exit_code=int(match[1]))
    if re.fullmatch(r"SIG[A-Z0-9+-]+", match[1]):
        return Outcome("error", signal=match[1], message=message)
    return Outcome("error", arm=match[1], message=message)


def outcome_name(outcome: Outcome) -> str:
    """Return an outcome without its message: `ok`, `error(1)`, `error(timeout)`.

    Two outcomes are equal when their names are.
    """
    if outcome.exit_code is not None:
        return f"error({outcome.exit_code})"
    if outcome.signal:
        return f"error({one_line(outcome.signal)})"
    if outcome.status == "error" and outcome.arm not in ("", "failure"):
        return f"error({one_line(outcome.arm)})"
    return outcome.status


# The kinds of error are the arms of the agent's protocol that are no plain `error`.
REASONS = {
    "timeout": Phrases(
        en="timed out",
        es="tiempo agotado",
        fr="délai dépassé",
        de="Zeit abgelaufen",
        ko="시간 초과",
        ja="タイムアウトした",
        zh="已超时",
        tr="süre doldu",
    ),
    "spawnError": Phrases(
        en="could not be started",
        es="no se pudo iniciar",
        fr="n'a pas pu démarrer",
        de="ließ sich nicht starten",
        ko="시작할 수 없음",
        ja="開始できなかった",
        zh="无法启动",
        tr="başlatılamadı",
    ),
    "fileNotFound": Phrases(
        en="file not found",
        es="archivo no encontrado",
        fr="fichier introuvable",
        de="Datei nicht gefunden",
        ko="파일을 찾을 수 없음",
        ja="ファイルが見つからない",
        zh="找不到文件",
        tr="dosya bulunamadı",
    ),
    "notFile": Phrases(
        en="not a file",
        es="no es un archivo",
        fr="n'est pas un fichier",
        de="keine Datei",
        ko="파일이 아님",
        ja="ファイルではない",
        zh="不是文件",
        tr="dosya değil",
    ),
    "fileBusy": Phrases(
        en="file in use",
        es="archivo en uso",
        fr="fichier en cours d'utilisation",
        de="Datei in Benutzung",
        ko="파일이 사용 중임",
        ja="ファイルが使用中",
        zh="文件正在使用",
        tr="dosya kullanımda",
    ),
    "notFound": Phrases(
        en="not found",
        es="no encontrado",
        fr="introuvable",
        de="nicht gefunden",
        ko="찾을 수 없음",
        ja="見つからない",
        zh="未找到",
        tr="bulunamadı",
    ),
    "permissionDenied": Phrases(
        en="permission denied",
        es="permiso denegado",
        fr="permission refusée",
        de="Zugriff verweigert",
        ko="권한이 거부됨",
        ja="権限がない",
        zh="权限不足",
        tr="izin verilmedi",
    ),
    "readPermissionDenied": Phrases(
        en="no permission to read",
        es="sin permiso de lectura",
        fr="pas de droit de lecture",
        de="keine Leseberechtigung",
        ko="읽기 권한이 없음",
        ja="読み取り権限がない",
        zh="没有读取权限",
        tr="okuma izni yok",
    ),
    "writePermissionDenied": Phrases(
        en="no permission to write",
        es="sin permiso de escritura",
        fr="pas de droit d'écriture",
        de="keine Schreibberechtigung",
        ko="쓰기 권한이 없음",
        ja="書き込み権限がない",
        zh="没有写入权限",
        tr="yazma izni yok",
    ),
}

# How a call ended that did not succeed, in a word.
STATUSES = {
    "error": Phrases(
        en="error",
        es="error",
        fr="erreur",
        de="Fehler",
        ko="오류",
        ja="エラー",
        zh="错误",
        tr="hata",
    ),
    "rejected": Phrases(
        en="rejected",
        es="rechazado",
        fr="refusé",
        de="abgelehnt",
        ko="거부됨",
        ja="拒否された",
        zh="已拒绝",
        tr="reddedildi",
    ),
    "unfinished": Phrases(
        en="unfinished",
        es="sin terminar",
        fr="inachevé",
        de="unvollendet",
        ko="미완료",
        ja="未完了",
        zh="未完成",
        tr="bitmedi",
    ),
}
# The end of a command with a code, which `{}` represents.
EXIT = Phrases(
    en="exit {}",
    es="código {}",
    fr="code {}",
    de="Exit-Code {}",
    ko="종료 코드 {}",
    ja="終了コード {}",
    zh="退出码 {}",
    tr="çıkış kodu {}",
)
# The end of a command by a signal, whose name stands for `{}`.
SIGNAL = Phrases(
    en="terminated by {}",
    es="terminado por {}",
    fr="terminé par {}",
    de="beendet durch {}",
    ko="{}(으)로 종료됨",
    ja="{} で終了した",
    zh="被 {} 终止",
    tr="{} ile sonlandırıldı",
)


def reason_of(outcome: Outcome, language: str = "en") -> str:
    """Return why a call failed, on one line; "" if the log does not say it."""
    if outcome.signal:
        text: str = getattr(SIGNAL, language)
        return text.format(one_line(outcome.signal))
    if outcome.message or outcome.arm in ("", "failure"):
        return one_line(outcome.message)
    reason = REASONS.get(outcome.arm)
    return getattr(reason, language) if reason else _in_words(outcome.arm)


def read_reason(text: str) -> Outcome:
    """Return the error that a reason stands for, in any language."""
    if arm := _arms().get(text):
        return Outcome("error", arm=arm)
    for language in LANGUAGES:
        before, after = getattr(SIGNAL, language).split("{}")
        signal = text.removeprefix(before).removesuffix(after)
        if signal.startswith("SIG") and before + signal + after == text:
            return Outcome("error", signal=signal)
    return Outcome("error", message=text)


@functools.cache
def _arms() -> dict[str, str]:
    """Map each reason, in any language, to its arm."""
    return {
        getattr(reason, language): arm
        for arm, reason in REASONS.items()
        for language in LANGUAGES
    }


def _in_words(arm: str) -> str:
    """Return the name of a new kind of error as words: `tooLarge` is "too large"."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in one_line(arm))
    return " ".join(words.replace("_", " ").split())

"""The claim of an answer that tests pass, where the last tests of its run failed.

Only words that mean nothing else are a claim. A false alarm is worse than a miss: a
sentence that hedges, an answer that admits a failure, and any text in another language
than English claim nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.diff.alignment.rows import comparisons
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.trajectory import ComparedRun
from convert.diff.checks import calls_of
from convert.diff.comparison import Finding, RunComparison
from convert.diff.texts import line_of_text
from convert.facts.counted_tests import CountedTests
from convert.tools.shell import only_records, runs_one_check
from convert.wording import compiled


class _Contradiction(Struct, frozen=True):
    """The answer of a run says that all tests pass, and its last tests failed."""

    claim: str
    """The words of the answer, on one line."""

    tests: AlignedCall
    """The command that ran tests last."""

    is_sure: bool
    """The log records that the answer came after the tests."""


def contradictions(
    compared: RunComparison, a: ComparedRun, b: ComparedRun
) -> Iterator[Finding]:
    """Yield a finding if the answer of only one run contradicts its last tests."""
    one, other = _contradiction_in(a), _contradiction_in(b)
    if one and other:
        return
    for found, run, is_better in ((one, a, True), (other, b, False)):
        if found is None or not found.is_sure:
            continue
        for comparison, inside in comparisons(compared.rows):
            if any(call is found.tests for call in calls_of(comparison)):
                line = line_of_text(run.recorded.run)
                yield Finding(
                    "claim",
                    "major",
                    compared.number,
                    comparison,
                    found.claim if is_better else None,
                    None if is_better else found.claim,
                    better=is_better,
                    inside=inside,
                    lines=(line, None) if is_better else (None, line),
                )


def _contradiction_in(run: ComparedRun) -> _Contradiction | None:
    """Return the contradiction in the answer of a run; None if there is none."""
    answer = run.recorded.run.answer or ""
    # To find the last tests, commands may have to be parsed.
    tests = _last_tests(run) if any(word in answer for word in _MAY_CLAIM) else None
    counted = tests.recorded.counted_tests if tests else None
    if tests is None or counted is None or not counted.has_failures:
        return None
    # An answer before the last tests does not know them.
    is_sure = tests.recorded.ended_line < line_of_text(run.recorded.run)
    claim = claim_in(answer, counted)
    return _Contradiction(claim, tests, is_sure) if claim else None


def _last_tests(run: ComparedRun) -> AlignedCall | None:
    """Return the command that ran tests last; None if the work may differ by now."""
    for call in sorted(run.all_calls, key=lambda call: -call.recorded.ends):
        recorded = call.recorded
        is_command = recorded.kind == "shell"
        command = recorded.command
        if is_command and recorded.counted_tests is not None:
            is_run = recorded.acts and runs_one_check(command)
            return call if is_run else None
        # The calls inside a subagent are in the list themselves.
        if not recorded.acts or call.children or recorded.outcome == "rejected":
            continue
        if not (is_command and only_records(command)):
            return None
    return None


# Each claim has one of these.
_MAY_CLAIM = ("pass", "Pass", "green", "succe", "fail", "PASS")
# A longer answer is not examined.
_LONGEST = 20_000
# Code, quoted lines and rows of tables are no words of the agent. An open box in a list
# is work to do.
_FENCED = r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)"
_NO_PROSE = (
    r"(?m)^(?:[ \t]*(?:>|\||(?:[-*+]|\d+[.)])[ \t]+\[ \]).*|(?: {4,}|\t)(?![-*+\d]).*)$"
)
_QUOTED = (
    r"`[^`\n]*`|\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|\xab[^\xbb\n]*\xbb"
    r"|(?<!\w)'[^'\n]*'(?!\w)|~~[^~\n]*~~"
)
_MARKS = (
    r"[*_~#\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]+|^\s*(?:[-+]|\d+[.)])\s+|\[[xX]\]"
)

# Words about failures that are none of these tests now.
_HARMLESS = (
    r"\b(?:0|no|zero|without(?: any)?) (?:\w+ )?(?:fail(?:ed|ing|ures?)|errors?)\b"
    r"|\b(?:fix|repair|resolve|address|correct|solve)(?:e?s|e?d|ing)? (?:\w+ ){0,3}?"
    r"(?:fail(?:ed|ing)|broken) (?:\w+ )?(?:tests?|assertions?|cases?|builds?)\b"
)
# With one of these anywhere, an answer may admit that tests fail.
_ADMITS = (
    r"\bfail|\bflak[ey]|\bpre-?existing|\bunrelated|\bknown (?:issue|problem|bug)"
    r"|\bexcept|\bapart from|\baside from|\bother than|\bbroken\b|\bunable\b|\bxfail"
    r"|\b(?:times?|timed) out\b|\bunfortunately\b|\bcaveat"
    r"|\b[1-9]\d* (?:\w+ )?errors?\b"
    r"|(?:n[o']t|\bnever) (?:\w+ ){0,3}(?:run|pass|execut|verif|succeed|work|green)"
    r"|\bstill (?:red|need|not|has|have|an?|one|some)\b|[\u2717\u2718\u274c]"
)
# A sentence with one of these says less than that tests pass, or not now.
_HEDGES = (
    r"\b(?:not|cannot|never|but|however|though|although|besides|unless|if|whether|once"
    r"|when|whenever|until|till|before|after|while|will|would|shall|should|could|may"
    r"|might|must|can|expect\w*|assum\w*|hop(?:e|es|ed|ing|efully)|suppos\w*|presum\w*"
    r"|believe|think|guess|likely|probably|ideally|goal|aim\w*|require\w*|need\w*"
    r"|want\w*|ask\w*|please|ensure\w*|sure|only|most|almost|nearly|previously|earlier"
    r"|originally|used to|skip\w*|ignor\w*|exclud\w*|deselect\w*|disabl\w*|said|says?"
    r"|claim\w*|wrote|instruct\w*|prompt\w*|todo|to do|so that|in order|to have|to make"
    r"|to get|to see|to keep|remaining|rest|mostly|partial\w*|some|few|locally|ci"
    r"|first|initial(?:ly)?|beforehand|baseline|at least|apparently|seem\w*|afaik)\b"
    r"|n't\b|\?"
)
_ITEM = r"\s*(?:[-*+]|\d+[.)])\s"
# Work to do, or a condition, in the line above a list.
_AHEAD = (
    r"\b(?:how to|instructions?|next|steps?|to ?dos?|plan\w*|criteri\w*|condition\w*"
    r"|definition|checklist|verify|check|follow-?ups?|recommend\w*|suggest\w*"
    r"|before|baseline|expected|old|prior)\b"
)
_AFTER_THIS = (
    r"\b(?:after|with) (?:this|the|that|these|my|those|all) (?:\w+ )?"
    r"(?:change|edit|update|fix)(?:s|es)?(?:,|(?=\s*[.!]?$| (?:all|every|the) ))"
)
_SENTENCES = r"(?<=[.!?])[\"')\]]*\s+"
_CLAUSES = r"\s*(?:[,;()\u2013\u2014]|(?<=\s)-(?=\s)|\b(?:and|so|then)\b(?! pass))\s*"
# A part that begins so may restrict the claim: `on Linux, all tests pass`.
_RESTRICTS = (
    r"(?:on|in|for|with|without|under|using|at|by|as|from|against|given|per|inside"
    r"|outside|since|because)\b.*"
)
_BEFORE_COLON = (
    r"(?:done|fixed|finished|results?|tests?|testing|test results?|status|summary|note"
    r"|verification|verified|confirmed|validation|update)"
)
_ABOUT_TESTS = r"\b(?:tests?|test suite|pytest|suite|jest|vitest|specs?|passed)\b"
_LEAD = (
    r"(?:(?:now|finally|also|again|currently|as a result|confirmed|verified"
    r"|i(?:'ve| have)? (?:verified|confirmed|checked)|the (?:output|result)s? "
    r"(?:shows?|confirms?))(?: that)? )*"
)
_VERB = (
    r"(?:(?:(?:now|still|do|all|again|successfully|currently) )*(?:pass(?:es|ed|ing)?"
    r"|succeed(?:s|ed)?|green)|(?:is|are|were|was)(?: now| all| still| currently)*"
    r" (?:passing|green|successful))"
)
_TAIL = (
    r"(?: (?:now|again|successfully|cleanly|as well|too|without (?:any )?"
    r"(?:errors?|failures?|problems|issues)|with (?:no|0|zero) (?:errors?|failures?)"
    r"|in [\d.]+ ?s(?:econds)?))*"
)
_NUMBER = r"(?P<number>\d[\d,]*)"
_TESTS = (
    rf"all(?: of)?(?: the| our| its)?(?: {_NUMBER})?(?: of the)? (?:tests?|test cases)"
    r"|(?:the )?(?:full |whole |entire |complete |all )?test[- ]?suite|(?:the )?tests"
    r"|every (?:single )?test"
)
_CLAIM = (
    rf"{_LEAD}(?:(?:{_TESTS}) {_VERB}"
    rf"|(?P<of>\d+)(?:/| of | out of )(?P=of)(?: tests)? {_VERB}"
    r"|(?P<none>(?:there are )?no (?:test failures|(?:failing|failed) tests)))"
    rf"{_TAIL}"
)
# Without the word, these are about tests only next to it.
_CLAIM_OF_THEM = (
    rf"{_LEAD}(?:(?:they(?: all)?|all(?: of them)?(?: {_NUMBER})?|everything) {_VERB}"
    rf"|(?P<of>\d+)(?:/| of | out of )(?P=of) {_VERB}"
    r"|(?P<none>(?:0|no|zero) fail(?:ed|ures)))"
    rf"{_TAIL}"
)


def claim_in(answer: str, counted: CountedTests) -> str:
    """Return the words of an answer that say that all tests pass; "" for none.

    `counted` are the last tests. A claim with another number is about other tests.
    """
    if len(answer) > _LONGEST:
        return ""
    answer = answer.replace("\u2019", "'")
    if compiled(_ADMITS).search(compiled(_HARMLESS).sub("", answer.lower())):
        return ""
    prose = compiled(_FENCED).sub("", answer)
    prose = compiled(_QUOTED).sub("\ufffc", compiled(_NO_PROSE).sub("", prose))
    for sentence in _sentences(prose):
        is_about_tests = compiled(_ABOUT_TESTS).search(sentence.lower()) is not None
        for clause in _clauses(sentence):
            found = compiled(_CLAIM).fullmatch(clause.lower())
            if found is None and is_about_tests:
                found = compiled(_CLAIM_OF_THEM).fullmatch(clause.lower())
            if found is None or (found["none"] and not counted.failed):
                continue
            if _is_number_of(found["number"] or found["of"], counted):
                return clause
    return ""


def _sentences(prose: str) -> Iterator[str]:
    """Yield the sentences that hedge nothing, without marks."""
    is_section_ahead = is_list_ahead = False
    for line in prose.split("\n"):
        text = " ".join(compiled(_MARKS).sub("", line).split())
        is_ahead = compiled(_AHEAD).search(text.lower()) is not None
        if line.lstrip().startswith("#"):
            is_section_ahead = is_ahead
        if text and not compiled(_ITEM).match(line):
            is_list_ahead = is_ahead and text.endswith(":")
        if is_section_ahead or is_list_ahead:
            continue
        for sentence in compiled(_SENTENCES).split(text):
            plain = compiled(_AFTER_THIS).sub("", sentence.lower())
            if not compiled(_HEDGES).search(plain):
                yield sentence


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the parts of a sentence, without the word that leads to it."""
    lead, colon, rest = sentence.partition(": ")
    if colon and not compiled(_BEFORE_COLON).fullmatch(lead.strip().lower()):
        return
    plain = compiled(rf"(?i){_AFTER_THIS}").sub("", rest if colon else sentence)
    clauses = [part.strip(" .!") for part in compiled(_CLAUSES).split(plain)]
    if not any(compiled(_RESTRICTS).match(clause.lower()) for clause in clauses):
        yield from clauses


def _is_number_of(number: str | None, counted: CountedTests) -> bool:
    """Return True if a number is that of all tests, or if there is none."""
    if number is None:
        return True
    if counted.passed is None or counted.unit != "tests":
        return False
    ran = counted.passed + counted.failed + counted.errors
    return int(number.replace(",", "")) in (ran, ran + counted.skipped)

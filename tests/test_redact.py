"""Secrets are redacted wherever they occur, and harmless text stays.

The secrets are assembled here, so that no scanner reports this file as a leak.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.errors import UsageError
from convert.options import Reading
from convert.redact import GATES, Redactor, Rule, _OneByOne, every_rule
from support.logs import Manner, Story, manners, stories, tell
from support.matrix import each, is_exhaustive
from support.secrets import filled

REDACT = Reading(redact=True)
TARGETS = ["stream-json", "json", "text", "answer", "markdown", "patch"]


def redacted(text: str) -> str:
    return Redactor().text(text)


def letters(count: int) -> str:
    return "".join("aQ3xR7mK"[i * 5 % 8] for i in range(count))


def digits(count: int) -> str:
    return "".join("0123456789abcdef"[i * 7 % 16] for i in range(count))


def capitals(count: int) -> str:
    return "".join("ABCDEFGH"[i * 3 % 8] for i in range(count))


def numbers(count: int) -> str:
    return "".join(str(i * 7 % 10) for i in range(1, count + 1))


BODY = "\n".join([letters(64), letters(64), letters(20) + "=="])
TOKENS = {
    "OpenAI": f"sk-{letters(48)}",
    "OpenAI project": f"sk-proj-{letters(70)}_{letters(60)}",
    "Anthropic": f"sk-ant-api03-{letters(86)}-{letters(6)}AA",
    "OpenRouter": f"sk-or-v1-{digits(64)}",
    "Cursor": f"key_{digits(64)}",
    "Google": f"AIza{letters(35)}",
    "Google OAuth": f"ya29.{letters(60)}",
    "GitHub": f"ghp_{letters(36)}",
    "GitHub fine-grained": f"github_pat_{letters(22)}_{letters(59)}",
    "GitLab": f"glpat-{letters(20)}",
    "GitLab routable": f"glpat-{letters(27)}.01.{letters(9)}",
    "Hugging Face": f"hf_{letters(34)}",
    "npm": f"npm_{letters(36)}",
    "PyPI": f"pypi-AgEI{letters(80)}",
    "Slack": f"xoxb-123456789012-{letters(24)}",
    "Stripe": f"sk_live_{letters(99)}",
    "AWS": f"AKIA{capitals(16)}",
    "Azure": f"abc8Q~{letters(34)}",
    "DigitalOcean": f"dop_v1_{digits(64)}",
    "Databricks": f"dapi{digits(32)}",
    "Discord": f"M{letters(25)}.{letters(6)}.{letters(38)}",
    "Telegram": f"1234567890:AA{letters(33)}",
    "Twilio": f"SK{digits(32)}",
    "SendGrid": f"SG.{letters(22)}.{letters(43)}",
    "Vault": f"hvs.{letters(90)}",
    "JWT": f"eyJ{letters(20)}.eyJ{letters(40)}.{letters(43)}",
}
MAIL = "bob.b+x@corp.example.com"
AROUND = [
    *("{}", "key {}.", '"{}"', "={},", "\\n{}\\n", "-{} ", "=3D{}", "\\u003d{}"),
    *("\x1b[31m{}\x1b[m", "\x1b[01;31m\x1b[K{}\x1b[m\x1b[K", "\x1b[38;5;214m{}\x1b[0m"),
]
PLACES = {
    "in an address": ("https://bob:", "hunter22", "@host.example/x"),
    "in a database": ("redis://:", "s3cr3tpw", "@db:6379"),
    "bearer": ("Authorization: Bearer ", letters(32), "\\n"),
    "basic": ("'Authorization': 'Basic ", "Ym9iOmh1bnRlcjI=", "'"),
    "AWS secret": ("aws_secret_access_key = ", letters(40), ""),
    "assigned": ('password = "', "hunter2zz9", '"'),
    "in YAML": ("password: ", "hunter2zz9", "\n"),
    "at the end of a sentence": ("see password=", "Hunter2$zz9", "."),
    "in the middle of a text": ("The password: ", "hunter2zz9", ". Change it."),
    "in JSON": ('{"api_key": "', "a9d8f7g6h5j4", '"}'),
    "in JSON in JSON": ('{\\"api_key\\": \\"', "a9d8f7g6h5j4", '\\"}'),
    "exported": ("export DB_PASSWORD=", "correcthorse", " && x"),
    "an option": ("mysql --password ", "hunter2zz9", " -h x"),
    "a private key": ("-----BEGIN RSA PRIVATE KEY-----\n", BODY, "\n-----END RSA"),
    "one line": (
        "-----BEGIN PRIVATE KEY-----\\n",
        BODY.replace("\n", "\\n"),
        "\\n-----END PRIVATE KEY-----",
    ),
    "a key that breaks off": ("-----BEGIN OPENSSH PRIVATE KEY-----\n", BODY, ""),
    "of curl": ("curl -u admin:", "hunter2", " https://x.example"),
    "a cookie": ("Set-Cookie: ", "session=abcdef0123", "\n"),
    "a webhook": ("https://hooks.slack.com/services/", f"T0/B0/{letters(24)}", " x"),
}
HARMLESS = [
    "git@github.com:o/r.git",
    "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
    "550e8400-e29b-41d4-a716-446655440000",
    "fk-d670460b4b4aece5915caf5c68d12f560a9fe3e4",
    "task-force-sk-learn, key_id_12, hf_hub_download, eyJ, AKIA, SK",
    '"promptTokens": 12345678, "inputTokens": 22480',
    "token: str = None; password = getpass.getpass(); api_key=os.environ['X1']",
    "TOKEN=$(cat token) PASSWORD=${PASSWORD} --token $TOKEN --password PASSWORD",
    "token = config2.token_of_build1; secret: settings2.dev2[0]",
    'token = "next_token"; token = tokens[i + 1]; secret = ""',
    "react@18.2.0, logo@2x.png, @app.route('/x'), a @ b",
    "http://localhost:8080/@scope/pkg, http://${USER}:${PASS}@host",
    '"-----BEGIN PRIVATE KEY-----" in text',
    "[redacted GitHub token], password=[redacted password]",
    "API_KEY=\nPORT_NUMBER=3000\nDB_PASSWORD=\nDB_HOST=db1",
    'PASSWORD=os.getenv("DB"), API_KEY=get_secret(x), SECRET_KEY=settings.KEYS[0]',
    "TOKEN_URL=https://x.example PASSWORD_FILE=/run/secrets/db SECRET_NAME=my-secret",
    "TOKEN_URI=urn:x:tok1 TOKEN_PATH=/run/tok1 TOKEN_TYPE=bearer1 TOKEN_TTL=3600000",
    "TOKEN_EXPIRES=3600000 TOKEN_MIN_X=1000000 TOKEN_MAX=1000000 TOKEN_LENGTH=1000000",
    "TOKEN_COUNT=1000000 TOKEN_RESET=1000000 TOKEN_HEADER=x-token1",
    "API_KEY=change-me SECRET_KEY=replace-this docker build --secret id=npmrc2,src=x1",
    ".mask-sk-admin-panel-header-title-text {}",
    "glpat-your-token-here-please, glrt-Your-Runner-Token-Here, hf_hub_download",
    "xoxb-your-slack-bot-token-here, sk-learn-something-that-is-new-and-quite-long",
    "hf_MyHuggingFaceTokenForTheTestServer, glpat-MyGitLabTokenForCompany",
    "sk_test_YourStripeKeyHere, unkey_MyUnkeyRootTokenHere, vcp_MyVercelTokenComesHere",
    "FLWSECK_TEST-SANDBOXDEMOKEY-X, private_createConnectionManagers=, sntrys_my_token",
    "test_getElementsByNameXmlDbIdxFn, key_getDbByIdxOrSqlStmtFnPtrFromXmlNdx",
    "diff -u a:b c:d, chown user:group x",
]


def examples() -> Iterator[Any]:
    """Yield each rule with its example, in every spelling that the rule covers."""
    for rule in every_rule():
        first, *others = rule.begins
        yield rule, rule.example
        if rule.example.startswith(f"«{first}"):
            for begin in others:
                yield rule, rule.example.replace(first, begin)


@each(("rule", "example"), examples())
def test_a_rule_finds_its_example_and_all_of_it(rule: Rule, example: str) -> None:
    before, secret, after = re.split("[«»]", filled(example))
    text = f"see {before}{secret}{after} there"
    redactor = Redactor()

    found = redactor.find(text)
    shown = redactor.text(text)

    begin = 4 + len(before)
    assert (begin, begin + len(secret)) in [secret[:2] for secret in found]
    assert shown.startswith(f"see {before}[redacted ")
    assert shown.endswith(f"]{after} there")
    assert redactor.find(shown) == []


@each("name", TOKENS)
@pytest.mark.parametrize("around", AROUND)
def test_a_token_is_redacted_whole(name: str, around: str) -> None:
    text = around.format(TOKENS[name])

    shown = redacted(text)

    before, after = around.split("{}")
    assert shown.startswith(f"{before}[redacted ")
    assert shown.endswith(f"]{after}")
    assert redacted(shown) == shown


SHORTEST = """
glpat-{A20} glrt-{A20} hf_{A34} xoxb-{A20} sk-proj-{A20} vcp_{A24} dckr_pat_{A20}
FwoGZXIvYXdz/{b99} FQoGZXIvYXdzEJr/{b96} IQoJb3JpZ2lu+{b99} ops_eyJ/{b99}
apk_user_/{b39} sntrys_+{b39}_{b40} glc_eyJ/{b29}= eyJrIjoi+{b29} private_/{b26}=
"""
DICE = {"A": string.ascii_letters, "b": f"{string.ascii_letters}{string.digits}+/"}


@pytest.mark.exhaustive
@each("form", SHORTEST.split())
def test_a_short_token_needs_no_digit_and_may_have_any_sign(form: str) -> None:
    dice = random.Random(form)

    def fill(field: re.Match[str]) -> str:
        return "".join(dice.choices(DICE[field[1]], k=int(field[2])))

    tokens = [
        re.sub(r"\{(\w)(\d+)\}", fill, form)
        for _ in range(200 if is_exhaustive else 40)
    ]

    shown = [token for token in tokens if token in redacted(f"is {token} here")]

    # Of those without a digit, which are few, 1 of 100 looks like words.
    assert len(shown) <= 4 * ("A" in form)


@pytest.mark.parametrize("around", ["{}", "<{}>", "to {}.", "\\n{}\\n", "\\u003c{}"])
def test_an_address_is_redacted(around: str) -> None:
    assert redacted(around.format(MAIL)) == around.format("[redacted e-mail address]")


@each("name", PLACES)
def test_a_secret_is_known_by_its_place(name: str) -> None:
    before, secret, after = PLACES[name]

    shown = redacted(before + secret + after)

    assert shown.startswith(before.rstrip("n\\ \n"))
    assert shown.endswith(after.removeprefix("\\n").removeprefix("\n"))
    assert secret[:20] not in shown
    assert secret[-8:] not in shown
    assert redacted(shown) == shown


@each("text", HARMLESS)
def test_harmless_text_stays(text: str) -> None:
    assert redacted(text) == text


@each(
    "name",
    [
        *("password", "DB_PASSWORD", "x-api-key", "apiKey"),
        # No text with such a word is suspect because of it.
        *("private", "DB_PRIVATE_2", "connectionString", "webhook_url"),
    ],
)
def test_a_member_named_as_a_secret_is_one(name: str) -> None:
    line = {"type": "note", "session_id": "s", name: "correct horse", "source": "cli"}

    log = json.dumps(line | {"timestamp_ms": 1.50}).encode()
    shown = b"".join(convert.convert([log], format="stream-json", to="stream-json"))
    hidden = b"".join(
        convert.convert([log], format="stream-json", to="stream-json", reading=REDACT)
    )

    assert hidden == shown.replace(b"correct horse", b"[redacted password]")


def test_each_value_in_a_list_of_secrets_is_one() -> None:
    event = {"type": "note", "password": ["correct", "horse", ["battery"]], "n": "x"}

    shown = hidden(event)

    assert '["[redacted password]", "[redacted password 2]", [' in shown
    assert "battery" not in shown
    assert '"n":"x"' in shown


def test_a_secret_in_escapes_is_one() -> None:
    letters = "".join(f"\\u{ord(letter):04x}" for letter in TOKENS["GitHub"])
    log = f'{{"type":"note","session_id":"s","body":"{letters}"}}'.encode()

    shown = convert.convert([log], "stream-json", format="stream-json", reading=REDACT)

    expected = b'{"type":"note","session_id":"s","body":"[redacted GitHub token]"}\n'
    assert b"".join(shown) == expected


def hidden(*events: dict[str, Any], to: str = "stream-json", **how: Any) -> str:
    """Convert events of one session with redaction; remove blanks after colons."""
    reading = Reading(redact=True, redact_patterns=how.pop("patterns", ()))
    shown = convert.convert(
        lines_of(events), to, format="stream-json", reading=reading, **how
    )
    return b"".join(shown).decode().replace('": ', '":')


def lines_of(events: Iterable[dict[str, Any]]) -> list[bytes]:
    return [
        json.dumps({"session_id": "s", **event}).encode() + b"\n" for event in events
    ]


def shell(call_id: str, command: str) -> dict[str, Any]:
    body = {"shellToolCall": {"args": {"command": command}}}
    return {
        "type": "tool_call",
        "subtype": "started",
        "call_id": call_id,
        "tool_call": body,
    }


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_secret_in_two_parts_of_a_message_is_one(role: str) -> None:
    token = TOKENS["GitHub"]
    content = [{"type": "text", "text": text} for text in (token[:20], token[20:])]
    event = {"type": role, "message": {"role": role, "content": content}}

    stream = hidden(event | {"model_call_id": "m"})

    assert '"text":"[redacted GitHub token]"' in stream
    assert '"text":""' in stream
    assert token not in hidden(event, to="markdown")


def test_parts_of_a_message_with_a_secret_inside_stay_where_they_are() -> None:
    content = [
        {"type": "text", "text": text} for text in ("See ", f"a {TOKENS['GitHub']} b")
    ]

    stream = hidden({"type": "user", "message": {"role": "user", "content": content}})

    assert '"text":"See "' in stream
    assert '"text":"a [redacted GitHub token] b"' in stream


def test_different_secrets_stay_distinguishable() -> None:
    one, other = TOKENS["GitHub"], TOKENS["GitHub"].replace("a73", "b73")
    addresses = {"ana@x.example": "admin", "bob@x.example": "user"}

    shown = hidden(shell(one, "ls a"), shell(other, "ls b"), to="text", detail=True)
    stream = hidden({"type": "note", "of": addresses})

    assert "ls a" in shown
    assert "ls b" in shown
    assert '"[redacted e-mail address]":"admin"' in stream
    assert '"[redacted e-mail address 2]":"user"' in stream


@each("pattern", ["[a-z]+", "user", "result", "text", "shell", "(ls)|x"])
def test_a_pattern_changes_no_word_of_the_format(pattern: str) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "say result"}]}
    events = [
        {"type": "user", "message": message},
        shell("c1", "ls x"),
        {"type": "result", "subtype": "success", "is_error": False, "result": "."},
    ]

    shown = hidden(*events, to="text", patterns=[pattern])
    stream = hidden(*events, patterns=[pattern])

    assert shown == "Run terminal command (unfinished)\n"
    assert json.loads(hidden(*events, to="json", patterns=[pattern]))
    types = [json.loads(line)["type"] for line in stream.splitlines()]
    assert types == ["user", "tool_call", "result"]


@each(
    "text",
    [
        json.dumps({"cmd": TOKENS["GitHub"]}).replace("ghp_", "\\u0067hp_"),
        '\n{"password": "hunterhunter"}',
        '{"name": "DB_PASSWORD", "value": "hunterhunter"}',
        f'{{"password": "hunterhunter", "n": {"9" * 5000}}}',
        f'{{"password": "hunterhunter", "n": {"[" * 9000}{"]" * 9000}}} \n',
        '{"password": "hunterhunter", "n": NaN}',
    ],
)
def test_json_in_a_string_is_looked_through(text: str) -> None:
    stream = json.loads(hidden({"type": "note", "body": text}))["body"]

    assert "[redacted " in stream
    assert "hunter" not in stream
    assert "0067hp_" not in stream


@each("where", ["error", "user", "assistant", "shell"])
def test_the_same_rules_hold_in_every_event(where: str) -> None:
    text = "Failed: see password=Hunter2zz9."
    message = {"role": where, "content": [{"type": "text", "text": text}]}
    events = {
        "error": {"type": "error", "error": {"detail": [text]}, "note": text},
        "user": {"type": "user", "message": message},
        "assistant": {"type": "assistant", "message": message},
        "shell": shell("c1", text),
    }

    stream = hidden(events[where])

    assert "see password=[redacted password]." in stream
    assert "Hunter2zz9" not in stream


def test_names_of_members_count_for_their_own_values() -> None:
    of = {"list": ["a", {"token": "c0rr3ct"}, "harmless"], "version": {"token": "^4.0"}}

    prose = '[docs] Set "token":then use "foo" and "bar".'
    stream = json.loads(hidden({"type": "note", "of": of, "body": prose}))

    assert stream["of"]["list"] == ["a", {"token": "[redacted password]"}, "harmless"]
    assert stream["of"]["version"] == of["version"]
    assert stream["body"] == prose


@pytest.mark.seldom
def test_an_endless_text_does_not_block_output_forever() -> None:
    calls = (shell(f"c{number}", "ls") for number in range(12_000))
    log = lines_of(
        [assistant("hello", True), *(call | {"session_id": "t"} for call in calls)]
    )
    shown = 0

    def feed() -> Iterator[bytes]:
        yield from log
        assert shown > 1000

    for _ in convert.convert(feed(), "stream-json", reading=REDACT):
        shown += 1


def test_a_pattern_of_the_user_takes_its_first_group() -> None:
    redactor = Redactor([r"build-(\d+)"])

    text = "build-17 of 18"
    shown = redactor.text(text)

    assert shown == "build-[redacted pattern] of 18"
    assert redactor.counts == {"pattern": 1}


@pytest.mark.parametrize("pattern", ["(", "(?a)(?u)x", "x{99999999999}"])
def test_an_invalid_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="redact_patterns"):
        Reading(redact_patterns=[pattern])


_secrets = st.sampled_from([TOKENS["Cursor"], TOKENS["GitHub"], TOKENS["Anthropic"]])


def planted(story: Story, secret: str) -> Story:
    """Return the story with a secret in all texts, arguments and results."""

    def plant(value: Any) -> Any:
        match value:
            case str():
                return f"{value} {secret} {value}"
            case dict():
                return {name: plant(inner) for name, inner in value.items()}
            case list():
                return [plant(inner) for inner in value]
        return value

    steps = [
        step._replace(
            thought=plant(step.thought),
            text=plant(step.text) if step.text else "",
            calls=[
                call._replace(
                    arguments=plant(call.arguments), result=plant(call.result)
                )
                for call in step.calls
            ],
        )
        for step in story.steps
    ]
    return Story(steps, plant(story.answer))


@given(stories, manners, _secrets, st.sampled_from(TARGETS), st.booleans())
def test_no_format_shows_a_secret_of_any_field(
    story: Story, manner: Manner, secret: str, to: str, everything: bool
) -> None:
    log = tell(planted(story, secret), manner)
    shows: dict[str, Any] = {"detail": everything, "thinking": everything}
    if everything:
        shows |= {"answer": True, "tool_output": "full"}

    shown = b"".join(convert.convert(log, to, reading=REDACT, **shows))

    assert secret not in shown.decode()
    assert secret[-12:] not in shown.decode()
    texts = [run.text for run in convert.read_runs([b"".join(log)], reading=REDACT)]
    assert all(secret not in (text or "") for text in texts)


@given(stories, manners, _secrets)
def test_redacting_twice_is_redacting_once(
    story: Story, manner: Manner, secret: str
) -> None:
    log = tell(planted(story, secret), manner)

    once = b"".join(convert.convert(log, "stream-json", reading=REDACT))
    twice = b"".join(convert.convert([once], "stream-json", reading=REDACT))
    events = list(convert.read([once], reading=REDACT))

    assert once == twice
    assert events[-1].redacted == {}  # type: ignore[attr-defined]
    assert len(once.splitlines()) == len(log)
    for run in convert.read_runs([once]):
        assert "".join(run.texts) == run.text


_BETWEEN = st.sampled_from(
    [
        {"type": "thinking", "subtype": "delta", "text": "Hm", "timestamp_ms": 5},
        {"type": "thinking", "subtype": "completed", "timestamp_ms": 5},
        {"type": "connection", "subtype": "reconnecting", "attempt": 1},
        {"type": "retry", "subtype": "starting", "attempt": 1, "is_resume": True},
        {"type": "minted", "value": 1},
        {"type": "user", "session_id": "other"},
        {},
    ]
)


@given(_secrets, st.data(), st.booleans(), st.booleans())
def test_a_secret_in_pieces_is_found(
    secret: str, data: st.DataObject, is_stamped: bool, is_recapped: bool
) -> None:
    text = f"The key {secret} is good."
    lines: list[dict[str, Any]] = []
    at = 0
    while at < len(text):
        end = data.draw(st.integers(at + 1, len(text)))
        between = dict(data.draw(_BETWEEN))
        if not is_stamped:
            between.pop("timestamp_ms", None)
        lines += [assistant(text[at:end], is_stamped), between]
        at = end
    if is_recapped:
        lines.append(assistant(text, is_stamped))
    lines.append({"type": "interaction_query", "subtype": "response"})
    log = b"".join(
        json.dumps({"session_id": "s", **line}).encode() + b"\n"
        for line in [{"type": "system", "subtype": "init"}, *filter(None, lines)]
    )

    runs = list(convert.read_runs([log], "stream-json", reading=REDACT))
    stream = b"".join(convert.convert([log], "stream-json", reading=REDACT))

    for run in runs:
        assert all("[redacted" in text for text in run.texts)
        assert secret not in "".join(run.texts)
    events = [json.loads(line) for line in stream.splitlines()]
    pieces = [event for event in events if event["type"] == "assistant"]
    assert secret not in "".join(
        event["message"]["content"][0]["text"] for event in pieces
    )
    assert len(events) == len([*filter(None, lines)]) + 1


def assistant(text: str, is_stamped: bool) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    line = {"type": "assistant", "message": {"role": "assistant", "content": content}}
    return line | ({"timestamp_ms": 5} if is_stamped else {})


@pytest.mark.parametrize("is_first", [True, False])
def test_a_secret_of_one_log_is_redacted_in_the_other(is_first: bool) -> None:
    token = "0e0b3c3e127df72d5c66c1cd701c2c1b90c3"
    telling = run_of(f"npm config set //npm.example/:_authToken {token}")
    silent = run_of(f"echo {token}")
    logs = (telling, silent) if is_first else (silent, telling)

    compared = convert.compare(*logs, reading=REDACT)

    assert token not in convert.report(compared, "json")
    assert token not in convert.report(compared, full=True)


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K{}",
        "ghp_\x9b0m{}",
        "ghp_\x7f{}",
        "ghp_\x1b]0;title\x07{}",
    ],
)
@pytest.mark.parametrize("target", ["markdown", "text", "stream-json", "answer"])
def test_a_token_in_colours_is_one(text: str, target: str) -> None:
    rest = "aQ3xR7mKzW1pL9vT4bN6cY8dF2gH5jS0eU1i"
    said = text.format(rest)
    message = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    event = {"type": "assistant", "message": message, "session_id": "s"}

    log = json.dumps(event).encode() + b"\n"
    written = b"".join(convert.convert(log, target, reading=REDACT, answer=True))

    assert rest.encode() not in written


@pytest.mark.parametrize(
    "text",
    [
        '{{\n  \x1b[34;1m"password"\x1b[0m: \x1b[0;32m"{}"\x1b[0m\n}}',
        "\x1b[01;31m\x1b[KDB_PASSWORD\x1b[m\x1b[K={}",
        "\x1b[36mAuthorization\x1b[39m: \x1b[33mBearer {}\x1b[39m",
        "export DB_PASSWORD={0}; echo \x1b[31m{0}",
        "export DB_PASSWORD={0}; echo 密码{0}不对",
    ],
)
def test_a_password_is_one_in_colours_and_next_to_any_script(text: str) -> None:
    secret = "hunter2Xy9zQ"
    log = run_of(text.format(secret))

    for target in ("markdown", "stream-json"):
        written = b"".join(convert.convert(log, target, reading=REDACT))
        assert secret.encode() not in written


@pytest.mark.parametrize(
    "text",
    [
        '{{"password": "{}',
        '{{"password":"{}\n',
        'DB_PASSWORD="{}\nX=1',
        "password = '{}\n",
        'DB_PASSWORD="ab\\"{}"',
    ],
)
def test_a_quoted_password_may_break_off(text: str) -> None:
    secret = "hunter2Xy9zQ"
    log = run_of(text.format(secret))

    written = b"".join(convert.convert(log, "stream-json", reading=REDACT))

    assert secret.encode() not in written


def test_a_log_in_pieces_is_the_same_as_itself() -> None:
    token = "0e0b3c3e127df72d5c66c1cd701c2c1b90c3"
    log = run_of(f"echo {token}") + run_of(f"npm config set //x/:_authToken {token}")

    for one, other in (([log], [log]), (log, [log]), ([log], log)):
        assert not convert.compare(one, other, reading=REDACT).is_different


def run_of(command: str) -> bytes:
    """Return the log of a run with one command."""
    body = {"args": {"command": command}, "result": {"success": {"exitCode": 0}}}
    call = {
        "subtype": "completed",
        "call_id": "c",
        "tool_call": {"shellToolCall": body},
    }
    events = [
        {"type": "tool_call", **call},
        {"type": "result", "subtype": "success", "result": "Done."},
    ]
    return "".join(f"{json.dumps(event)}\n" for event in events).encode()


@given(st.lists(st.sampled_from([*GATES, "q~", 'name="new_p', "a", "\n"])).map("".join))
def test_a_gate_is_found_by_its_sign(text: str) -> None:
    found = _OneByOne([gate.encode() for gate in GATES]).numbers(text.encode())

    assert {GATES[number] for number in found} == {
        gate for gate in GATES if gate in text
    }

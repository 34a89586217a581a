"""The values that can be a secret; placeholders, expressions and words are none."""

from __future__ import annotations

import functools
import re
from binascii import a2b_base64

from convert.wording import compiled

# These replace a secret that someone has yet to fill in.
_PLACEHOLDERS = (
    r"[*•.]{3}|[xX]{3}|<|\[|redacted"
    # One of these words by itself, or before a blank or a dot.
    r"|(?:true|false|none|null|nil|undefined|unset|empty|example|dummy|fake|todo"
    r"|replace|insert|enter|masked|hidden|omitted|sensitive|required|optional|string"
    r"|import|function|lambda|new|await|async|return|change[-_ ]?(?:me|this|it))"
    r"(?![A-Za-z0-9-])"
    r"|(?:replace|insert|enter|change)[-_ ](?:me|this|with|your|it\Z)"
    r"|your(?![A-Za-z]*\d)|placeholder"
    r"|my[-_](?:secret|password|token|key|api)[-_a-z]*\Z|not[-_ ]set"
    r"|(?:(?:super)?secret|password|passwd|token|key|pass)\Z"
)
# A variable, a member, a file or an entry of a store that holds the secret.
_REFERENCES = (
    r"\$[A-Za-z_{(]|\{|%[A-Za-z({%]|@[{(]|(?:op|vault|ssm|arn|file|env|secret):"
    r"|projects/"
    r"|(?:\.{1,2}|~)?/[a-z.]|(?-i:(?:[a-z_.-]{1,32}/){1,8}[a-z_.-]{1,64}\d?\Z)|id="
    r"|[\w-]{1,64}/\d{8}/|/[A-Za-z]+/|https?://[^@]*\Z|getenv|require\(|process\.env"
    r"|os\.(?:environ|getenv)|(?:env|self|this|var|local|data)\."
    r"|(?:config|settings|secrets|params|args|options|request)[.\[]"
)
# A role of reStructuredText, and a package under another name.
_ROLES = r":{0,2}(?:py|c|cpp|js|rst):[a-z]+:?\Z|:{1,2}[A-Za-z]+:?\Z|npm:[a-z@]"
# A time, and a name with its file; expressions, patterns, colours, tags and aliases
# of YAML.
_TIMES_AND_FILES = r"\d{4}-\d\d-\d\dT\d|[\w.-]{1,64}:/[a-z]+/|data\+omitted"
_EXPRESSIONS = (
    r"\(\?|#[0-9a-f]{3,8}\Z|0x[0-9a-f]{1,8}\Z|!{1,2}[a-z_.]+\Z|\*[a-z_]+\Z|[=?&]"
)
# The larger ones are compiled when a value is judged, which most logs have few of.
_NO_SECRET = (
    f"(?i:{_PLACEHOLDERS}|{_REFERENCES}|{_ROLES}|{_TIMES_AND_FILES}|{_EXPRESSIONS})"
)
_EXAMPLE = (
    r"x{4}|X{4}|(?i:example|your(?![A-Za-z]*\d)|placeholder|redacted|change_?me|dummy"
    r"|<(?:paste|insert|enter|the|my|jwt|token)|\.\.\.|\{[a-z_]+(?:\.[a-z_]+)*\})"
    r"|\*\*\*|…|\{[%{]"
)
# An identifier, a member, a call or a path of code.
_CODE = (
    r"(?s)[A-Za-z_$]+\d{0,2}(?:(?:\?|!)?(?:\.|->|::)[A-Za-z_$]+\d{0,2})+[;,)]*"
    r"|[A-Za-z_$][\w$.]*(?:(?:->|::)[\w$.]+){0,8}(?:<[\w:]+>)?[(\[].*"
    r"|_{0,2}[a-z]+(?:_[a-z0-9]+)*_?\d{0,2}[;,)]*"
    r"|[A-Z]+(?:_[A-Z0-9]+)*|[A-Za-z]+(?:-[A-Za-z]+)*|[A-Za-z_$]+\d?[;,)?]*"
    r"|#?[a-z-]+|\([\w, ]+\)|[A-Za-z_][\w:]*::\w+<.*"
)
# A type, or a constant, that a name in capitals is given.
_TYPE = (
    r"[A-Z][A-Za-z]*(?:[<\[].*)?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\W+"
    r"|(?=(?:.*[A-Z][a-z]{2,}){2})(?:[A-Z][a-z]*\d?){2,}(?<!\d)(?:<.*)?"
    r"|(?:symbol|number|object|any|bool|bytes|int|str)\b.*"
    r"|[A-Za-z_$]+\d{0,2}(?:\??\.[A-Za-z_$]+\d{0,2})+(?![A-Za-z0-9]|\.\d).*"
)
# A name of a secret: `x-auth-token`, `use-credentials`.
_NAME = (
    r"(?i)[a-z][\w.:-]*[_.:-](?:token|secret|password|credentials?|api[-_]?key"
    r"|auth\w*)[a-z_]{0,4}"
    r"|(?:token|secret|password|credentials?|api[-_]?key|auth\w*|use)[_.:-][a-z_.:-]*"
)
_VERSION = (
    r"[\^~<>=v]{0,2}(?:\d:)?\d{1,4}(?:\.[\dx*]{1,6}){1,3}[\w.+~:-]{0,32}"
    r"|[\d.,:%_-]*(?:ms|s|m|h|d|kB|MB|GB)?"
)
# Words of sentences, which no passphrase has.
_SENTENCE = (
    r"(?i)\b(?:a|an|and|are|at|be|can|cannot|could|do|does|enter|failed|for|from"
    r"|has|have"
    r"|if|in|incorrect|invalid|is|it|least|length|missing|must|no|not|of|on|or|password"
    r"|please|required|secret|see|should|that|the|this|to|token|use|using|was|when"
    r"|will|with"
    r"|wrong|you|your)\b"
)
# Words for a password, a token or a key in other languages, as labels have them.
_LABELS = (
    r"(?i)pass(?:wor|phra)|kennwort|mot de passe|contrase|senha|l[öo]senord|adgangskode"
    r"|wachtwoord|salasana|parol|has[łl][oa]|hesl|jelsz|ş?ifre|κωδικ|kata sandi"
    r"|mật khẩu"
    r"|\b(?:api|jeton|token|cl[ée]|clave|chave|chiave|key|secret|sekret|geheim\w*)\b"
)
# The numbers and the words with digits that names of programs are made of.
_NUMBERS = r"v?\d{1,4}[a-z]{0,2}|\d{1,4}(?:min|sec|day|hour)s?"
_TECHNICAL = (
    r"(?:u?int|float|utf|sha|md|aes|rsa|[rhe]s|ipv|base|[bipx]|https?|mp|ed|arm|amd"
    r"|oauth|pkcs|secp|curve)\d{1,5}(?:url|enc|k1|mb4|_t)?|argon2i?d?|i18n|a11y"
    r"|l10n|k8s"
    r"|s3|ec2|e2e|2fa|x86|b64"
)
# Words next to each other, as in the name of a package, a member or a test.
_NAMED = r"[^\W\d_]+(?:\d{0,2}|[1-9][05]0)"
_JOINED = re.compile(
    rf"[_$@]{{0,2}}(?:(?i:{_TECHNICAL}|{_NUMBERS})|{_NAMED})"
    rf"(?:(?:::|->|[-_./:|,])(?:(?i:{_TECHNICAL}|{_NUMBERS})|{_NAMED}))*"
)
# Of such words, those that speak about programs and no password is made of.
_SPEAKING = (
    r"(?i)(?<![^\W_])(?:a|after|all|an|and|any|as|at|be|before|by|each|every|for"
    r"|from|if"
    r"|in|into|is|no|not|of|on|only|or|per|than|the|to|too|until|via|when|with|without"
    r"|accepts?|adds?|allow\w*|base|cache\w*|colou?rs?|config\w*|count|create\w*"
    r"|credentials?\d?|data|default\w*|delete\w*|deps|disable\w*|enable\w*|encode\w*"
    r"|encrypt\w*|expire\w*|fail\w*|file|first|get|handle\w*|hash\w*|header|hidden"
    r"|invalid"
    r"|key|keys|last|length|list|load\w*|max|min|missing|name|new|next|null|number|old"
    r"|passwords?\d?|path|prompt|read\w*|refresh\w*|reject\w*|remove\w*|rename\w*"
    r"|require\w*"
    r"|reset\w*|returns?|rotat\w*|secrets?\d?|set|size|start\w*|string|test\w*"
    r"|token\w*|type"
    r"|uid|gid|unexpected|unset|update\w*|use\w*|valid\w*|value|version|write\w*"
    rf"|v\d{{1,3}}|\d{{1,4}}(?:ms|s|m|h|d|min|px|rem|em)|{_TECHNICAL})(?![^\W_])"
)
# A word that someone calls a password.
_CALLED = r"(?i)(?<![^\W_])(?:pw|pass|pwd)\d{0,2}(?![^\W_])"
_LETTERS = re.compile(r"[^\W\d_]+")
_PIECES = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_CHANGE = re.compile("(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_CONSONANTS = re.compile("(?i)[b-df-hj-np-tv-xz]{5}")
_WORDS = re.compile(r"(?:[A-Za-z][a-z]*|[A-Z]+|[\W_])+")
# The same values come again and again, since a log is read twice.
_remembered = functools.lru_cache(maxsize=1000)
_CASED = re.compile(
    r"(?=[A-Za-z]*\d)(?=[A-Za-z0-9]*[a-z][A-Z])[A-Za-z0-9]{6,64}"
    r"|[a-z]+(?:[A-Z][a-z]+)+\d"
)
# A time, an address and a path.
_PLACES = r"\d{4}-\d\d-\d\d|\d\d?:\d\d|[a-z]+://|\.{0,2}/"
_SETTING = (
    r"(?i)(?:passw(?:or)?d|passphrase|secret|token"
    r"|key)[\w.-]{0,16}[\"']?[ \t]?[=:][ \t]?[\"']?"
    r"([^\s\"',]{4,})"
)
_KEY = re.compile("[A-Za-z0-9+/]{16}")
# Cookies that name a session, and those that say nothing of the user.
_SESSION = re.compile(
    "(?i)sess|sid|auth|token|jwt|login|remember|csrf|xsrf|secret|user"
)
_PREFERENCE = (
    "(?i)path|domain|expires|max-age|samesite|priority|theme|lang(?:uage)?|locale|tz"
    "|timezone|currency|consent|_ga[_a-z0-9]*|_gid|_gat|_fbp|__utm[a-z]|httponly|secure"
)
# A word of a sentence, and a name of a program.
_TYPED = re.compile(
    "[a-z]{1,10}|[A-Z]?[a-z]{1,5}|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}"
)
_LETTER = re.compile("[A-Za-z]")
_NUMBER = re.compile(r"\d+")
_VOWEL = re.compile("[aeiouyAEIOUY]|[^ -~]")
_TEXT = re.compile(
    r"(?:[^\W\d_]|[-' \u2019.,:;!?…()«»/\uff08\uff09\uff1a\uff0c\u3002])+"
)
_DIGIT = re.compile(r"\d")


def is_anything(value: str) -> bool:
    """Return True: each match is a secret."""
    return True


def is_varied(body: str) -> bool:
    """Return True for a body of a token that is no placeholder."""
    return len(set(body)) >= 5 and not compiled(_EXAMPLE).search(body)


def is_scrambled(body: str) -> bool:
    """Return True for large and small letters that form no words."""
    longest = 4 if len(body) >= 30 else 3
    return len(body) >= 20 and len(_PIECES.findall(body)) * longest > len(body)


def is_words(value: str) -> bool:
    """Return True for words and small numbers, as names of programs are made of.

    That is the shape of `elevation-2` and `Token::new`, and of some passwords.
    """
    return bool(_JOINED.fullmatch(value)) and not any(
        map(_is_jumbled, _LETTERS.findall(value))
    )


def _is_jumbled(value: str) -> bool:
    """Return True for letters and digits that form no words: mixed, or no vowels."""
    if len(value) < 10:
        return False
    pieces = len(_PIECES.findall(value)) + len(_NUMBER.findall(value))
    return pieces * 2.5 > len(value) > 11 or len(_VOWEL.findall(value)) < 2


def is_ordinary(value: str) -> bool:
    """Return True for words about programs, and for a label in any language."""
    if compiled(_CALLED).search(value):
        return False
    return is_label(value) or (
        is_words(value) and bool(compiled(_SPEAKING).search(value))
    )


def is_label(value: str) -> bool:
    """Return True for the text next to a field, such as a translation of its name."""
    if not _TEXT.fullmatch(value):
        return False
    is_one_word = " " not in value and value.istitle()
    return is_one_word or not value.isascii() or bool(compiled(_LABELS).search(value))


def is_no_name(value: str) -> bool:
    """Return True for a value of a token or a key that no word or name can be.

    Small words with blanks may be one, but no sentence.
    """
    if " " in value and value.isascii() and value.replace(" ", "").isalpha():
        return value.islower() and is_phrase(value)
    return is_no_word(value) and not is_words(value)


def is_random(body: str) -> bool:
    """Return True for a body of a token that chance made, and that are no words."""
    is_no_text = any(map(str.isdigit, body)) or not _WORDS.fullmatch(body)
    return is_varied(body) and (is_no_text or is_scrambled(body))


def is_issued(literals: tuple[str, ...], token: str) -> bool:
    """Return True for a random token that begins with a literal that begins no name.

    Without a digit, letters of both sizes are random if they form no words.
    """
    literal = max(filter(token.startswith, literals), key=len)
    is_odd = is_varied(token) and _is_unspeakable(token.removeprefix(literal))
    return is_odd or is_random(token)


def _is_unspeakable(body: str) -> bool:
    """Return True for letters that change their size too often, or have no vowels."""
    is_odd = len(_PIECES.findall(body)) * 3.5 > len(body) or _CONSONANTS.search(body)
    return bool(is_odd) and len(_CHANGE.findall(body)) > 1


def is_shuffled(body: str) -> bool:
    """Return True for a random body with several letters of both sizes and digits."""
    kinds = str.isupper, str.islower, str.isdigit
    return is_random(body) and all(sum(map(kind, body)) > 1 for kind in kinds)


def is_very_random(body: str) -> bool:
    """Return True for a random body with several digits and letters."""
    return is_random(body) and len(_DIGIT.findall(body)) > 1 < len(
        _LETTER.findall(body)
    )


@_remembered
def is_no_placeholder(value: str) -> bool:
    """Return True for a value of an option or variable that only a secret can have."""
    is_placeholder = compiled(_NO_SECRET).match(value) or compiled(_EXAMPLE).search(
        value
    )
    return not is_placeholder and len(set(value)) > 1


def is_block(value: str) -> bool:
    """Return True for a value in lines of its own, which are no sentences."""
    lines = [*filter(None, map(str.strip, value.splitlines()))]
    if len(lines) == 1 and " " in lines[0]:
        return (
            is_no_placeholder(lines[0])
            and is_phrase(lines[0])
            and not lines[0].islower()
        )
    return not any(" " in line for line in lines) and is_no_word(lines[0])


@_remembered
def is_no_word(value: str) -> bool:
    """Return True for a value in code or prose that no word or name can be."""
    if not is_no_placeholder(value) or compiled(_VERSION).fullmatch(value):
        return False
    if is_ordinary(value):
        return False
    is_mixed_up = is_scrambled(value) or (_is_jumbled(value) and not value.islower())
    if is_mixed_up and value.isascii() and value.isalnum():
        return True
    if any(compiled(each).fullmatch(value) for each in (_CODE, _TYPE)) or "?." in value:
        return False
    if " " in value:
        return is_phrase(value)
    kinds = (str.islower, str.isupper, str.isdigit, lambda one: not one.isalnum())
    return sum(any(map(kind, value)) for kind in kinds) > 1


def is_cased(value: str) -> bool:
    """Return True for a written value, or letters with a capital inside and a digit."""
    return is_no_word(value) or (
        is_no_placeholder(value)
        and bool(_CASED.fullmatch(value))
        and not is_ordinary(value)
    )


def is_default(value: str) -> bool:
    """Return True for the default of a missing secret, which may be four words."""
    return is_quoted_in_prose(value) or is_cased(value)


def is_phrase(value: str) -> bool:
    """Return True for words that make no sentence, such as a passphrase."""
    words = value.split(" ")
    if not 1 < len(words) <= 12 or not all(words):
        return False
    return not any(compiled(each).search(value) for each in (_SENTENCE, _LABELS))


def is_foreign(value: str) -> bool:
    """Return True for a value in a sentence whose words are not known."""
    if " " in value:
        return (
            is_no_placeholder(value) and bool(_DIGIT.search(value)) and len(value) >= 8
        )
    return is_long(value)


def is_quoted_in_prose(value: str) -> bool:
    """Return True for a written value, or for many words with hyphens."""
    words = value.split("-")
    are_many = len(words) > 3 and all(map(str.isalpha, words))
    return is_no_word(value) or (are_many and not compiled(_SENTENCE).search(value))


def is_in_column(value: str) -> bool:
    """Return True for a value next to its name that no word, version or time can be."""
    is_name = is_words(value) or compiled(_PLACES).match(value)
    return is_long(value) and not is_name and is_random(value)


def is_encoded(value: str) -> bool:
    """Return True for base64 of settings, or of an object, one of which is a secret."""
    whole = "".join(value.split()).rstrip("=")
    try:
        text = a2b_base64(whole[: len(whole) // 4 * 4]).decode()
    except ValueError:
        return False
    return any(
        is_no_placeholder(each[1]) and not is_words(each[1]) and not each[1].isdigit()
        for each in compiled(_SETTING).finditer(text)
    )


def is_long(value: str) -> bool:
    """Return True for a written value of 8 characters or more."""
    return len(value) >= 8 and is_no_word(value)


def is_credential(value: str) -> bool:
    """Return True for a value that a program sends to prove who it is."""
    return is_no_placeholder(value) and len(value) >= 8 and is_random(value)


def is_typed(value: str) -> bool:
    """Return True for a value typed as a password, which is no word of a sentence."""
    return (
        is_no_placeholder(value)
        and not _TYPED.fullmatch(value)
        and not is_ordinary(value)
    )


def is_filled(value: str) -> bool:
    """Return True for a value typed into a field, which is no sentence."""
    return is_typed(value) and (" " not in value or is_phrase(value))


def is_argument(value: str) -> bool:
    """Return True for the last argument of a call that logs in."""
    return is_phrase(value) if " " in value else is_long(value)


def is_cookie(value: str) -> bool:
    """Return True for cookies, one of which identifies its sender."""
    return any(
        is_no_placeholder(body)
        and (_SESSION.search(name) or (len(body) >= 16 and is_random(body)))
        for name, _, body in (part.strip().partition("=") for part in value.split(";"))
        if body and not compiled(_PREFERENCE).fullmatch(name)
    )


def is_key(value: str) -> bool:
    """Return True for the body of a private key, which is more than dots."""
    return bool(_KEY.search(value))


def is_no_type(value: str) -> bool:
    """Return True for a value of a variable in capitals, which is no name of a type."""
    is_name = compiled(_TYPE).fullmatch(value) or compiled(_NAME).fullmatch(value)
    if is_name or not is_no_placeholder(value):
        return False
    if " " in value and not any(map(str.isdigit, value)):
        return is_phrase(value)
    return not is_ordinary(value)


def is_mixed(value: str) -> bool:
    """Return True for a long value with letters and digits, which is no name."""
    has_both = len(_DIGIT.findall(value)) > 1 and bool(_LETTER.search(value))
    return has_both and is_long(value)


def is_made(value: str) -> bool:
    """Return True for a long value with letters and digits, which forms no words."""
    return is_mixed(value) and not is_words(value)

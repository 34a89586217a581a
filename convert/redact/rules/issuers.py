"""Keys and tokens that show by their own shape who issued them: one line for each kind.

A line has the name, the literals with which such tokens begin, and how they go on, as
`rule.as_pattern` reads it. The facts come from the issuers' documentation (such as
"Token formats" of Cloudflare, "Token overview" of GitLab, "About authentication" of
GitHub and its list of supported patterns for partners), as of 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from convert.redact.rule import Rule, as_pattern, beginning
from convert.redact.rules.services import MODELS, SERVICES, UUID, VAGUE
from convert.redact.values import is_random, is_shuffled, is_varied, is_very_random

_CODE = (
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "{w36+}"),
    ("GitHub token", "ghs_", "{a20+}.{t10+}.{t10+}"),
    ("GitHub token", "github_pat_", "{w36+}"),
    ("GitLab token", "glpat- gldt- glft- glffct- glsoat- glrt- glrtr-", "{t20+}"),
    ("GitLab token", "glcbt- glimt- glptt- glagent- gloas- glwt-", "{t20+}"),
    ("GitLab token", "GR1348941", "{t20+}"),
    ("GitLab token", "glpat- glrt- glcbt- gldt- glptt-", "{t20+}.{w2}.{w7+}"),
    ("Bitbucket token", "ATBB", "{a28-40}"),
    ("Bitbucket token", "ATCTT3", "{x100+}"),
    ("Atlassian token", "ATATT3 ATSTT3", "{x100+}"),
    ("Trello token", "ATTA", "{h64-72}"),
    ("Azure DevOps token", "", "{a76}AZDO{a4}"),
    ("Gitea token", "gtp_", "{h40}"),
    ("Sourcegraph token", "sgp_ slk_", "{h40-64}"),
    ("Sourcegraph token", "sgp_", "{w16}_{h40}"),
    ("npm token", "npm_", "{a36}"),
    ("PyPI token", "pypi-AgEI pypi-AgEN", "{t50+}"),
    ("RubyGems key", "rubygems_", "{h48}"),
    ("crates.io token", "cio", "{a32}"),
    ("NuGet key", "oy2", "{l43}"),
    ("Clojars token", "CLOJARS_", "{l60}"),
    ("Docker token", "dckr_pat_ dckr_oat_", "{t20+}"),
    ("Artifactory key", "AKCp", "{a60+}"),
    ("Artifactory token", "cmVmd", "{a59}"),
    ("Packagist token", "packagist_", "{w60+}"),
    ("Buildkite token", "bkua_ bkct_ bkpi_ bkar_", "{h40}"),
    ("CircleCI token", "CCIPAT_ CCIPRJ_", "{a22}_{h40}"),
    ("CircleCI token", "CCIPAT_ CCIPRJ_", "{a40+}"),
    ("SonarQube token", "sqp_ squ_ sqa_", "{h40}"),
    ("Snyk token", "snyk_uat. snyk_sat.", "{h8}.{t30+}"),
    ("Postman key", "PMAK-", "{h24}-{h34}"),
    ("ReadMe key", "rdme_", "{l70}"),
    ("Octopus key", "API-", "{u26}"),
    ("WakaTime key", "waka_", UUID),
    ("Terraform token", "", "{a14}.atlasv1.{t60-70}"),
    ("Pulumi token", "pul-", "{h40}"),
    ("Infracost key", "ico-", "{a32}"),
    ("Prefect key", "pnu_ pnb_", "{a36}"),
    ("dbt token", "dbtc_ dbtu_", "{t36+}"),
    ("Expo token", "expo_", "{t40}"),
    ("Sanity token", "sk", "{a176-184}"),
    ("Contentful token", "CFPAT-", "{t43}"),
)
_CLOUDS = (
    ("AWS key", "AKIA ASIA ABIA ACCA", "{u16}"),
    ("AWS key", "ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-", "{b60+}="),
    ("AWS key", "ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-", "{b60+}"),
    ("AWS session token", "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", "{b100+}"),
    ("Google key", "AIza", "{t35}"),
    ("Google key", "AQ.Ab", "{t40+}"),
    ("Google token", "ya29.", "{t20+}"),
    ("Google token", "GOCSPX-", "{t28}"),
    ("Google token", "1//0", "{t40+}"),
    ("Azure key", "", "{a3}{d1}Q~{t31-34}"),
    ("Azure key", "", "{a52}JQQJ99{a26}"),
    ("Azure key", "", "{b76}+ASt{b6}="),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "{h64}"),
    ("Cloudflare token", "cfut_ cfat_ cfk_", "{t40+}"),
    ("Cloudflare key", "v1.0-", "{h24}-{h146}"),
    ("Heroku key", "HRKU-", "{t36+}"),
    ("Fly.io token", "fm2_ fm1r_", "{b40+}"),
    ("Fly.io token", "fo1_", "{t43}"),
    ("Netlify token", "nfp_ nfc_ nfo_ nfb_ nfu_", "{a36-40}"),
    ("Vercel token", "vcp_ vci_ vca_ vcr_ vck_", "{a24+}"),
    ("Render key", "rnd_", "{a28-36}"),
    ("Alibaba key", "LTAI", "{a16-24}"),
    ("Tencent key", "AKID", "{a32}"),
    ("Yandex key", "AQVN", "{t35-38}"),
    ("Yandex key", "y0_", "{t50+}"),
    ("Yandex key", "t1.", "{x20+}.{x80+}"),
    ("Scaleway key", "SCW", "{u17}"),
    ("Databricks token", "dapi", "{h32}-{d1}"),
    ("Databricks token", "dapi", "{h32}"),
    ("Databricks token", "dkea", "{h32}"),
    ("Supabase key", "sbp_", "{h40+}"),
    ("Supabase key", "sb_secret_", "{t20+}"),
    ("Neon key", "napi_", "{l60+}"),
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "{x32+}"),
    ("CockroachDB key", "CCDB1_", "{a20+}_{a40}"),
    ("MongoDB Atlas secret", "mdb_sa_sk_", "{t36+}"),
    ("Aiven password", "AVNS_", "{t19+}"),
    ("Elastic key", "essu_", "{t40+}"),
    ("Tailscale key", "tskey-", "{l3-12}-{t20+}"),
    ("Vault token", "hvs. hvb. hvr.", "{t24+}"),
    ("Doppler token", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", "{a40-44}"),
    ("Doppler token", "dp.st.", "{t2+}.{a40-44}"),
    ("Doppler token", "dp.st.", "{a40-44}"),
    ("Infisical token", "st.", "{h24}.{h32}.{h32}"),
    ("1Password token", "ops_eyJ", "{b100+}"),
    ("1Password token", "ops_eyJ", "{t100+}"),
    ("1Password key", "A3-", "{u6}-{u11}-{u5}-{u5}-{u5}"),
    ("1Password key", "A3-", "{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"),
    ("Vault token", "s.", "{a24}"),
    ("age key", "AGE-SECRET-KEY-1", "{u58}"),
    ("age key", "AGE-PLUGIN-", "{u3+}-1{u50+}"),
)
_MESSAGES = (
    ("Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc-", "{t20+}"),
    ("Slack token", "xoxe.xoxb- xoxe.xoxp- xapp-", "{t20+}"),
    ("Discord token", "M N O", "{t23-27}.{t6}.{t27-38}"),
    ("Telegram token", "", "{d8-10}:AA{t33}"),
    ("Twilio key", "SK", "{h32}"),
    ("SendGrid key", "SG.", "{t16-32}.{t16-64}"),
    ("Mailgun key", "key-", "{h32}"),
    ("Mandrill key", "md-", "{t22}"),
    ("Mailchimp key", "", "{h32}-us{d1-2}"),
    ("Brevo key", "xkeysib- xsmtpsib-", "{h64}-{a16}"),
    ("Resend key", "re_", "{a8}_{a20-32}"),
    ("HubSpot token", "pat-na1- pat-eu1- pat-na2- pat-ap1-", UUID),
    ("Airtable token", "pat", "{a14}.{h64}"),
    ("Notion token", "ntn_", "{a40+}"),
    ("Notion token", "secret_", "{a43}"),
    ("Linear key", "lin_api_ lin_oauth_ lin_wh_", "{a32+}"),
    ("ClickUp token", "pk_", "{d6-9}_{u32}"),
    ("Typeform token", "tfp_", "{x50+}"),
    ("Figma token", "figd_ figo_ figu_", "{t38+}"),
    ("Dropbox token", "sl.u. sl.", "{t60+}"),
    ("Adobe secret", "p8e-", "{t32}"),
    ("Facebook token", "EAACEdEose0cBA EAAG EAAB EAAC EAAD", "{a80+}"),
    ("Twitch token", "oauth:", "{l30}"),
    ("webhook key", "whsec_", "{b24+}="),
    ("webhook key", "whsec_", "{b24+}"),
    ("Mapbox token", "sk.eyJ", "{t40+}.{t20+}"),
    ("Stytch secret", "secret-live- secret-test-", "{t35+}="),
    ("Okta token", "00", "{t40}"),
)
_MONEY_AND_SERVICE = (
    ("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_", "{a16+}"),
    ("Stripe key", "sk_org_live_ sk_org_test_", "{a16+}"),
    ("Shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_", "{H32}"),
    ("Square token", "sq0atp- sq0csp- sq0idp-", "{t22-43}"),
    ("Square token", "EAAA", "{t60}"),
    ("PayPal token", "access_token$production$ access_token$sandbox$", "{l16}${h32}"),
    ("Plaid token", "access-sandbox- access-production- access-development-", UUID),
    ("Paddle key", "pdl_live_apikey_ pdl_sdbx_apikey_", "{w40+}"),
    ("Flutterwave key", "FLWSECK_TEST- FLWSECK-", "{a32}-X"),
    ("Flutterwave key", "FLWSECK_TEST- FLWSECK-", "{a12+}"),
    ("Mollie key", "live_ test_", "{a30}"),
    ("GoCardless token", "live_ sandbox_", "{t40}"),
    ("Duffel token", "duffel_live_ duffel_test_", "{t43}"),
    ("EasyPost key", "EZAK EZTK", "{a54}"),
    ("Shippo token", "shippo_live_ shippo_test_", "{h40}"),
    ("Dynatrace token", "dt0c01. dt0s01. dt0s16.", "{u8-24}.{u64}"),
    ("New Relic key", "NRAK- NRII- NRRA- NRIQ-", "{t27-42}"),
    ("New Relic key", "NRJS-", "{h19}"),
    ("New Relic key", "", "{h36}NRAL"),
    ("Grafana token", "glsa_", "{a32}_{h8}"),
    ("Grafana token", "glc_eyJ", "{b30+}="),
    ("Grafana token", "glc_eyJ eyJrIjoi", "{b30+}"),
    ("Sentry token", "sntrys_ sntryu_", "{b40+}_{b40+}"),
    ("Sentry token", "sntrys_ sntryu_", "{x40+}"),
    ("Honeycomb key", "hcaik_ hcxik_ hcalk_ hcamk_", "{l40+}"),
    ("PostHog key", "phx_ phs_", "{w40+}"),
    ("LaunchDarkly key", "sdk- api-", UUID),
    ("Axiom token", "xaat- xapt-", UUID),
    ("Datadog key", "ddapp_ ddpat_", "{a32+}"),
    ("Statsig key", "secret-", "{a40-50}"),
    ("Checkly key", "cu_", "{h32}"),
    ("ngrok token", "2", "{a26}_{a21-24}"),
    ("MaxMind key", "", "{a6}_{a29}_mmk"),
    ("hCaptcha secret", "ES_", "{h32}"),
    ("Turnstile secret", "0x4AAAAAA", "{t24-30}"),
    ("Zuplo key", "zpka_", "{a32}_{h8}"),
    ("Duo secret", "DUO", "{a40}"),
    ("WorkOS key", "sk_", "{a40-60}"),
)

# The first of many that follow one another alone can begin one.
_JWT = (
    r"(?:(?<![_-])|(?m:(?<=^-)))eyJ[A-Za-z0-9_-]{8,}+\.(?:eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+"
    r"|[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{8,}+){3})"
)
_FIELD = re.compile(r"\{[^}]*\}")
# All characters of such a token are those of words.
_OF_WORDS = re.compile(r"(?:[A-Za-z0-9_.-]|\{[adhHltuw]\d[^}]*\})+")
# A word begins here, or a sequence of the terminal or an escape ends.
_ENDS = (
    *(r"\\[nrtbf]", r"\\x[0-9A-Fa-f]{2}", r"\\u00[0-9A-Fa-f]{2}"),
    *(r"%[0-9A-Fa-f]{2}", r"=3[Dd]", r"[0-9;\[]m", r"\[K", r"\[[0-2]K", r"\(B", "/bot"),
)
_WORD = rf"(?:(?<![A-Za-z0-9])|{'|'.join(f'(?<={end})' for end in _ENDS)})"
# A beginning of up to so many characters says little of its own.
_SHORT = 2


def _token(name: str, begins: str, rest: str) -> Rule:
    """Return the rule of a line.

    Without a literal at the beginning, the longest one in the middle leads to it.
    """
    words = tuple(begins.split())
    either = "|".join(map(re.escape, words))
    example = f"«{words[0] if words else ''}{rest}»"
    is_word = bool(_OF_WORDS.fullmatch("".join(words) + rest))
    pattern = f"(?:{either}){as_pattern(rest)}"
    if not words:
        middle = max(_FIELD.split(rest), key=len)
        before = rest[: rest.index(middle)]
        counts = re.findall(r"\{.(\d+)(?:-(\d+))?\}", before)
        others = len(_FIELD.sub("", before))
        return Rule(
            name,
            (middle,),
            f"{_WORD}{pattern}",
            example,
            is_random,
            reach=others + sum(int(most or least) for least, most in counts),
            least=others + sum(int(least) for least, _ in counts),
            is_word=is_word,
        )
    if words[0].isdigit():
        # The end of a number, or of a part of a word.
        pattern = f"(?<![-.]){pattern}"
    return Rule(
        *(name, words, pattern, example, _judge(words, rest)),
        follows=beginning(rest),
        is_word=is_word,
    )


def _judge(words: tuple[str, ...], rest: str) -> Callable[[str], bool]:
    """Return what tells a token from a placeholder: the less the word before says."""
    if rest.startswith("{u") and len(words[0]) > _SHORT:
        return is_varied
    return is_very_random if len(min(words, key=len)) <= _SHORT else is_random


_RULES = (
    *(
        _token(*line)
        for line in (
            *(MODELS + _CODE + _CLOUDS + _MESSAGES + _MONEY_AND_SERVICE),
            *SERVICES,
        )
    ),
    *(_token(*line)._replace(accepts=is_shuffled) for line in VAGUE),
    Rule(
        "Slack token",
        ("xoxd-",),
        r"xoxd-[A-Za-z0-9+/=_%-]{10,}+",
        "«xoxd-{a20}%2B{a30}%3D»",
        is_random,
    ),
    Rule("JWT", ("eyJ",), _JWT, "«eyJ{a20}.eyJ{a40}.{a43}»", is_random),
    Rule(
        "X token",
        ("AAAAAAAAAAAAAAAAAAAAA",),
        r"A{21}[A-Za-z0-9]{1,40}+%[A-Za-z0-9%]{40,}+",
        "«AAAAAAAAAAAAAAAAAAAAA{a12}%2B{a30}%3D{a50}»",
        is_random,
    ),
)
# A token is found among the words of a text that are as long as this, if it begins with
# one. The others are looked for by their literals.
LONG_WORD = 16
_ONE_WORD = re.compile(
    r"(?:[A-Za-z0-9_.-]|\{[adhHltuwx]\d+[^}]*\})+=?|[A-Za-z0-9_.-]{7,}\{b.*|A{21}.*"
)
WORDS = tuple(rule for rule in _RULES if _ONE_WORD.fullmatch(rule.example.strip("«»")))
PARTED = tuple(rule for rule in _RULES if rule not in WORDS)

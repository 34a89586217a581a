"""Keys and tokens that show by their own shape who issued them: one line for each kind.

A line has the name, the literals with which such tokens begin, and how they go on, as
`rule.as_pattern` reads it. The facts come from the issuers' documentation (such as
"Token formats" of Cloudflare, "Token overview" of GitLab, "About authentication" of
GitHub and its list of supported patterns for partners), as of 2026.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from convert.redact.rule import Rule, as_pattern, beginning
from convert.redact.values import (
    is_key,
    is_random,
    is_shuffled,
    is_varied,
    is_very_random,
)

# The lines are read as those of `issuers`.
UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"
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


MODELS = (
    ("Anthropic key", "sk-ant-", "{t20+}"),
    ("OpenRouter key", "sk-or-v1-", "{h64}"),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-service- sk-None-", "{t20+}"),
    ("OpenAI key", "sk-", "{a32+}"),
    ("Langfuse key", "sk-lf-", UUID),
    ("Cursor key", "key_ crsr_", "{h64}"),
    ("Hugging Face token", "hf_ api_org_", "{a34-40}"),
    ("Groq key", "gsk_", "{a40+}"),
    ("xAI key", "xai-", "{a60+}"),
    ("Perplexity key", "pplx-", "{a40+}"),
    ("Replicate token", "r8_", "{a37-40}"),
    ("NVIDIA key", "nvapi-", "{t50+}"),
    ("Fireworks key", "fw_", "{a22-24}"),
    ("Together key", "tgp_v1_", "{t40+}"),
    ("Cerebras key", "csk-", "{l48}"),
    ("ElevenLabs key", "sk_", "{h48}"),
    ("LangSmith key", "lsv2_pt_ lsv2_sk_", "{h32}_{h10}"),
    ("Pinecone key", "pcsk_", "{w40+}"),
    ("Weights & Biases key", "wandb_v1_", "{w40+}"),
    ("Tavily key", "tvly-dev- tvly-prod- tvly-", "{t32+}"),
    ("Firecrawl key", "fc-", "{h32}"),
    ("Jina key", "jina_", "{t40+}"),
    ("Voyage key", "pa- al-", "{t43}"),
    ("E2B key", "e2b_", "{h40}"),
    ("RunPod key", "rpa_", "{u40}{l6}"),
    ("RunPod key", "rpa_", "{a40+}"),
    ("Apify token", "apify_api_", "{a36+}"),
    ("Browserbase key", "bb_live_ bb_test_", "{a24+}"),
    ("Clarifai token", "clf_", "{h32}"),
    ("Baseten key", "bst_", "{a32+}"),
    ("Coze token", "pat_", "{a64}"),
    ("Moonshot key", "sk-kimi-", "{a40+}"),
    ("MiniMax key", "sk-api-", "{t60+}"),
    ("Runway key", "key_", "{h128}"),
    ("LlamaCloud key", "llx-", "{a40+}"),
    ("Helicone key", "sk-helicone-", "{t20+}"),
    ("Context7 key", "ctx7sk-", UUID),
    ("Mem0 key", "m0-", "{a40}"),
    ("Chutes key", "cpk_", "{h32}.{h32}.{a32}"),
    ("v0 key", "v1:", "{a24}:{a24}"),
    ("Amp token", "sgamp_", "{w40+}"),
    ("Warp key", "wk-1.", "{h64}"),
    ("Devin key", "apk_user_", "{b40+}="),
    ("Devin key", "apk_user_", "{b40+}"),
    ("Devin key", "cog_", "{a40+}"),
)
SERVICES = (
    ("Polar token", "polar_oat_ polar_pat_", "{a40+}"),
    ("Unkey key", "unkey_", "{a20+}"),
    ("Trigger.dev key", "tr_prod_ tr_dev_ tr_stg_ tr_pat_", "{a20+}"),
    ("Inngest key", "signkey-prod- signkey-test- signkey-branch-", "{h32-64}"),
    ("Liveblocks key", "sk_prod_ sk_dev_", "{t30+}"),
    ("Svix key", "testsk_", "{t30+}"),
    ("Courier key", "pk_prod_", "{u28}"),
    ("ImageKit key", "private_", "{b27}="),
    ("Depot token", "depot_org_ depot_project_ depot_", "{h64}"),
    ("Socket key", "sktsec_", "{w30+}"),
    ("Buf token", "buf_", "{h64}"),
    ("Deno token", "ddp_ ddo_", "{a36}"),
    ("Val Town token", "vtwn_", "{a24+}"),
)
# These begin as other words do, and need letters of both sizes with digits.
VAGUE = (
    ("Composio key", "ak_", "{t20}"),
    ("Novita key", "sk_", "{t43}"),
    ("Svix key", "sk_", "{t32}"),
    ("Svix key", "sk_", "{t32}.{l2}"),
    ("Factory key", "fk-", "{t40+}"),
    ("Buf token", "buf_", "{a40}"),
)
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
_HEXADECIMAL = tuple("0123456789abcdef")
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

PAIRED = (
    # The token of an account stands after its number.
    Rule(
        "Twilio token",
        ("AC",),
        r"AC[0-9a-f]{32}(?![0-9A-Za-z])\\{0,3}[\"']?[\s,:=]{1,3}\\{0,3}[\"']?"
        r"(?P<secret>[0-9a-f]{32})(?![0-9A-Za-z])",
        'Client("AC{h32}", "«{h32}»")',
        is_random,
        follows="[0-9a-f]{8}",
    ),
    Rule(
        "fal key",
        _HEXADECIMAL,
        rf"{_UUID}:[0-9a-f]{{32}}(?![A-Za-z0-9])",
        "«{h8}-{h4}-{h4}-{h4}-{h12}:{h32}»",
        is_random,
        follows="[0-9a-f]{7}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        then=":",
    ),
    Rule(
        "Z.ai key",
        _HEXADECIMAL,
        r"[0-9a-f]{32}\.(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])(?=[A-Za-z]*\d)"
        r"[A-Za-z0-9]{16}(?![A-Za-z0-9_-])",
        "«{h32}.{a16}»",
        is_random,
        follows=r"[0-9a-f]{31}\.[A-Za-z0-9]{16}",
        is_word=True,
    ),
)
AFTER_ID = (
    Rule(
        "AWS key",
        ("akia", "asia"),
        r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])(?:[\"',;:|]|\s|\\[nt]){1,8}"
        r"(?:(?:Active|Inactive)(?:\s|\\[nt]){1,8})?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "AKIA7QWERTYEXAMPLE77,«{a40}»",
        is_shuffled,
    ),
)
KEYS = (
    Rule(
        "private key",
        ("-----begin ",),
        r"(?i:-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}"
        r"(?:PRIVATE KEY(?: BLOCK)?|STATIC KEY V1)-----)(?P<secret>"
        # Its lines end with a line feed, or with the escape that JSON writes for it.
        r"\s{0,8}(?:\\{1,3}[nr]|[\r\n]|(?=[A-Za-z0-9+/]{16}))"
        # Up to its end, if there is one: what a preview cut off is no less secret.
        r"(?:(?>(?:[^-]++|-(?!----))*)(?=-----END )"
        r"|(?>(?:[A-Za-z0-9+/=\s\\:,.\"'|>→]++|-(?!----))*)))",
        "-----BEGIN RSA PRIVATE KEY-----«\n{a64}\n{a40}==\n»"
        "-----END RSA PRIVATE KEY-----",
        is_key,
    ),
    Rule(
        "private key",
        ("-----end ",),
        # The last lines of one whose first are not shown.
        r"(?P<secret>[A-Za-z0-9+/=\r\n\\]{16,4096}+)"
        r"(?=-----END [A-Z0-9 ]{0,40}PRIVATE KEY)",
        '"«{a64}\n{a40}=\n»-----END RSA PRIVATE KEY-----',
        reach=4096,
        least=16,
        before=f"{string.ascii_letters}{string.digits}+/=\r\n\\",
    ),
    Rule(
        "private key",
        ("private-lines:",),
        r"(?i:Private-Lines:) ?\d{1,3}(?P<secret>[A-Za-z0-9+/=\s\\]{16,}+)",
        "Private-Lines: 2«\n{a64}\n{a40}=\n»…",
    ),
    Rule(
        "private key",
        ("privatekey", "private_key", "private-key", "presharedkey"),
        r"(?i:(?:private[-_]?|preshared)key)[\"' ]{0,3}[=:] ?[\"']?"
        r"(?P<secret>(?:0x)?[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)(?![A-Za-z0-9])",
        "PrivateKey = «{a43}=»",
        is_random,
    ),
)

# The accounts of a network of a blockchain, where a hash looks the same.
ACCOUNT_KEY = Rule(
    "private key",
    ("0x",),
    r"(?:(?<=accounts: \[[\"'])|(?<=accounts:\[[\"'])|(?<=accounts: \[\\\"))"
    r"0x[0-9a-f]{64}(?![0-9a-f])",
    'accounts: ["«0x{h64}»"]',
    follows="[0-9a-f]{8}",
)
# -----BEGIN in base64, as in the data of a certificate or of a key.
ENCODED_KEY = Rule(
    "private key",
    ("LS0tLS1CRUdJTi",),
    r"LS0tLS1CRUdJTi(?:B[A-Za-z0-9+/]{0,24}(?:QUklWQVRF|UFJJVkFUR|BSSVZBVE))"
    r"[A-Za-z0-9+/=]{16,}+",
    "client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk{a80}»",
)

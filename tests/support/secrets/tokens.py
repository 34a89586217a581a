"""Keys and tokens of issuers, one after another in each of the places."""

from __future__ import annotations

import re
from collections.abc import Iterator

# The issuer, and the form of its tokens.
_ISSUED = """
Anthropic sk-ant-api03-{t93}AA
Anthropic sk-ant-admin01-{t93}AA
Anthropic sk-ant-oat01-{t93}AA
OpenAI sk-{a48}
OpenAI sk-proj-{t74}T3BlbkFJ{t74}
OpenAI sk-svcacct-{t74}T3BlbkFJ{t74}
OpenAI sk-admin-{t58}T3BlbkFJ{t58}
OpenRouter sk-or-v1-{h64}
Cursor key_{h64}
Cursor crsr_{h64}
HuggingFace hf_{a34}
Groq gsk_{a52}
xAI xai-{a80}
Perplexity pplx-{a48}
Replicate r8_{a37}
NVIDIA nvapi-{t64}
Fireworks fw_{a24}
Together tgp_v1_{t43}
Cerebras csk-{l48}
ElevenLabs sk_{h48}
LangSmith lsv2_pt_{h32}_{h10}
LangSmith lsv2_sk_{h32}_{h10}
Pinecone pcsk_{a6}_{a63}
Wandb wandb_v1_{w78}
Tavily tvly-dev-{a32}
Firecrawl fc-{h32}
Jina jina_{a60}
Voyage pa-{t43}
E2B e2b_{h40}
RunPod rpa_{u40}{l6}
Apify apify_api_{a36}
DeepSeek sk-{h32}
Langfuse sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}
GitHub ghp_{a36}
GitHub gho_{a36}
GitHub ghu_{a36}
GitHub ghs_{a36}
GitHub ghr_{a76}
GitHub github_pat_{a22}_{a59}
GitLab glpat-{t20}
GitLab glpat-{t27}.01.{l9}
GitLab gldt-{t20}
GitLab glrt-{t20}
GitLab glptt-{h40}
GitLab glcbt-1f_{t20}
GitLab glft-{t20}
GitLab glagent-{t50}
GitLab GR1348941{t20}
Bitbucket ATBB{a32}
Atlassian ATATT3xFfGF0{t171}={H8}
Trello ATTA{h64}
Azure-DevOps {a76}AZDO{a4}
Sourcegraph sgp_{h16}_{h40}
npm npm_{a36}
PyPI pypi-AgEIcHlwaS5vcmc{t150}
RubyGems rubygems_{h48}
crates.io cio{a32}
NuGet oy2{l43}
Clojars CLOJARS_{h60}
Docker dckr_pat_{t27}
Docker dckr_oat_{t32}
Artifactory AKCp{a69}
Artifactory cmVmd{a59}
Buildkite bkua_{h40}
CircleCI CCIPAT_{a22}_{h40}
SonarQube squ_{h40}
SonarQube sqp_{h40}
Snyk snyk_uat.{h8}.{t80}
Postman PMAK-{h24}-{h34}
ReadMe rdme_{l70}
Octopus API-{u26}
WakaTime waka_{h8}-{h4}-{h4}-{h4}-{h12}
Terraform {a14}.atlasv1.{t67}
Pulumi pul-{h40}
Infracost ico-{a32}
Prefect pnu_{a36}
dbt dbtc_{t40}
Expo expo_{t40}
Contentful CFPAT-{t43}
AWS AKIA{u16}
AWS ASIA{u16}
AWS ABSKQmVkcm9ja0FQSUtleS{b110}
AWS IQoJb3JpZ2luX2Vj{b340}
Google AIza{t35}
Google AQ.Ab8R{t45}
Google ya29.a0{t160}
Google GOCSPX-{t28}
Google 1//0{t100}
Azure {a3}8Q~{t34}
Azure {a52}JQQJ99{a26}
Azure {b76}+ASt{b6}==
DigitalOcean dop_v1_{h64}
DigitalOcean doo_v1_{h64}
Cloudflare cfut_{a40}{h8}
Cloudflare cfat_{a40}{h8}
Cloudflare v1.0-{h24}-{h146}
Heroku HRKU-{t60}
Fly.io fm2_{b200}
Fly.io fo1_{t43}
Netlify nfp_{a36}
Vercel vcp_{a56}
Render rnd_{a28}
Alibaba LTAI{a20}
Tencent AKID{a32}
Yandex AQVN{t36}
Scaleway SCW{u17}
Databricks dapi{h32}-2
Supabase sbp_{h40}
Supabase sb_secret_{t22}_{t8}
Neon napi_{l64}
PlanetScale pscale_tkn_{t43}
PlanetScale pscale_pw_{t43}
MongoDB-Atlas mdb_sa_sk_{t40}
Aiven AVNS_{t19}
Tailscale tskey-auth-{a17}-{a32}
Tailscale tskey-api-{a17}-{a32}
Vault hvs.{t90}
Vault hvb.{t140}
Doppler dp.pt.{a43}
Doppler dp.st.dev.{a43}
Infisical st.{h24}.{h32}.{h32}
1Password ops_eyJ{a260}
1Password A3-{u6}-{u11}-{u5}-{u5}-{u5}
age AGE-SECRET-KEY-1{u58}
Slack xoxb-{d12}-{d13}-{a24}
Slack xoxp-{d12}-{d12}-{d13}-{h32}
Slack xapp-1-A{u10}-{d13}-{h64}
Slack xoxe.xoxp-1-{a160}
Slack xoxd-{a40}%2B{a60}%3D
Discord M{a25}.{t6}.{t38}
Telegram {d10}:AA{t33}
Twilio SK{h32}
SendGrid SG.{t22}.{t43}
Mailgun key-{h32}
Mandrill md-{t22}
Brevo xkeysib-{h64}-{a16}
Resend re_{a8}_{a24}
HubSpot pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}
Airtable pat{a14}.{h64}
Notion ntn_{a46}
Notion secret_{a43}
Linear lin_api_{a40}
ClickUp pk_{d8}_{u32}
Typeform tfp_{t59}
Figma figd_{t40}
Dropbox sl.u.{t140}
Adobe p8e-{t32}
Twitch oauth:{l30}
webhook whsec_{b31}+{b11}=
Mapbox sk.eyJ{a70}.{t22}
Stripe sk_live_{a99}
Stripe sk_test_{a24}
Stripe rk_live_{a99}
Shopify shpat_{h32}
Shopify shpss_{h32}
Square sq0csp-{t43}
Square EAAA{t60}
PayPal access_token$production${l16}${h32}
Plaid access-production-{h8}-{h4}-{h4}-{h4}-{h12}
Paddle pdl_live_apikey_{l26}_{a22}_{a3}
Flutterwave FLWSECK-{h32}-X
Duffel duffel_live_{t43}
EasyPost EZAK{a54}
Shippo shippo_live_{h40}
Dynatrace dt0c01.{u24}.{u64}
NewRelic NRAK-{u27}
NewRelic {h36}NRAL
Grafana glsa_{a32}_{h8}
Grafana glc_eyJ{a80}==
Sentry sntrys_eyJ{a80}_{a43}
Sentry sntryu_{h64}
Honeycomb hcaik_{l58}
PostHog phx_{a43}
LaunchDarkly sdk-{h8}-{h4}-{h4}-{h4}-{h12}
Axiom xaat-{h8}-{h4}-{h4}-{h4}-{h12}
ngrok 2{a26}_{a22}
MaxMind {a6}_{a29}_mmk
Turnstile 0x4AAAAAA{t27}
JWT eyJ{a33}.eyJ{a120}.{t43}
JWT eyJ{a33}.eyJ{a90}.{t86}
Moonshot sk-kimi-{a64}
MiniMax sk-api-{t120}
Runway key_{h128}
LlamaCloud llx-{a48}
Helicone sk-helicone-{a7}-{a7}-{a7}-{a7}
Context7 ctx7sk-{h8}-{h4}-{h4}-{h4}-{h12}
Mem0 m0-{a40}
Chutes cpk_{h32}.{h32}.{a32}
v0 v1:{a24}:{a24}
Amp sgamp_user_01{u24}_{h64}
Factory fk-{a20}-{t43}
Warp wk-1.{h64}
Devin apk_user_{b79}=
Devin cog_{a50}
Composio ak_{a20}
Novita sk_{t43}
fal {h8}-{h4}-{h4}-{h4}-{h12}:{h32}
Z.ai {h32}.{a16}
Polar polar_oat_{a43}
Unkey unkey_{a24}
Trigger.dev tr_prod_{a24}
Inngest signkey-prod-{h64}
Liveblocks sk_prod_{t43}
Svix testsk_{t32}.eu
Svix sk_{a32}.eu
Courier pk_prod_{u28}
ImageKit private_{b27}=
Depot depot_org_{h64}
Socket sktsec_{a40}_api
Buf buf_{h64}
Buf buf_{a40}
Deno ddp_{a36}
Val-Town vtwn_{a30}
Bedrock ABSKQmVkcm9ja0FQSUtleS{b67}=
1Password ops_eyJ{t140}
Stripe sk_org_live_{a60}
Slack xoxd-{a40}%2B{a30}%3D
"""

# The least and the most characters of further tokens. A shorter or longer word is none.
_BOUNDS = """
sk-ant-{t20+} sk-proj-{t20+} sk-{a32+} hf_{a34-40} gsk_{a40+} xai-{a60+} pplx-{a40+}
r8_{a37-40} nvapi-{t50+} fw_{a22-24} tgp_v1_{t40+} pcsk_{w40+} wandb_v1_{w40+}
jina_{t40+} rpa_{a40+} apify_api_{a36+} bb_live_{a24+} bst_{a32+} sk-kimi-{a40+}
sk-api-{t60+} llx-{a40+} sk-helicone-{t20+} sgamp_{w40+} apk_user_{b40+}=
apk_user_{b40+} cog_{a40+} ghp_{w36+} ghs_{a20+}.{t10+}.{t10+} github_pat_{w36+}
glpat-{t20+} glcbt-{t20+} GR1348941{t20+} ATBB{a28-40} ATCTT3{x100+} ATATT3{x100+}
ATTA{h64-72} sgp_{h40-64} pypi-AgEI{t50+} dckr_pat_{t20+} AKCp{a60+} packagist_{w60+}
CCIPAT_{a40+} snyk_uat.{h8}.{t30+} dbtc_{t36+} sk{a176-184}
ABSKQmVkcm9ja0FQSUtleS{b60+}= ABSKQmVkcm9ja0FQSUtleS{b60+} IQoJb3JpZ2lu{b100+}
AQ.Ab{t40+} ya29.{t20+} 1//0{t40+} {a3}{d1}Q~{t31-34} cfut_{t40+} HRKU-{t36+}
fm2_{b40+} nfp_{a36-40} vcp_{a24+} rnd_{a28-36} LTAI{a16-24} AQVN{t35-38} y0_{t50+}
t1.{x20+}.{x80+} sbp_{h40+} sb_secret_{t20+} napi_{l60+} pscale_tkn_{x32+}
CCDB1_{a20+}_{a40} mdb_sa_sk_{t36+} AVNS_{t19+} essu_{t40+} tskey-{l3-12}-{t20+}
hvs.{t24+} dp.pt.{a40-44} dp.st.{t2+}.{a40-44} dp.st.{a40-44} ops_eyJ{b100+}
ops_eyJ{t100+} AGE-PLUGIN-{u3+}-1{u50+} xoxa-{t20+} xoxe.xoxb-{t20+}
M{t23-27}.{t6}.{t27-38} {d8-10}:AA{t33} {h32}-us{d1-2} re_{a8}_{a20-32} ntn_{a40+}
lin_api_{a32+} pk_{d6-9}_{u32} tfp_{x50+} figd_{t38+} sl.u.{t60+} whsec_{b24+}=
whsec_{b24+} sk.eyJ{t40+}.{t20+} secret-live-{t35+}= sk_live_{a16+} sk_org_live_{a16+}
pdl_live_apikey_{w40+} FLWSECK_TEST-{a12+} dt0c01.{u8-24}.{u64} NRAK-{t27-42}
glc_eyJ{b30+}= glc_eyJ{b30+} sntrys_{x40+} hcaik_{l40+} phx_{w40+} ddapp_{a32+}
secret-{a40-50} 2{a26}_{a21-24} 0x4AAAAAA{t24-30} sk_{a40-60} polar_oat_{a40+}
unkey_{a20+} tr_prod_{a20+} signkey-prod-{h32-64} sk_prod_{t30+} testsk_{t30+}
sktsec_{w30+} vtwn_{a24+} clf_{h32} pat_{a64} gtp_{h40} sgp_{w16}_{h40} CLOJARS_{l60}
{b76}+ASt{b6}= dapi{h32} dkea{h32} A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5} 00{t40}
shpat_{H32} sq0atp-{t22-43} live_{a30} live_{t40} NRJS-{h19} cu_{h32} ES_{h32}
zpka_{a32}_{h8} DUO{a40} ak_{t20} sk_{t32} fk-{t40+}
"""
_PART = re.compile(r"\{([a-zA-Z])(\d+)(\+|-\d+)?\}")

# The place of a token, and a text like it without one.
_PLACES = (
    (
        "environment file",
        "PORT=3000\nSERVICE_VALUE=«»\nDEBUG=1",
        "SERVICE_VALUE=$VALUE",
    ),
    ("shell command", "curl -s -H 'X-Service: «»' https://api.example/v1", "echo $X"),
    ("output", "export SERVICE_VALUE='«»'\nlogged in as dev", "logged in as dev"),
    ("prose", "Use this one: «». It is good for a week.", "Use a new one for a week."),
    ("source code", 'client = Client("«»", timeout=30)', "client = Client(settings.x)"),
    ("JSON", '{"region": "eu", "value": "«»"}', '{"value": "${VALUE}"}'),
    ("YAML", "service:\n  value: «»\n  region: eu", "  value: ${VALUE}"),
    ("TOML", '[service]\nvalue = "«»"', '[service]\nvalue = "<value>"'),
    (
        "log of a job",
        "10:02:11 [info] using «» (from cache)",
        "10:02:11 [info] using it",
    ),
    (
        "address",
        "GET https://api.example/v1/items?q=«» 200",
        "GET /v1/items?q=shoes 200",
    ),
    (
        "table",
        "| name | value |\n| --- | --- |\n| service | «» |",
        "| service | none |",
    ),
    ("diff", "-value: old\n+value: «»\n context", "-value: old\n+value: ${NEW}"),
    (
        "colours",
        "\x1b[32m✓\x1b[0m \x1b[1m«»\x1b[0m created",
        "\x1b[32m✓\x1b[0m created",
    ),
    ("escapes", 'printf "value\\n«»\\n" > f', 'printf "value\\n%s\\n" "$X" > f'),
)
_HARMLESS = (
    "{h40}",
    "sha256:{h64}",
    "{h8}-{h4}-4{h3}-a{h3}-{h12}",
    "sha512-{b86}==",
    "<your-token>",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "${SERVICE_VALUE}",
    "$(cat value.txt)",
)


def tokens() -> Iterator[tuple[str, str, str]]:
    """Yield each token in the next place; every second twin holds a harmless word."""
    for number, line in enumerate(_ISSUED.strip().splitlines()):
        _, form = line.split()
        place, text, twin = _PLACES[number % len(_PLACES)]
        word = _HARMLESS[number // len(_PLACES) % len(_HARMLESS)]
        harmless = twin if number % 2 else text.replace("«»", word)
        yield f"tokens, {place}", text.replace("«»", f"«{form}»"), harmless


def bounds() -> Iterator[tuple[str, str]]:
    """Yield each token with a part as short or as long as it may be, and one beyond."""
    for form in _BOUNDS.split():
        for part in _PART.finditer(form):
            kind, least = part[1], int(part[2])
            begin, end = (
                _PART.sub(r"{\1\2}", text)
                for text in (form[: part.start()], form[part.end() :])
            )
            yield (
                f"{begin}{{{kind}{least}}}{end}",
                f"{begin}{{{kind}{least - 1}}}{end}",
            )
            if part[3] != "+":
                most = f"{begin}{{{kind}{(part[3] or part[2]).lstrip('-')}}}"
                # A letter, since a sign between two words may end a token.
                yield f"{most}{end}", f"{most}2{end}"

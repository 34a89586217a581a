"""Keys and tokens of models, agents and their services: one line for each kind.

The lines are read as those of `issuers`.
"""

from __future__ import annotations

UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"
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

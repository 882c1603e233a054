"""What secrets look like: formats that their issuers publish, PEM blocks, places in URLs and headers.

Every pattern has one group, the secret. They are matched as bytes, in RE2, as one alternation: a
text without secrets is read once.
"""

from __future__ import annotations

_URL_SAFE = r"[A-Za-z0-9_-]"
_TOKEN = r"[A-Za-z0-9._~+/=-]"  # noqa: S105 - a character class

# What may stand in or between the lines of a key: base64, line ends as such or escaped, and what
# diffs, quotes, YAML, `cat -n` and `grep` put before a line. Bytes beyond ASCII: our placeholders.
_BETWEEN = r"[\s\\nr\"'+>|:,#*-]"
_BODY = r"[A-Za-z0-9+/=\s\\\"'>|:,.#*()@\x80-\xff-]"
_KIND = r"(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?"
_BEGIN, _END = f"-----BEGIN {_KIND}-----", f"-----END {_KIND}-----"

FORMATS: tuple[tuple[str, str], ...] = (
    ("private-key", f"({_BEGIN}{_BODY}*?[A-Za-z0-9+/=]{{16}}{_BODY}*?{_END})"),
    ("private-key", rf"({_BEGIN}(?:{_BETWEEN}*[A-Za-z0-9+/=]{{16,}})+(?:{_BETWEEN}*[\w+/=]+\z)?)"),
    ("private-key", rf"((?:[A-Za-z0-9+/]{{40,}}{_BETWEEN}+)+(?:[\w+/=]+{_BETWEEN}*)?{_END})"),
    ("age-key", r"\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b"),
    ("aws-access-key", r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b"),
    (
        "aws-secret-key",
        r"(?i:aws_?secret_?(?:access_?)?key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z0-9/+]{40})\b",
    ),
    ("azure-key", r"\bAccountKey=([A-Za-z0-9+/]{86}==)"),
    ("github-token", r"\b(gh[pousr]_[A-Za-z0-9]{36,})\b"),
    ("github-token", r"\b(github_pat_\w{50,})\b"),
    ("gitlab-token", rf"\b(gl(?:pat|ptt|dt|rt|cbt|agent|soat|ft|imt|oas|ffct)-{_URL_SAFE}{{20,}})"),
    ("slack-token", r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})"),
    ("slack-webhook", r"\bhooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9+/]{40,})"),
    ("discord-webhook", rf"\bdiscord(?:app)?\.com/api/webhooks/\d+/({_URL_SAFE}{{60,}})"),
    ("anthropic-key", rf"\b(sk-ant-{_URL_SAFE}{{20,}})"),
    ("openai-key", rf"\b(sk-(?:proj|svcacct|admin|None)-{_URL_SAFE}{{20,}})"),
    ("api-key", rf"\b(sk-(?:or-v1|lf|kimi|lm)-{_URL_SAFE}{{20,}})"),
    ("openai-key", r"\b(sk-[A-Za-z0-9]{32,})\b"),
    ("google-key", rf"\b(AIza{_URL_SAFE}{{35}})"),
    ("google-token", rf"\b(ya29\.{_URL_SAFE}{{20,}}|GOCSPX-{_URL_SAFE}{{28}}|1//0{_URL_SAFE}{{40,}})"),
    ("stripe-key", r"\b((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{32,})\b"),
    ("npm-token", r"\b(npm_[A-Za-z0-9]{36})\b"),
    ("pypi-token", rf"\b(pypi-AgE{_URL_SAFE}{{50,}})"),
    ("huggingface-token", r"\b(hf_[A-Za-z0-9]{34,}|api_org_[A-Za-z0-9]{34,})\b"),
    ("jwt", rf"\b(eyJ{_URL_SAFE}{{10,}}\.eyJ{_URL_SAFE}{{10,}}\.{_URL_SAFE}{{10,}})"),
    ("jwt", rf"\b(eyJ{_URL_SAFE}{{16,}}\.(?:{_URL_SAFE}{{10,}}\.){{3}}{_URL_SAFE}{{10,}})"),
    ("sendgrid-key", rf"\b(SG\.{_URL_SAFE}{{22}}\.{_URL_SAFE}{{43}})"),
    ("telegram-token", rf"\b(\d{{8,10}}:AA{_URL_SAFE}{{33}})"),
    ("digitalocean-token", r"\b(do[opr]_v1_[0-9a-f]{64})\b"),
    ("docker-token", rf"\b(dckr_(?:pat|oat)_{_URL_SAFE}{{27,}})"),
    ("vault-token", rf"\b(hv[sbr]\.{_URL_SAFE}{{24,}})"),
    ("databricks-token", r"\b(dapi[0-9a-f]{32})\b"),
    ("shopify-token", r"\b(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})\b"),
    ("atlassian-token", rf"\b(ATATT3{_URL_SAFE}{{20,}}=?)"),
    ("grafana-token", r"\b(glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})\b"),
    ("linear-token", r"\b(lin_api_[A-Za-z0-9]{40})\b"),
    ("notion-token", r"\b(ntn_[A-Za-z0-9]{43,})\b"),
    ("api-key", r"\b(gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|pplx-[A-Za-z0-9]{48})\b"),
    ("api-key", r"\b(r8_[A-Za-z0-9]{37}|sbp_[0-9a-f]{40}|fw_[A-Za-z0-9]{22,24}|tvly-\w{32,})\b"),
    (
        "authorization",
        r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?i:bearer|basic|token|apikey)"
        rf"\s{{1,3}}({_TOKEN}{{8,}})",
    ),
    ("authorization", rf"\b(?i:bearer)\s{{1,3}}({_TOKEN}{{20,}})"),
    ("api-key", rf"(?i:x-api-key|x-auth-token|api-key)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?({_TOKEN}{{16,}})"),
    ("url-password", r"://[^\s/:@\"'<>`\\]*:([^\s/@\"'<>`\\]{3,})@"),
)  # fmt: skip

CONTEXTUAL = {"api-key", "authorization", "openai-key"}
"""Kinds whose shape alone proves little: what reads as words or as a template is left alone."""

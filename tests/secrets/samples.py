"""Invented secrets, one strategy per kind. Prefixes are split so that no scanner takes them for real."""

import string

from hypothesis import strategies as st

ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "_-"
HEX = "0123456789abcdef"


def run(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least)


def after(prefix: str, alphabet: str, least: int, most: int | None = None):
    return run(alphabet, least, most).map(lambda tail: f"{prefix}{tail}")


def varied(strategy):
    """Leave out draws that no issuer makes and that read as a template or as words."""
    return strategy.filter(lambda text: len({*text}) > 8 and any(map(str.isdigit, text[4:])))


KINDS = {
    "aws-access-key": after("AK" + "IA", string.ascii_uppercase + "234567", 16),
    "github-token": st.one_of(after("gh" + "p_", ALNUM, 36), after("github" + "_pat_", ALNUM, 82)),
    "gitlab-token": after("gl" + "pat-", ALNUM, 20),
    "slack-token": after("xo" + "xb-", string.digits + "abcdef", 24, 60),
    "anthropic-key": after("sk-" + "ant-api03-", ALNUM, 60, 95),
    "openai-key": st.one_of(after("sk-" + "proj-", ALNUM, 40, 150), after("sk" + "-", ALNUM, 48)),
    "google-key": after("AI" + "za", ALNUM, 35),
    "stripe-key": after("sk_" + "live_", ALNUM, 24, 99),
    "npm-token": after("np" + "m_", ALNUM, 36),
    "pypi-token": after("pypi-" + "AgEIcHlwaS5vcmc", ALNUM, 60, 150),
    "huggingface-token": after("h" + "f_", ALNUM, 34),
    "jwt": st.tuples(run(URL_SAFE, 20), run(URL_SAFE, 20, 90), run(ALNUM, 43)).map(
        lambda parts: f"ey{'J'}{parts[0]}.eyJ{parts[1]}.{parts[2]}"
    ),
    "digitalocean-token": after("dop" + "_v1_", HEX, 64),
    "databricks-token": after("da" + "pi", HEX, 32),
}
TOKENS = st.one_of(
    *(varied(made).map(lambda text, kind=kind: (kind, text)) for kind, made in KINDS.items())
)
KEY_LINE = varied(run(ALNUM + "+/", 64))


@st.composite
def private_keys(draw) -> str:
    kind = draw(st.sampled_from(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "]))
    lines = [*draw(st.lists(KEY_LINE, min_size=1, max_size=6)), draw(run(ALNUM, 4, 60)) + "=="]
    head, foot = (f"-----{word} {kind}PRIVATE KEY-----" for word in ("BEGIN", "END"))
    return "\n".join([head, *lines, foot])

import pytest

from agentctx.secrets.environment import is_secret, names_secret, secrets


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN", "OPENAI_API_KEY", "APIKEY", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "PGPASSWORD",
        "github_token", "MYSQL_PWD", "CLIENTSECRET", "SERVICE_CREDENTIALS", "NPM_AUTH", "KEY_2", "GH_PAT",
        "SSH_PASSPHRASE", "STRIPE_KEY", "TOKEN", "MYSERVICE_ACCESSTOKEN", "DB_PASS",
    ],
)  # fmt: skip
def test_names_of_credentials_are_known(name):
    assert names_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "PATH", "PWD", "OLDPWD", "HOME", "KEYBOARD", "XKB_KEYMAP", "KEYBOARD_LAYOUT", "GIT_AUTHOR_NAME",
        "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "AUTH_URL", "TOKEN_ENDPOINT", "SECRET_NAME", "MONKEY",
        "PASSENGER_APP_ENV", "COMPASS", "SECRETARY", "LC_ALL", "PATTERN",
    ],
)  # fmt: skip
def test_names_of_other_things_are_left_alone(name):
    assert not names_secret(name)


@pytest.mark.parametrize(
    "value", ["xk29slkd", "correcthorsebatterystaple", "12345678a", "/Zk3+9fjA=="]
)
def test_values_worth_hiding(value):
    assert is_secret(value)


@pytest.mark.parametrize(
    "value",
    [
        "", "true", "false", "short1", "password", "production", "localhost", "changeme", "aaaaaaaaaaaa",
        "12121212", "$OTHER_TOKEN", "${OTHER}", "<your-token>", "https://auth.example.com/login", "disabled",
        " padded-9x8 ", "/etc/hostname", "/etc", "test1234",
    ],
)  # fmt: skip
def test_common_words_paths_and_templates_are_no_secrets(value):
    assert not is_secret(value)


def test_passwords_in_urls_count_whatever_the_variable_is_called():
    found = secrets({"DATABASE_URL": "postgres://app:xk29slkd@db/app", "HOME_URL": "https://a.b/c"})
    assert found == {"xk29slkd": "xk29slkd"}


@pytest.mark.parametrize("url", ["http://[::1", "http://a:b@[", "://@"])
def test_broken_urls_are_no_trouble(url):
    assert secrets({"X_URL": url}) == {}


def test_longer_secrets_come_before_those_inside_them():
    found = secrets({"A_TOKEN": "xk29slkd", "B_TOKEN": "xk29slkd-more-9"})
    assert [*found] == ["xk29slkd-more-9", "xk29slkd"]

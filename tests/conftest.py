"""What the tests share: the options of pytest and of hypothesis."""

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine, not of the program.
settings.register_profile(
    "runconv",
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("runconv")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="rewrite what stands right of > in the golden cases",
    )

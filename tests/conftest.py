"""What the tests share: the options of pytest and where things are."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="rewrite what stands right of > in the golden cases",
    )

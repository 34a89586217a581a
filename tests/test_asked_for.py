"""Values that a run asked for: the day, the time, the real path of its directory."""

from __future__ import annotations

import pytest

from support.comparisons import compare
from support.edits import Call, log_of
from support.matrix import each


def shell(command: str, output: str = "") -> Call:
    success = {"exitCode": 0, "stdout": output}
    return "shell", {"command": command}, {"success": success}


def severity(a: list[Call], b: list[Call]) -> str:
    one, other = (log_of(*calls, directory="/w/app") for calls in (a, b))
    found = compare(one, other).severity
    assert compare(other, one).severity == found
    return "same" if found in ("none", "info") else found


@each(
    ("printed", "others", "used", "other_used"),
    [
        ("20261124", "20261126", "20261124", "20261126"),
        ("Tue Nov 24 23:30:00 PST 2026", "Thu Nov  5 01:30:00 CET 2026", "20261124",
         "20261105"),
        ("Tue 24 Nov 2026 11:30:00 PM UTC", "Thu 26 Nov 2026 01:30:00 AM UTC",
         "2026-11-24", "2026-11-26"),
        ("2026-11-24_10-15-03", "2026-11-26_11-10-00", "2026-11-24_10-15-03",
         "2026-11-26_11-10-00"),
        ("20261124-1015", "20261126-1110", "20261124-1015", "20261126-1110"),
        ("1795514400", "1795687200", "1795514400", "1795687200"),
    ],
)  # fmt: skip
def test_a_date_that_a_run_asked_for_is_noise(
    printed: str, others: str, used: str, other_used: str
) -> None:
    ones = [shell("date +%c", f"{printed}\n"), shell(f"rm backup-{used}.tgz")]
    twos = [shell("date +%c", f"{others}\n"), shell(f"rm backup-{other_used}.tgz")]

    assert severity(ones, twos) == "same"
    assert severity(ones[1:], twos[1:]) == severity(ones[::-1], twos[::-1]) == "major"


@pytest.mark.parametrize(
    ("used", "other_used"),
    [
        # Another day, the other day of two, and a time of the day.
        ("20261120", "20261121"),
        ("20261124", "20261125"),
        ("2026-11-24T18:00", "2026-11-26T19:00"),
    ],
)
def test_a_date_that_no_output_showed_is_chosen(used: str, other_used: str) -> None:
    command = "date +%F; date -d yesterday +%F"
    ones = [shell(command, "2026-11-24\n2026-11-23\n"), shell(f"rm {used}")]
    others = [shell(command, "2026-11-26\n2026-11-25\n"), shell(f"rm {other_used}")]

    assert severity(ones, others) == "major"


def test_a_date_is_asked_for_also_if_the_other_run_knows_it() -> None:
    listed = shell("ls", "backup-20261124.tgz\n")
    ones = [shell("date", "20261124\n"), shell("touch backup-20261124.tgz")]
    others = [shell("date", "20261126\n"), shell("touch backup-20261126.tgz")]

    # The listing is an added call that only looks.
    assert severity(ones, [listed, *others]) == "minor"


@each(
    ("before", "real", "expected"),
    [
        ([shell("pwd -P", "/data/app\n")], "/data/app", "same"),
        ([shell("pwd && pwd -P", "/w/app\n/data/app\n")], "/data/app", "same"),
        ([shell("realpath . && ls", "/data/app\nx\n")], "/data/app", "same"),
        ([shell("pwd -P", "/private/w/app\n")], "/private/w/app", "same"),
        ([shell("pwd -P", "/data/app\n")], "/data/application", "major"),
        ([shell("pwd -P", "/data/app\n")], "/data", "major"),
        ([shell("pwd -P", "/\n")], "", "major"),
        ([shell("pwd", "/data/app\n")], "/data/app", "major"),
        ([shell("cd sub && pwd -P", "/data/app\n")], "/data/app", "major"),
        ([shell("cd sub"), shell("pwd -P", "/data/app\n")], "/data/app", "major"),
        ([], "/data/app", "major"),
    ],
)
def test_the_real_path_of_the_directory_is_the_directory(
    before: list[Call], real: str, expected: str
) -> None:
    ones = [*before, shell("rm -rf /w/app/build")]
    others = [*before, shell(f"rm -rf {real}/build")]

    assert severity(ones, others) == expected


def test_a_directory_may_have_another_real_path_in_each_run() -> None:
    ones = [shell("pwd -P", "/data/app\n"), shell("rm -rf /data/app/build")]
    others = [shell("pwd -P", "/mnt/app\n"), shell("rm -rf /mnt/app/build")]

    assert severity(ones, others) == "same"
    assert severity(ones, [others[0], shell("rm -rf /data/app/dist")]) == "major"

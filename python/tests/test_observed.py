"""Launches as the environment and the commands `wavetank check` and `wavetank run` want them: checked, counted, scheduled."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import SAXPY, SIGNATURE

import wavetank as wt

PACKAGE = pathlib.Path(wt.__file__).parents[1]
BUILT = pathlib.Path(__file__).parents[2] / "target/debug"

SCRIPT = f"""
import numpy as np, wavetank as wt
gpu = wt.Device("gfx906")
saxpy = gpu.load(wt.asm('''{SAXPY}''', kernels=[{SIGNATURE!r}]))["saxpy"]
def run(n):
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    saxpy(x, y, 2, n, grid=128, block=64)
    assert (y == 2).all()
"""
TWICE = SCRIPT + "run(128); run(128); print('done')"
ENDLESS = """
import os, time, wavetank as wt
os.environ["WAVETANK_CHECK_UNTIL"] = str(time.monotonic_ns() + 10**8)
gpu = wt.Device("gfx906")
gpu.load(wt.asm("spin:\\nagain:\\n s_branch again", kernels=["spin()"]))["spin"](grid=64, block=64)
"""


@pytest.fixture
def python(tmp_path):
    """Runs a script with settings."""

    def run(script, *command, **settings):
        path = tmp_path / "script.py"
        path.write_text(script)
        settings = {f"WAVETANK_{name}": str(value) for name, value in settings.items()}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WAVETANK_")}
        environment["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), environment.get("PYTHONPATH", "")])
        words = [*command, sys.executable, path]
        return subprocess.run(words, capture_output=True, text=True, env={**environment, **settings}, timeout=300)

    return run


def test_findings_are_printed_once(python):
    ran = python(TWICE, CHECK=1)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    assert ran.stderr.count("error[memory/") == 3  # two loads and a store
    assert "saxpy" in ran.stderr
    assert python(SCRIPT + "run(64)", CHECK=1).stderr == ""


def test_other_tools_leave_faults_to_the_program(python):
    ran = python(TWICE, CHECK="race")
    assert ran.returncode == 1 and "wavetank.Fault" in ran.stderr and "error[" not in ran.stderr


def test_a_launch_stops_at_the_first_denied_access(python):
    ran = python(TWICE, CHECK=1, CHECK_STOP=1)
    assert ran.returncode == 1 and "wavetank.Fault" in ran.stderr and ran.stderr.count("error[memory/") == 1


def test_launches_with_tools_of_their_own_are_left_alone(python):
    script = SCRIPT + "x = np.ones(64, np.float32); print(len(wt.check(saxpy, x, x.copy(), 2, 128, grid=128, block=64)))"
    ran = python(script, CHECK="race")
    assert (ran.stdout, ran.stderr) == ("3\n", "")


def test_records_are_left_for_the_command(python, tmp_path):
    records = tmp_path / "records"
    records.touch()
    ran = python(TWICE, CHECK=1, CHECK_TO=records)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    assert lines[0] == {"kernel": "saxpy"}
    assert [line["finding"]["rule"] for line in lines[1:]] == ["out-of-bounds"] * 6


def test_code_has_the_path_that_a_program_gives(python):
    script = TWICE.replace("saxpy = gpu.load(", "saxpy = gpu.load(path='/src/own.py', code=")
    assert python(script, CHECK=1).stderr.count("in /src/own.py (gfx906)") == 3


def test_kernels_are_counted(python):
    ran = python(SCRIPT + "run(64); run(64); run(64)", STATS=1)
    header, row = ran.stderr.splitlines()
    # Of 13 instructions, the group beyond the end leaves out none: it has no branch.
    assert row.split()[:2] == ["3", str(3 * 2 * 13)] and row.endswith("saxpy")
    assert header.split()[:2] == ["calls", "wave"]


def test_the_seed_of_a_random_schedule_is_printed(python):
    assert python(SCRIPT + "run(64)", SCHEDULE="random:7").stderr == "the schedule was random:7\n"
    assert python(SCRIPT.replace('"gfx906"', '"gfx906", schedule="random:8"') + "run(64)").stderr == ""


def test_what_is_printed_goes_to_the_log(python, tmp_path):
    log = tmp_path / "log"
    ran = python(TWICE, CHECK=1, LOG_TO=log)
    assert ran.stderr == "" and "error[memory/" in log.read_text()


def test_a_wrong_value_is_a_sentence(python):
    for name, sentence in [("CHECK", "`nonsense` is not a tool"), ("STATS", "neither 1 nor 0")]:
        ran = python(TWICE, **{name: "nonsense"})
        assert ran.returncode == 1 and f"WAVETANK_{name}: " in ran.stderr and sentence in ran.stderr


def test_a_kernel_without_end_is_reported_in_time(python, tmp_path):
    records = tmp_path / "records"
    records.touch()
    ran = python(ENDLESS, CHECK=1, CHECK_TO=records)
    assert ran.returncode == 1 and "wavetank.Timeout" in ran.stderr
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    assert [line["finding"]["tool"] for line in lines[1:]] == ["sync"]


@pytest.fixture
def command():
    """The command `wavetank` of this build."""
    is_whole = (BUILT / "wavetank").exists() and (BUILT / "libhsa_runtime64.so").exists()
    found = str(BUILT / "wavetank") if is_whole else shutil.which("wavetank")
    if found is None or sys.platform != "linux":
        pytest.skip("SKIP the command: it is not built")
    return found


def test_the_command_checks_a_program_of_python(python, command):
    ran = python(TWICE, command, "check", "--")
    assert (ran.returncode, ran.stdout) == (1, "done\n")
    assert ran.stderr.count("error[memory/") == 3 and ran.stderr.splitlines()[-1].endswith("3 findings (memory 3)")
    ran = python(SCRIPT + "run(64)", command, "check", "--")
    assert ran.returncode == 0 and "no findings" in ran.stderr


def test_the_command_counts_the_kernels_of_a_program_of_python(python, command):
    ran = python(SCRIPT + "run(64)", command, "run", "--stats", "--schedule", "random:5", "--engine", "interpreter", "--")
    assert ran.returncode == 0
    assert "the schedule was random:5" in ran.stderr
    assert ran.stderr.splitlines()[-1].split()[:3] == ["1", "26", "0%"]

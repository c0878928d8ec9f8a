"""The examples, as a reader runs them."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "examples"
LINES = {
    "saxpy.py": "100000 elements",
    "fuzz.py": "it rounds down",
    "cache.py": "columns: 4096 lines touched",
    "tracer.py": "16 steps of lane 6",
    "judge.py": "1000 kernels are right, and 50 of them",
    "cluster.py": "200 results, 20 of them not as expected, and a worker was killed",
}


def test_every_example_is_run():
    assert {path.name for path in FOLDER.glob("*.py")} == set(LINES)


@pytest.mark.parametrize("name", sorted(LINES))
def test_an_example(name):
    ran = subprocess.run(
        [sys.executable, FOLDER / name], capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    if ran.stdout.startswith("SKIP"):
        pytest.skip(ran.stdout.strip())
    assert LINES[name] in ran.stdout

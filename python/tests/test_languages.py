"""Kernel languages of Python other than Triton: each example, which compares with NumPy, on each chip its compiler knows.

`.ci/languages` installs the packages. An example whose package is absent is skipped.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "examples/languages"
CHIPS = {
    "llvmlite": ["gfx906", "gfx908", "gfx90a", "gfx942"],
    "iree": ["gfx908", "gfx90a", "gfx942"],
    "tinygrad": ["gfx906", "gfx908", "gfx90a", "gfx942"],
    "tvm": ["gfx906", "gfx908", "gfx90a", "gfx942"],
    "flydsl": ["gfx906", "gfx908", "gfx90a", "gfx942"],
    "hip_python": ["gfx906", "gfx90a"],
}
PACKAGES = {"iree": "iree.compiler", "hip_python": "rocm.bindings"}
PROGRAMS = {"flydsl": [["ld.lld-19", "ld.lld"]], "hip_python": [["hipcc"], ["wavetank"]]}


def need(language):
    needed = [PACKAGES.get(language, language)] + ["llvmlite"] * (language == "tinygrad")
    for package in needed:
        try:
            found = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            found = None
        if found is None:
            pytest.skip(f"SKIP {language}: the package {package} is not installed")
    for names in PROGRAMS.get(language, []):
        if not any(map(shutil.which, names)):
            pytest.skip(f"SKIP {language}: there is no {names[0]} on PATH")


def test_every_example_is_run():
    assert {path.stem for path in FOLDER.glob("*.py")} == {f"with_{language}" for language in CHIPS}


@pytest.mark.parametrize("language, chip", [(language, chip) for language in CHIPS for chip in CHIPS[language]])
def test_a_language(language, chip, tmp_path):
    need(language)
    command = [sys.executable, str(FOLDER / f"with_{language}.py"), chip]
    if language == "hip_python":
        command = ["wavetank", "run", "--gpu", chip, "--", *command]
    # tinygrad keeps what it compiled.
    environment = {**os.environ, "CACHEDB": str(tmp_path / "cache.db")}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1].startswith(f"{chip}: ")

"""The workflow files and action.yml: their form, and a dry run of the action's steps. Used by .ci/action.

Source: the forge's "Workflow syntax" and "Metadata syntax for actions".
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

ROOT = pathlib.Path.cwd()
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
CONTEXTS = ("github", "inputs", "matrix", "steps")


def expressions(node) -> set[str]:
    """All `${{ … }}` of a file."""
    text = yaml.dump(node, width=10**6)
    found = set(EXPRESSION.findall(text))
    assert len(EXPRESSION.findall(text)) == text.count("${{"), "an expression is not a plain name"
    assert all(name.split(".")[0] in CONTEXTS for name in found), found
    return found


def check_step(step: dict, composite: bool) -> None:
    assert ("uses" in step) != ("run" in step), step
    assert set(step) <= {"id", "if", "name", "uses", "run", "with", "env", "shell", "working-directory"}, step
    if "uses" in step:
        assert re.fullmatch(r"[\w./-]+@v\d+", step["uses"]), step
    elif composite:
        assert step["shell"] == "bash", step
    if "run" in step:
        subprocess.run(["bash", "-n", "-c", EXPRESSION.sub("x", step["run"])], check=True)


def check_workflow(path: pathlib.Path) -> None:
    flow = yaml.safe_load(path.read_text())
    # YAML 1.1 reads the key `on` as true.
    assert {"name", True, "permissions", "jobs"} <= set(flow), path
    expressions(flow)
    for name, job in flow["jobs"].items():
        assert job["runs-on"] and job["timeout-minutes"], name
        assert set([job.get("needs")]) - {None} <= set(flow["jobs"]), name
        for step in job["steps"]:
            check_step(step, composite=False)
            for script in re.findall(r"^(\.ci/\w+|packaging/\w+)", step.get("run", ""), re.M):
                assert os.access(ROOT / script, os.X_OK), script


def check_action(action: dict) -> None:
    assert {"name", "description", "inputs", "outputs", "runs"} == set(action)
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        check_step(step, composite=True)
    for entry in action["inputs"].values():
        assert set(entry) == {"description", "required", "default"} and isinstance(entry["default"], str), entry
    used = {name.removeprefix("inputs.") for name in expressions(action["runs"]) if name.startswith("inputs.")}
    assert used == set(action["inputs"]), "each input is used, and each that is used is declared"
    script = (ROOT / "packaging/action").read_text()
    given = {name for step in action["runs"]["steps"] for name in step["env"]}
    assert given == {name for name in given if f"${name}" in script or f"${{{name}" in script}, "each variable is read"


def check_example(flow: dict, action: dict) -> None:
    """A workflow of the documents: its steps, and the inputs that it gives to the action."""
    for job in flow["jobs"].values():
        for step in job["steps"]:
            if "wavetank@" in step.get("uses", ""):
                assert set(step["with"]) <= set(action["inputs"]), step
            else:
                check_step(step, composite=False)
        assert any("wavetank@" in step.get("uses", "") for step in job["steps"]), "an example uses the action"


class Runner:
    """A stand-in for a forge's runner: it replaces expressions, and keeps paths and outputs from step to step."""

    def __init__(self, action: dict, folder: pathlib.Path):
        self.action, self.folder = action, folder
        self.path, self.output = folder / "path", folder / "output"
        (folder / "temp").mkdir()

    def step(self, name: str, github: dict[str, str], **inputs: str) -> tuple[int, dict[str, str], str]:
        """Runs a step; returns its exit code, its outputs and what it prints."""
        step = next(step for step in self.action["runs"]["steps"] if step["id"] == name)
        defaults = {f"inputs.{name}": entry["default"] for name, entry in self.action["inputs"].items()}
        values = defaults | github | {f"inputs.{name}": value for name, value in inputs.items()}

        def fill(text: str) -> str:
            return EXPRESSION.sub(lambda found: values[found.group(1)], text)

        variables = {name: fill(value) for name, value in step["env"].items()}
        self.output.write_text("")
        self.path.touch()
        added = ":".join(self.path.read_text().split())
        environment = {
            "PATH": f"{added}:{os.environ['PATH']}",
            "HOME": os.environ["HOME"],
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_PATH": str(self.path),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_ACTION_PATH": str(ROOT),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", fill(step["run"])]
        done = subprocess.run(
            command, cwd=self.folder, env=environment | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        outputs = dict(line.split("=", 1) for line in self.output.read_text().splitlines())
        return done.returncode, outputs, done.stdout


def expect(result: tuple[int, dict[str, str], str], code: int, outputs: dict[str, str], *texts: str) -> None:
    print(result[2], end="")
    assert result[0] == code and result[1] == outputs, result
    assert all(text in result[2] for text in texts), (texts, result[2])


def dry_run(action: dict, archive: pathlib.Path, program: str | None) -> None:
    version = re.fullmatch(r"wavetank-(.*)-\w+-linux\.tar\.gz", archive.name).group(1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        runner = Runner(action, folder)
        branch = {"github.server_url": folder.as_uri(), "github.action_repository": "own/er", "github.action_ref": "main"}
        expect(runner.step("install", branch), 2, {}, "use the action by the tag of a release")
        # A release as the forge serves it, by the address of a file.
        tag = branch | {"github.action_ref": f"v{version}"}
        served = folder / f"own/er/releases/download/v{version}"
        served.mkdir(parents=True)
        shutil.copy(archive, served)
        expect(runner.step("install", tag), 2, {}, "no SHA256SUMS beside")
        (served / "SHA256SUMS").write_text(f"{'0' * 64}  {archive.name}\n")
        expect(runner.step("install", tag), 2, {}, "does not have the checksum")
        shutil.copy(archive.parent / "SHA256SUMS", served)
        expect(runner.step("install", tag), 0, {"version": version}, "is installed")
        # And one that is named.
        expect(runner.step("install", branch, archive=str(served / archive.name)), 0, {"version": version})
        programs = 'sh -c "exit 3"\n\n  sh -c "test \'a b\' = \'a b\'"\n' + (f"{program}\n" if program else "")
        count = 3 if program else 2
        for mode in ("run", "check"):
            result = runner.step("run", tag, programs=programs, mode=mode, junit=f"{mode}.xml", options="--threads '1'")
            expect(result, 1, {"failed": "1"}, 'sh -c "exit 3": exit code 3', f"1 of {count} programs failed")
            suite = xml.etree.ElementTree.parse(folder / f"{mode}.xml").getroot()
            cases = suite.findall("testsuite/testcase")
            assert len(cases) == count, cases
        logs = sorted((folder / "wavetank-sarif").iterdir())
        assert len(logs) == count, logs
        assert all(json.loads(log.read_text())["version"] == "2.1.0" for log in logs)
        expect(runner.step("run", tag), 0, {"failed": "0"}, "0 of 0 programs failed")
        expect(runner.step("run", tag, mode="test"), 2, {}, "is run or check, not test")


def main() -> None:
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        check_workflow(path)
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    check_action(action)
    examples = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/how-to/ci-action.md").read_text(), re.S)
    assert examples, "the page has an example"
    for example in examples:
        check_example(yaml.safe_load(example), action)
    dry_run(action, pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else None)
    print("The workflows and the action have the right form, and the action's steps do what they say.")


main()

"""Writes the software bill of materials of a release: the packages that the command and the libraries link.

Usage: bill.py FILE. Source: CycloneDX 1.5, as JSON; the packages are from `cargo tree` and `cargo metadata`, their checksums from
Cargo.lock. `cargo metadata` has more packages than are linked, because it has the features that tests need.
Packages that only build the others (procedural macros, build scripts, tests) are not part of a release.
"""

import json
import pathlib
import platform
import subprocess
import sys
import tomllib

ROOTS = ("wavetank-cli", "wavetank-hsa", "wavetank-capi")


def metadata() -> dict:
    """The packages of the workspace, resolved for this machine."""
    host = f"{platform.machine()}-unknown-linux-gnu"
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def tree() -> set[tuple[str, str]]:
    """Names and versions of the packages that the roots link."""
    command = ["cargo", "tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    command += [word for root in ROOTS for word in ("--package", root)]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    # A line is `name v1.2.3 (path)`.
    return {(words[0], words[1].removeprefix("v")) for words in map(str.split, lines) if words}


def linked(cargo: dict) -> dict[str, list[str]]:
    """The packages that are linked, each with those that it uses itself, by their identifiers."""
    wanted = tree()
    names = {p["id"] for p in cargo["packages"] if (p["name"], p["version"]) in wanted}
    nodes = {node["id"]: node for node in cargo["resolve"]["nodes"]}

    def uses(name: str) -> list[str]:
        dependencies = nodes[name]["deps"]
        normal = [d["pkg"] for d in dependencies if any(kind["kind"] is None for kind in d["dep_kinds"])]
        return [name for name in normal if name in names]

    return {name: uses(name) for name in names}


def purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: dict, checksums: dict[tuple[str, str], str]) -> dict:
    entry = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"]}
    if package["license"]:
        # The form with a slash is an old one of "OR".
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry | {"purl": purl(package)}


def main() -> None:
    cargo = metadata()
    packages = {package["id"]: package for package in cargo["packages"]}
    lock = tomllib.loads(pathlib.Path("Cargo.lock").read_text())
    checksums = {(p["name"], p["version"]): p["checksum"] for p in lock["package"] if "checksum" in p}
    graph = sorted(linked(cargo).items(), key=lambda item: purl(packages[item[0]]))
    command = next(package for package in cargo["packages"] if package["name"] == "wavetank-cli")
    whole = f"pkg:generic/wavetank@{command['version']}"
    edges = [{"ref": whole, "dependsOn": sorted(purl(packages[name]) for name, _ in graph if packages[name]["name"] in ROOTS)}]
    edges += [{"ref": purl(packages[name]), "dependsOn": sorted({purl(packages[to]) for to in uses})} for name, uses in graph]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": whole,
                "name": "wavetank",
                "version": command["version"],
                "licenses": [{"expression": command["license"]}],
                "purl": whole,
            }
        },
        "components": [component(packages[name], checksums) for name, _ in graph],
        "dependencies": edges,
    }
    pathlib.Path(sys.argv[1]).write_text(json.dumps(bill, indent=1) + "\n")
    print(sys.argv[1])


main()

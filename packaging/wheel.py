"""Makes a Python wheel that has the command, its library and the C library, and no Python: `pip install` puts all below its prefix.

Usage: wheel.py STAGE VERSION FOLDER. Source: the specification "Binary distribution format" of the Python Packaging
Authority (a zip archive; `.data/scripts` goes to the prefix's `bin`, `.data/data` to the prefix itself) and PEP 600 (the
tags of platforms: the version of the C library that is needed).
"""

import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

STUB = "libhsa-runtime64.so"
LIBRARY = "libhsa-runtime64.so.1"


def needed_libc(*files: bytes) -> int:
    """The minor version of the oldest C library that has what some ELF files need."""
    return max(int(minor) for file in files for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?=[\0.])", file))


def stub(folder: pathlib.Path) -> bytes:
    """A library that is nothing but another name of the one beside it: wheels have no links."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / STUB
        command = ["cc", "-shared", "-nostdlib", "-Wl,--no-as-needed,-rpath,$ORIGIN", "-o", file, folder / LIBRARY]
        subprocess.run(command, check=True)
        return file.read_bytes()


def c_library(stage: pathlib.Path, version: str) -> dict[str, bytes]:
    """The files of the C library. Wheels have no links: the name for linkers is a script of theirs."""
    lib = stage / "lib"
    soname = f"libwavetank.so.{version.split('.')[0]}"
    names = ("lib/libwavetank.a", "lib/pkgconfig/wavetank.pc", "include/wavetank.h")
    files = {name: (stage / name).read_bytes() for name in names}
    files[f"lib/{soname}"] = (lib / soname).read_bytes()
    files["lib/libwavetank.so"] = f"/* GNU ld script */\nINPUT({soname})\n".encode()
    return files


def metadata(version: str, readme: str) -> str:
    return f"""\
Metadata-Version: 2.4
Name: wavetank
Version: {version}
Summary: Runs HIP, OpenCL and OpenMP programs on an emulated AMD Vega GPU
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Description-Content-Type: text/markdown

{readme}"""


def row(name: str, content: bytes) -> str:
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main() -> None:
    stage, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    command = (stage / "bin/wavetank").read_bytes()
    library = (stage / "lib/wavetank" / LIBRARY).read_bytes()
    machine = platform.machine()
    for_c = c_library(stage, version)
    tag = f"py3-none-manylinux_2_{needed_libc(command, library, *for_c.values())}_{machine}"
    info, data = f"wavetank-{version}.dist-info", f"wavetank-{version}.data"
    doc = stage / "share/doc/wavetank"
    files = {
        f"{data}/scripts/wavetank": command,
        f"{data}/data/lib/wavetank/{LIBRARY}": library,
        f"{data}/data/lib/wavetank/{STUB}": stub(stage / "lib/wavetank"),
        f"{info}/METADATA": metadata(version, (doc / "README.md").read_text()).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: wavetank\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    files |= {f"{data}/data/{name}": content for name, content in for_c.items()}
    for page in sorted((stage / "share/man/man1").iterdir()):
        files[f"{data}/data/share/man/man1/{page.name}"] = page.read_bytes()
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{licence}"] = (doc / licence).read_bytes()
    record = "".join(row(name, content) for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = folder / f"wavetank-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # Who unpacks it keeps who may run it.
            entry.external_attr = (0o100755 if name.startswith(f"{data}/scripts/") else 0o100644) << 16
            wheel.writestr(entry, content)
    print(path)


main()

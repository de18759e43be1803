"""Writes the wheel that holds the programs of a release: wheel.py --name N ... TREE OUT

maturin would compile the programs again, by other flags than those of the release. A wheel is
a zip file of a specified layout, so this copies the finished programs into one.
"""

import argparse
import base64
import hashlib
import os
import time
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: One persistent Chromium per project for agents, scripts and people: the programs browse and browsed
License-Expression: Apache-2.0
{more}
Keywords: browser,automation,agent,chromium,mcp
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: wheel.py of browse {version}
Root-Is-Purelib: false
Tag: {tag}
"""


def contents(tree, name, version):
    """The files of the tree as (path in the wheel, path on disk)."""
    data, info = f"{name}-{version}.data", f"{name}-{version}.dist-info"
    for file in filter(Path.is_file, tree.rglob("*")):
        place = file.relative_to(tree).as_posix()
        if place.startswith("bin/"):
            yield f"{data}/scripts/{place[4:]}", file
        elif not place.startswith("share/doc/"):
            yield f"{data}/data/{place}", file
        elif file.suffix == ".json":
            yield f"{info}/sboms/{file.name}", file
        elif file.name != "README.md":
            yield f"{info}/licenses/{file.name}", file


class Writer:
    """A zip file without what differs between two machines, and the hashes of its files."""

    def __init__(self, path):
        moment = max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800)  # zip begins in 1980
        self.time = time.gmtime(moment)[:6]
        self.archive = zipfile.ZipFile(path, "w")
        self.record = []

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, self.time)
        entry.create_system = 3  # Unix, so that installers read the mode
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self.archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--name", "--version", "--tag", "--readme", "--source"):
        parser.add_argument(flag, required=True)
    parser.add_argument("tree", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    name, version = options.name.replace("-", "_"), options.version
    tag = f"py3-none-{options.tag}"
    info = f"{name}-{version}.dist-info"

    path = options.out / f"{name}-{version}-{tag}.whl"
    writer = Writer(path)
    more = [f"Project-URL: Source, {options.source}"] if options.source else []
    for place, file in sorted(contents(options.tree, name, version)):
        writer.add(place, file.read_bytes(), os.access(file, os.X_OK))
        if "/licenses/" in place:
            more.append(f"License-File: {file.name}")
    readme = Path(options.readme).read_text(encoding="utf-8")
    metadata = METADATA.format(
        name=options.name, version=version, more="\n".join(more), readme=readme
    )
    writer.add(f"{info}/METADATA", metadata.encode())
    writer.add(f"{info}/WHEEL", WHEEL.format(version=version, tag=tag).encode())
    record = "\n".join([*writer.record, f"{info}/RECORD,,", ""])
    writer.add(f"{info}/RECORD", record.encode())
    writer.archive.close()


main()

"""The licences of the crates that the programs are built from, for people: reads the output
of `cargo metadata` on standard input."""

import json
import pathlib
import sys

PROGRAMS = {"browse-cli", "browse-server", "browse-mcp", "browse-onnx", "browse-ngrok", "browse-gate"}


def linked(metadata):
    """The packages that the programs link, without build and test dependencies."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    wanted = [key for key, package in packages.items() if package["name"] in PROGRAMS]
    found = set()
    while wanted:
        key = wanted.pop()
        if key in found:
            continue
        found.add(key)
        for dependency in nodes[key]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                wanted.append(dependency["pkg"])
    return sorted(
        (packages[key] for key in found if packages[key]["source"]),
        key=lambda package: (package["name"], package["version"]),
    )


def texts(package):
    """The licence files beside the manifest of a package."""
    folder = pathlib.Path(package["manifest_path"]).parent
    names = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE")
    return [
        path.read_text(encoding="utf-8", errors="replace").strip()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name.upper().startswith(names)
    ]


def main():
    packages = linked(json.load(sys.stdin))
    by_text = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license'] or 'see its text below'}")
        for text in texts(package):
            by_text.setdefault(text, []).append(name)
    for text, names in by_text.items():
        print(f"\n{'=' * 78}\n{', '.join(names)}\n\n{text}")


main()

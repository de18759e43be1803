"""Checks that files are CycloneDX 1.5: sbom.py FILE..."""

import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def main(paths):
    validator = JsonStrictValidator(SchemaVersion.V1_5)
    for path in paths:
        if problem := validator.validate_str(pathlib.Path(path).read_text(encoding="utf-8")):
            sys.exit(f"{path}: {problem}")


main(sys.argv[1:])

"""What a skill needs besides the browser: its arguments, its output, its end."""

from __future__ import annotations

import os
import sys

from ._browse import Browse, connect
from ._error import BrowseError
from ._message import Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def skill(main: Callable[[dict[str, str], Browse], Any]) -> Callable[[dict[str, str], Browse], Any]:
    """Runs `main` when its module is the program: hands it the arguments, prints
    what it returns as the one JSON document of the run, and reports an error on
    standard error. A test that imports the module runs nothing.
    """
    if main.__module__ == "__main__":
        sys.exit(_run_skill(main))
    return main


def _run_skill(main: Callable[[dict[str, str], Browse], Any]) -> int:
    import json

    try:
        arguments = json.loads(os.environ.get("BROWSE_SKILL_ARGS") or "{}")
        result = main(arguments, connect())
    except BrowseError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        page = "".join(f"\n{about}: {text}" for about, text in error.page)
        print(f"error: {error.reason}: {error.message}{hint}{page}", file=sys.stderr)
        return 1
    except Exception:
        import traceback

        traceback.print_exc()
        return 1
    text = json.dumps(result, default=_plain_result, ensure_ascii=False, separators=(",", ":"))
    # Compact and in UTF-8 whatever the locale says: the same bytes that the
    # other languages print. Halves of surrogate pairs become escapes of JSON.
    sys.stdout.buffer.write(f"{text}\n".encode(errors="backslashreplace"))
    sys.stdout.flush()
    return 0


def _plain_result(value: object) -> Any:
    if isinstance(value, Message):
        return value.to_dict()
    raise TypeError(f"a result of type `{type(value).__name__}` is no JSON")

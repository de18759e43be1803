"""Expands sentences with alternatives: `{a|b}` picks one, `<name>` is a list of the table."""

import random
import re

CHOICE = re.compile(r"\{([^{}]*)\}")
NAME = re.compile(r"<([a-z_]+)>")


def expand(text: str, table: dict[str, list[str]], pick: random.Random) -> str:
    """One sentence out of `text`."""
    while True:
        changed = CHOICE.sub(lambda found: pick.choice(found[1].split("|")), text)
        changed = NAME.sub(
            lambda found: pick.choice(table[found[1]]) if found[1] in table else found[0], changed
        )
        if changed == text:
            return text
        text = changed

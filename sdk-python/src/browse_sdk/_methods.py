"""The commands as methods that are made when they are first called: a skill
that vendors them pays for what it uses. The stub beside them has their types."""

from __future__ import annotations

from ._call import command_of
from ._client import Client
from ._generated.tables import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Commands(Client):
    """The commands of the browser, each as a method."""

    def __getattr__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise AttributeError(f"this SDK knows no command `{name}`")
        command = command_of(name)
        names = [arg.rstrip("?") for arg in command.args]
        needed = [arg for arg in command.args if not arg.endswith("?")]
        place = {"file": "path", "folder": "folder"}.get(command.kind)
        positional = [*names, place] if place else names

        def method(self: Commands, *given: Any, **fields: Any) -> Any:
            if len(given) > len(positional):
                raise TypeError(f"`{name}` takes {len(positional)} positional arguments at most")
            for key, value in zip(positional, given):
                if key in fields:
                    raise TypeError(f"`{name}` got `{key}` twice")
                fields[key] = value
            for key in needed:
                if key not in fields:
                    raise TypeError(f"`{name}` wants `{key}`")
            where = fields.pop(place, None) if place else None
            return self._perform(name, fields, where)

        method.__name__ = name
        setattr(Commands, name, method)
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *COMMANDS]

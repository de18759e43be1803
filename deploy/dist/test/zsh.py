"""Types `browse snap` and a tab into zsh in a terminal, and prints what it shows: zsh.py FPATH"""

import os
import pty
import select
import sys
import time

PROMPT = "ready>"


def read_until(terminal, wanted, seconds):
    """Everything that is printed until `wanted` is, or the time is up."""
    text, end = "", time.monotonic() + seconds
    while wanted not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    return text


def main(functions):
    process, terminal = pty.fork()
    if process == 0:
        os.execvp("zsh", ["zsh", "-f", "-i"])
    os.write(terminal, f"fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -D; PS1={PROMPT[:3]}'{PROMPT[3:]}'\n".encode())
    # Not before: what is typed ahead of the prompt is not completed.
    read_until(terminal, PROMPT, 20)
    os.write(terminal, b"browse snap\t")
    print(read_until(terminal, "snapshot", 10))
    os.write(terminal, b"\x03")
    os.close(terminal)


main(sys.argv[1])

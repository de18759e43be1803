"""Opens what was sealed with AES-256-GCM: the standard library has no AES.

It reads one token of some hundred bytes, once, with a key that nothing else
is sealed with; for anything else it would be too slow, and its time tells too
much. NIST FIPS 197 and SP 800-38D.
"""

from __future__ import annotations

import hmac

_BLOCK = 16
NONCE = 12
TAG = 16
# Of the field in which GCM multiplies, with its bits reversed.
_POLYNOMIAL = 0xE1 << 120


def unsealed(key: bytes, sealed: bytes, bound: bytes) -> bytes | None:
    """The text in nonce, ciphertext and tag; None unless it was sealed with this
    key and these associated data.
    """
    if len(key) != 32 or len(sealed) < NONCE + TAG:
        return None
    nonce, text, tag = sealed[:NONCE], sealed[NONCE:-TAG], sealed[-TAG:]
    rounds = _round_keys(key)
    first = _encrypted(rounds, nonce + (1).to_bytes(4, "big"))
    mac = _ghash(int.from_bytes(_encrypted(rounds, bytes(_BLOCK)), "big"), bound, text)
    if not hmac.compare_digest(_xor(mac, first), tag):
        return None
    counters = range(2, 2 + (len(text) + _BLOCK - 1) // _BLOCK)
    stream = b"".join(_encrypted(rounds, nonce + at.to_bytes(4, "big")) for at in counters)
    return _xor(text, stream)


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=False))


def _doubled(byte: int) -> int:
    return (byte << 1) ^ (0x11B if byte & 0x80 else 0)


def _substitutes() -> bytes:
    """The S-box: inverses in the field of AES, with a linear map on them."""
    box = bytearray(256)
    number = inverse = 1
    while True:
        # All numbers but 0 are powers of 3, whose inverse is 0xF6.
        number ^= _doubled(number)
        for shift in (1, 2, 4):
            inverse ^= inverse << shift
        inverse &= 0xFF
        inverse ^= 0x09 if inverse & 0x80 else 0
        spread = 0
        for shift in range(5):
            spread ^= inverse << shift
        box[number] = (spread ^ spread >> 8) & 0xFF ^ 0x63
        if number == 1:
            box[0] = 0x63
            return bytes(box)


_BOX = _substitutes()


def _round_keys(key: bytes) -> list[bytes]:
    words = [key[at : at + 4] for at in range(0, 32, 4)]
    constant = 1
    while len(words) < 60:
        word = words[-1]
        if len(words) % 8 == 0:
            word = bytes(_BOX[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _doubled(constant)
        elif len(words) % 8 == 4:
            word = bytes(_BOX[byte] for byte in word)
        words.append(_xor(words[-8], word))
    return [b"".join(words[at : at + 4]) for at in range(0, 60, 4)]


def _encrypted(rounds: list[bytes], block: bytes) -> bytes:
    state = _xor(block, rounds[0])
    for number, key in enumerate(rounds[1:], 1):
        # Each row is turned by its number: byte `at` comes from 5 times `at`.
        turned = [_BOX[state[at * 5 % _BLOCK]] for at in range(_BLOCK)]
        state = _xor(bytes(turned) if number == len(rounds) - 1 else _mixed(turned), key)
    return state


def _mixed(state: list[int]) -> bytes:
    out = bytearray()
    for at in range(0, _BLOCK, 4):
        column = state[at : at + 4]
        whole = column[0] ^ column[1] ^ column[2] ^ column[3]
        for row in range(4):
            pair = column[row] ^ column[(row + 1) % 4]
            out.append(column[row] ^ whole ^ _doubled(pair))
    return bytes(out)


def _ghash(key: int, bound: bytes, text: bytes) -> bytes:
    lengths = (len(bound) * 8).to_bytes(8, "big") + (len(text) * 8).to_bytes(8, "big")
    padded = (part + bytes(-len(part) % _BLOCK) for part in (bound, text))
    data = b"".join((*padded, lengths))
    total = 0
    for at in range(0, len(data), _BLOCK):
        total = _product(total ^ int.from_bytes(data[at : at + _BLOCK], "big"), key)
    return total.to_bytes(_BLOCK, "big")


def _product(left: int, right: int) -> int:
    product = 0
    for bit in range(127, -1, -1):
        if left >> bit & 1:
            product ^= right
        right = right >> 1 ^ (_POLYNOMIAL if right & 1 else 0)
    return product

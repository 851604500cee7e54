"""A reader of range filters that follows FORMAT.md alone, and shares no code with the crate, gives its answers."""

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest

RECORDS = Path(__file__).parents[2] / "filters/filter-policy/tests/data/range/filters.jsonl"
ROWS = [json.loads(line) for line in RECORDS.read_text().splitlines()]


class Damaged(Exception):
    """The bytes are no filter."""


class Code:
    """The bits of keys and bounds."""

    def __init__(self, kind, take):
        self.kind = kind
        if kind == 0:
            return
        low, high = take(2)
        bitmap = take(max(high // 8 - low // 8 + 1, 0))
        occur = [8 * (low // 8 + i) + bit for i, byte in enumerate(bitmap) for bit in range(8) if byte >> bit & 1]
        count = take(1)[0] + 1
        classes = [four for byte in take((len(occur) + 2) // 2 if count > 1 else 0) for four in (byte & 15, byte >> 4)]
        self.class_after = dict(zip([None, *occur], classes or [0] * (len(occur) + 1), strict=False))
        ends, ranks, self.codes = take((count + 7) // 8), take(2 * count), []
        for i in range(count):
            symbols = [None] * (ends[i // 8] >> i % 8 & 1) + occur[ranks[2 * i] : ranks[2 * i + 1] + 1]
            width = 1 if kind == 1 else 2
            starts = [0] + [int.from_bytes(take(width), "little") << 16 - 8 * width for _ in symbols[1:]] + [65536]
            widths = [(end - start).bit_length() - 1 for start, end in pairwise(starts[: len(symbols)] + [65536])]
            codes = zip(symbols, starts, widths, strict=False)
            self.codes.append({symbol: f"{start:016b}"[: 16 - width] for symbol, start, width in codes if width >= 0})

    def bits(self, bound, side):
        """Return bits, what follows them for ever, and whether keys that have all of them are above the bound."""
        text, is_prefix = bound or b"", side == "prefix"
        if self.kind == 0:
            is_strict = side == ")" and text[-1:] != b"\0"
            return "".join(f"{byte:08b}" for byte in text), "1" if is_prefix else "0", is_strict
        bits, before, is_lower = "", None, side in "[("
        for symbol in [*text, None]:
            codes = self.codes[self.class_after.get(before, 0)]
            if symbol is None and is_prefix:
                return bits, "1", False
            if symbol in codes and (symbol is not None or side != "("):
                bits, before = bits + codes[symbol], symbol
                continue
            if is_lower:
                after = [one for one in codes if one is not None and (symbol is None or one > symbol)]
                return (bits + codes[min(after)], "0", False) if after else (bits, "1", False)
            smaller = [one for one in codes if one is None or (symbol is not None and one < symbol)]
            return (bits + codes[smaller[-1]], "1", False) if smaller else (bits, "0", True)
        return bits, "0", side == ")"


def leaves(filter):
    """Return the code, and the bits of each leaf in order."""
    place = [0, 0]

    def take(count):
        if place[0] + count > len(filter):
            raise Damaged
        place[0] += count
        return filter[place[0] - count : place[0]]

    version, flags, suffix, more, n, shift = *take(4), 0, 0
    while shift == 0 or byte > 127:
        byte = take(1)[0]
        n, shift = n | (byte & 127) << shift, shift + 7
    if version != 1 or flags >> 6 or flags & 3 == 3 or shift > 35 or not 0 < n < 2**32:
        raise Damaged
    stop, s, more = flags >> 2, suffix | (more & 31) << 8, 4 * (more >> 5)
    shapes = [four for byte in take((min(8, n.bit_length() - 1) + 1) // 2) for four in (byte & 15, byte >> 4)]
    order = take(3)[2] if n > 33 else 0
    if s > 6144 or more > 8 or order > 15 or shapes and shapes[0] > 3:
        raise Damaged
    code = Code(flags & 3, take)
    trie = "".join(f"{byte:08b}" for byte in filter[place[0] :])

    def read(count):
        if place[1] + count > len(trie):
            raise Damaged
        place[1] += count
        return trie[place[1] - count : place[1]]

    def ones(most, one="1"):
        count = 0
        while count < most and read(1) == one:
            count += 1
        return count

    def golomb(order):
        return int("1" + read(ones(48, "0") + order), 2) - 2**order

    def slot(k, may_be_edge):
        shape, log = shapes[min(7, k.bit_length() - 2)], k.bit_length() - 1
        t = (log - 1) // 2 + shape // 4
        q = (k - 2) // 2**t + 1
        edge = min((0, 1, 2, 6)[shape % 4], q) if may_be_edge else q + 1
        slots = q + may_be_edge
        j = ones(15 if slots > 16 else slots - 1)
        if slots > 16 and j == 15:
            v = int(read((k - 2).bit_length()), 2)
        elif j == edge:
            return None
        else:
            v = 2**t * (j - (j > edge)) + int(read(t) or "0", 2)
        left = k // 2 + (v + 1) // 2 * (1 if v % 2 else -1)
        if not 0 < left < k:
            raise Damaged
        return left

    found, todo = [], [(n, 0, 0, "")]
    while todo:
        k, rank, above, shared = todo.pop()
        length, extra = (rank + 1) * s // 256 - rank * s // 256, more
        left = slot(k, True) if k > 1 else None
        if k == 1:
            extra = 0 if above < 4 else min(8, above.bit_length() - 2)
        elif left is None and (x := golomb(0)) != stop:
            shared, left = shared + read(x + (x < stop)), slot(k, False)
        if left is None:
            found.append(shared + read(length + extra))
            continue
        if left > 32:
            golomb(order + (left.bit_length() - 1) // 2)
        todo += [(k - left, rank + left, k, shared + "1"), (left, rank, k, shared + "0")]
    return code, found


def may_match(opened, lower, upper):
    """Answer a query; bounds are pairs of a kind and bytes."""
    code, found = opened
    low, low_fill, _ = code.bits(lower[1], "[" if lower[0] == "-" else lower[0])
    if upper[0] == "-":
        upper = ("prefix", b"")
    high, high_fill, is_strict = code.bits(upper[1], upper[0])

    def cut(bits, fill, leaf):
        return bits[: len(leaf)].ljust(len(leaf), fill)

    within = [leaf for leaf in found if cut(low, low_fill, leaf) <= leaf <= cut(high, high_fill, leaf)]
    if len(within) == 1 and is_strict and high_fill == "0":
        return within[0] != cut(high, "0", within[0]) or "1" in high[len(within[0]) :]
    return bool(within)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_recorded_answers(row):
    keys = [bytes.fromhex(key) for key in row["keys"]]
    for record in row["filters"]:
        opened = leaves(bytes.fromhex(record["filter"]))
        for (low, lower, high, upper), answer in zip(row["queries"], record["answers"], strict=True):
            given = may_match(opened, (low, bytes.fromhex(lower)), (high, bytes.fromhex(upper)))
            assert given == (answer == "1"), (record["bits_per_key"], low, lower, high, upper)
        assert all(may_match(opened, ("[", key), ("]", key)) for key in keys[:200])


def test_damaged_bytes():
    choose = random.Random(94)
    for record in (record for row in ROWS for record in row["filters"]):
        filter = bytearray(bytes.fromhex(record["filter"]))[:400]
        filter[choose.randrange(len(filter))] ^= 1 << choose.randrange(8)
        try:
            opened = leaves(bytes(filter))
        except Damaged:
            continue
        assert may_match(opened, ("-", b""), ("-", b""))

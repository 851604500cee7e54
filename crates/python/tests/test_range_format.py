"""A second reader of range filters, written from the section "The range filter" of FORMAT.md alone, without a look at
the project's source. That it answers every recorded query as the project does proves that the document suffices to read
the format. It decodes a filter into all its leaves, checks the stored lengths, and searches the sorted leaves."""

import json
import random
from bisect import bisect_left
from functools import lru_cache
from pathlib import Path

RECORDS = Path(__file__).parents[2] / "filters/filter-policy/tests/data/range/filters.jsonl"
Bound = list[str]  # "[", "(", "]", ")" or "-", and the bytes in hex
Code = dict[int, dict[int, str]]  # the codes of symbols, in order, by the byte before them
START = END = -1  # what precedes a key's first byte; the symbol after its last byte


def require(allowed: bool) -> None:
    if not allowed:
        raise ValueError("damaged")


class Source:
    def __init__(self, data: bytes) -> None:
        self.text, self.offset = "".join(f"{byte:08b}" for byte in data), 0

    def bits(self, count: int) -> str:
        self.offset += count
        require(self.offset <= len(self.text))
        return self.text[self.offset - count : self.offset]

    def number(self, size: int = 1) -> int:
        return sum(int(self.bits(8), 2) << 8 * place for place in range(size))

    def golomb(self, order: int) -> int:
        zeros = self.text.index("1", self.offset) - self.offset  # a ValueError if there is none
        return int(self.bits(2 * zeros + order + 1), 2) - (1 << order)

    def code(self, width: int) -> Code:
        low, high = self.number(), self.number()
        occurring = self.number(max(0, high // 8 - low // 8 + 1)) << low // 8 * 8
        used = [byte for byte in range(256) if occurring >> byte & 1]
        count = self.number() + 1
        packed = self.number((len(used) + 2) // 2) if count > 1 else 0
        contexts = [packed >> 4 * place & 15 for place in range(len(used) + 1)]
        require(used[:1] + used[-1:] == [low, high] and max(contexts) < count <= 16)
        ends, ranks, classes = self.number((count + 7) // 8), [self.number(2) for _ in range(count)], []
        for number, (last, first) in enumerate(divmod(rank, 256) for rank in ranks):
            require(last < max(first, len(used)))
            symbols = [END] * (ends >> number & 1) + used[first : last + 1]
            starts = [0] + [self.number(width) << 16 - 8 * width for _ in symbols[1:]] + [65536]
            coded = [(symbol, start, after - start) for symbol, start, after in zip(symbols, starts, starts[1:])]
            require(all(size & size - 1 == 0 for _, _, size in coded))  # which no negative number is
            classes.append({symbol: f"{start:016b}"[: 17 - size.bit_length()] for symbol, start, size in coded if size})
        return {byte: classes[number] for byte, number in zip([START, *used], contexts)}

    def left(self, keys: int, shapes: int, edge_allowed: bool) -> int:  # 0 for an edge
        shape = shapes >> 4 * min(7, keys.bit_length() - 2) & 15
        tail = (keys.bit_length() - 2) // 2 + shape // 4
        last = (keys - 2 >> tail) + edge_allowed
        edge = min((0, 1, 2, 6)[shape % 4], last) if edge_allowed else last + 1
        slot = next((ones for ones in range(min(last, 15)) if self.bits(1) == "0"), min(last, 15))
        if slot == edge:
            return 0
        large = slot == 15 < last
        fold = int(self.bits((keys - 2).bit_length()) if large else f"{slot - (slot > edge):b}" + self.bits(tail), 2)
        require(fold <= keys - 2)
        return keys // 2 + (fold + 1) // 2 * (1 if fold % 2 else -1)


@lru_cache
def read_filter(data: bytes) -> tuple[Code | None, list[str]]:  # the leaves in order
    source, sizes = Source(data), [128]
    version, kinds, numbers = source.number(), source.number(), source.number(2)
    kind, stop, suffix, more = kinds % 4, kinds // 4, numbers % 8192, numbers // 8192 * 4
    while sizes[-1] > 127:
        sizes.append(source.number())
    total = sum(size % 128 << 7 * place for place, size in enumerate(sizes[1:]))
    shapes = source.number(min(9, total.bit_length()) // 2)
    mean, order = (source.number(2), source.number()) if total > 33 else (0, 0)
    require(version == 1 and kind < 3 and stop < 16 and suffix <= 6144 and more <= 8)
    require(total > 0 and len(sizes) <= 6 and shapes % 16 < 4 and order < 16)
    code, leaves, stack = source.code(kind) if kind else None, [], [(total, 0, 0, "", 0)]
    while stack:
        keys, rank, above, path, start = stack.pop()
        require(start in (0, source.offset))  # 0 if no length was stored
        left = source.left(keys, shapes, True) if keys > 1 else 0
        shared = source.golomb(0) if keys > 1 and not left else stop
        if not left and shared == stop:
            extra = more if keys > 1 else 0 if above < 4 else min(8, above.bit_length() - 2)
            leaves.append(path + source.bits((rank + 1) * suffix // 256 - rank * suffix // 256 + extra))
            continue
        path += source.bits(0 if left else shared + (shared < stop))
        left = left or source.left(keys, shapes, False)
        turn = source.golomb(order + (left.bit_length() - 1) // 2) if left > 32 else 0
        end = source.offset + left * mean // 64 + (turn // 2 if turn % 2 == 0 else -(turn + 1) // 2)
        right = (keys - left, rank + left, keys, path + "1", end if left > 32 else 0)
        stack += [right, (left, rank, keys, path + "0", 0)]
    return code, leaves


def bound_bits(bound: Bound, upper: bool, code: Code | None) -> tuple[str, str, bool]:
    """The bits of a bound, the bit that goes on without end, and whether no key within it has exactly these bits."""
    kind, key, bits = bound[0], bytes.fromhex(bound[1]), ""
    if code is None or upper and kind == "-":
        return "".join(f"{byte:08b}" for byte in key), "01"[upper and kind == "-"], kind == ")" and key[-1:] != b"\0"
    for before, symbol in zip([START, *key], [*key, END]):
        codes = code[before]
        if symbol not in codes or (kind, symbol) == ("(", END):
            near = [codes[other] for other in codes if (other < symbol if upper else other > symbol)]
            nearest = near[-1:] if upper else near[:1]
            return bits + "".join(nearest), "01"[upper == bool(near)], upper and not near
        bits += codes[symbol]
    return bits, "0", kind == ")"


def may_match(lower: Bound, upper: Bound, data: bytes) -> bool:
    try:
        code, leaves = read_filter(data) if data else (None, [])
    except ValueError:
        return True
    (low, low_fill, _), (high, high_fill, excluded) = bound_bits(lower, False, code), bound_bits(upper, True, code)
    first = bisect_left(leaves, True, key=lambda leaf: leaf >= low.ljust(len(leaf), low_fill)[: len(leaf)])
    leaf = leaves[first] if first < len(leaves) else "2"  # which is above all bits
    cut, rest = high.ljust(len(leaf), high_fill)[: len(leaf)], high[len(leaf) :]
    return leaf < cut or leaf == cut and not (excluded and "1" not in rest)


LINES = [json.loads(line) for line in RECORDS.read_text().splitlines()]
FILTERS = [(line, bytes.fromhex(stored["filter"]), stored["answers"]) for line in LINES for stored in line["filters"]]


def test_recorded_answers() -> None:
    for line, data, answers in FILTERS:
        assert read_filter(data)
        assert [may_match(query[:2], query[2:], data) for query in line["queries"]] == [bit == "1" for bit in answers]


def test_stored_keys_are_found() -> None:
    for line, data, _ in FILTERS:
        assert all(may_match(["[", key], ["]", key], data) for key in line["keys"])


def test_damaged_filters_never_raise() -> None:
    numbers = random.Random(1)
    for line, data, _ in FILTERS:
        for length in range(len(data)) if len(data) < 300 else numbers.sample(range(len(data)), 20):
            assert may_match(["-", ""], ["-", ""], data[:length]) is (length > 0)
        for query, offset in zip(line["queries"], numbers.choices(range(len(data)), k=60)):
            changed = data[:offset] + numbers.randbytes(1) + data[offset + 1 :]
            assert may_match(query[:2], query[2:], changed) in (False, True)

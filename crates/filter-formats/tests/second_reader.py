"""A second reader of two stored formats, written from FORMAT.md, which lies in the folder above.

It shares no code with the crate: where both give the same answers, the page says what the crate does. The formats are
`binaryfuse` and `SplitBlockBloomFilter.Xxph3`. XXH3, and what XXPH3 shares with it, follow xxHash's
`doc/xxhash_spec.md`.

Standard input has one line for each filter, its policy's name, a space and its bytes, and after it one line for each
key. Filters and keys are in hexadecimal; an empty line is the empty key. The answer to each key is `maybe` or `no`:

    printf 'binaryfuse %s\\n%s\\n' "$(xxd -p -c 0 filter)" 6b6579 | python3 second_reader.py
"""

import struct
import sys

MAX32, MAX64 = 2**32 - 1, 2**64 - 1
PRIME32_1, PRIME32_2, PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME64_1, PRIME64_2, PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME64_4, PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PRIME_MX1, PRIME_MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def number(data, at, size=8):
    return int.from_bytes(data[at : at + size], "little")


def rotated(x, by):
    return (x << by | x >> 64 - by) & MAX64


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MAX64


def mix(key, at, s):
    return fold(number(key, at) ^ number(SECRET, s), number(key, at + 8) ^ number(SECRET, s + 8))


def avalanche_xxh64(x):
    x = (x ^ x >> 33) * PRIME64_2 & MAX64
    x = (x ^ x >> 29) * PRIME64_3 & MAX64
    return x ^ x >> 32


class Hash:
    """XXPH3 or XXH3 with seed 0. The two differ in `multiplier`, in `swap` and for keys of up to 16 bytes."""

    def avalanche(self, x):
        x &= MAX64
        x = (x ^ x >> 37) * self.multiplier & MAX64
        return x ^ x >> 32

    def __call__(self, key):
        n = len(key)
        if n <= 16:
            return self.small(key, n)
        if n > 240:
            return self.large(key, n)
        sums = n * PRIME64_1
        if n <= 128:
            for i in range((n - 1) // 32 + 1):
                sums += mix(key, 16 * i, 32 * i) + mix(key, n - 16 * i - 16, 32 * i + 16)
        else:
            sums = self.avalanche(sums + sum(mix(key, at, at) for at in range(0, 128, 16)))
            sums += sum(mix(key, 16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
            sums += mix(key, n - 16, 119)
        return self.avalanche(sums)

    def large(self, key, n):
        acc = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]
        blocks, stripes, last = self.cut(n)
        for block in range(blocks):
            for i in range(16):
                self.accumulate(acc, key, 1024 * block + 64 * i, 8 * i)
            for i in range(8):
                acc[i] = (acc[i] ^ acc[i] >> 47 ^ number(SECRET, 128 + 8 * i)) * PRIME32_1 & MAX64
        for i in range(stripes):
            self.accumulate(acc, key, 1024 * blocks + 64 * i, 8 * i)
        if last:
            self.accumulate(acc, key, n - 64, 121)
        words = [acc[i] ^ number(SECRET, 11 + 8 * i) for i in range(8)]
        return self.avalanche(n * PRIME64_1 + sum(fold(words[i], words[i + 1]) for i in range(0, 8, 2)))

    def accumulate(self, acc, key, at, secret_at):
        stripe, secret = struct.unpack_from("<8Q", key, at), struct.unpack_from("<8Q", SECRET, secret_at)
        for i in range(8):
            value = stripe[i] ^ secret[i]
            acc[i] = acc[i] + stripe[i ^ self.swap] + (value & MAX32) * (value >> 32) & MAX64


class Xxph3(Hash):
    multiplier, swap = PRIME64_3, 0

    def small(self, key, n):
        if n == 0:
            return fold(number(SECRET, 0), PRIME64_2)
        if n <= 3:
            c = key[0] + (key[n // 2] << 8) + (key[-1] << 16) + (n << 24)
            return self.avalanche((c ^ number(SECRET, 0, 4)) * PRIME64_1)
        if n <= 8:
            k = number(key, 0, 4) + (number(key, n - 4, 4) << 32) ^ number(SECRET, 0)
            m = n + (k ^ k >> 51) * PRIME32_1 & MAX64
            return self.avalanche((m ^ m >> 47) * PRIME64_2)
        a, b = number(key, 0) ^ number(SECRET, 0), number(key, n - 8) ^ number(SECRET, 8)
        return self.avalanche(n + a + b + fold(a, b))

    def cut(self, n):
        return n // 1024, n % 1024 // 64, n % 64 > 0


class Xxh3(Hash):
    multiplier, swap = PRIME_MX1, 1

    def small(self, key, n):
        if n == 0:
            return avalanche_xxh64(number(SECRET, 56) ^ number(SECRET, 64))
        if n <= 3:
            combined = key[-1] | n << 8 | key[0] << 16 | key[n // 2] << 24
            return avalanche_xxh64(number(SECRET, 0, 4) ^ number(SECRET, 4, 4) ^ combined)
        if n <= 8:
            value = number(SECRET, 8) ^ number(SECRET, 16) ^ (number(key, n - 4, 4) | number(key, 0, 4) << 32)
            value = (value ^ rotated(value, 49) ^ rotated(value, 24)) * PRIME_MX2 & MAX64
            value = (value ^ (value >> 35) + n) * PRIME_MX2 & MAX64
            return value ^ value >> 28
        low = number(SECRET, 24) ^ number(SECRET, 32) ^ number(key, 0)
        high = number(SECRET, 40) ^ number(SECRET, 48) ^ number(key, n - 8)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return self.avalanche(n + swapped + high + fold(low, high))

    def cut(self, n):
        return (n - 1) // 1024, (n - 1) % 1024 // 64, True


xxph3, xxh3 = Xxph3(), Xxh3()
SALTS = [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31]


def split_blocks(stored, key):
    if not stored:
        return False
    blocks, rest = divmod(len(stored), 32)
    if rest or blocks > 2**32:
        return True
    h = xxph3(key)
    words = struct.unpack_from("<8I", stored, 32 * ((h >> 32) * blocks >> 32))
    return all(word >> ((h & MAX32) * salt % 2**32 >> 27) & 1 for word, salt in zip(words, SALTS))


def binary_fuse(stored, key):
    if not stored:
        return False
    if len(stored) < 14:
        return True
    seed, segments, log, w = struct.unpack("<QIBB", stored[-14:])
    padding = {4: 0, 8: 0, 10: 3, 12: 1, 16: 0}.get(w)
    length = 1 << log
    slots = (segments + 2) * length
    if padding is None or segments == 0 or slots > 2**32 or (w * slots + 7) // 8 + padding != len(stored) - 14:
        return True
    h = xxh3(key) + seed & MAX64
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & MAX64
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & MAX64
    h ^= h >> 33
    a = h * segments * length >> 64
    fingerprint = h ^ h >> 32
    for slot in a, a + length ^ (h >> 18) % length, a + 2 * length ^ h % length:
        fingerprint ^= number(stored, w * slot // 8, 3) >> w * slot % 8
    return fingerprint % (1 << w) == 0


READERS = {"SplitBlockBloomFilter.Xxph3": split_blocks, "binaryfuse": binary_fuse}

if __name__ == "__main__":
    for line in sys.stdin:
        name, separator, data = line.rstrip("\n").rpartition(" ")
        if separator:
            reader, filter_bytes = READERS[name], bytes.fromhex(data)
        else:
            print("maybe" if reader(filter_bytes, bytes.fromhex(data)) else "no")

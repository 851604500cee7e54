"use strict";
// Sizes and rates of every stored filter, as the Rust crates filter-policy, guava-bloom and membership-filters give them:
// the same rules in the same order, so that sizes agree to the byte. Sizes are of BigInt, since some exceed what doubles
// count exactly. Sources of the constants are named in those crates.

const formats = (() => {
  const LN_2 = Math.LN2;
  const MOST_U64 = 2n ** 64n - 1n;
  const MIN_POSITIVE = 2 ** -1022;

  /** Why there is no such filter. */
  class Refusal {
    constructor(reason) {
      this.reason = reason;
    }
  }

  const refuse = (reason) => {
    throw new Refusal(reason);
  };

  /** Whether the work ends without a refusal, or what it gives; `otherwise` if refused. */
  function attempt(work, otherwise) {
    try {
      return work();
    } catch (error) {
      if (error instanceof Refusal) return otherwise(error);
      throw error;
    }
  }

  // A double as its bits.
  const scratch = new DataView(new ArrayBuffer(8));
  function bitsOf(number) {
    scratch.setFloat64(0, number);
    return scratch.getBigUint64(0);
  }
  function fromBits(bits) {
    scratch.setBigUint64(0, bits);
    return scratch.getFloat64(0);
  }

  const smaller = (a, b) => (a < b ? a : b);
  const larger = (a, b) => (a > b ? a : b);
  const ceilDiv = (a, b) => (a + b - 1n) / b;

  /** A number that is not negative, without its fraction, at most 2^64 - 1. */
  const whole = (number) => (number >= 2 ** 64 ? MOST_U64 : BigInt(Math.trunc(number)));

  // The textbook's formulas: filter_policy::sizing.

  const rateOfZeros = (lnZeros, probes) => (-Math.expm1(lnZeros)) ** probes;

  function rate(bits, keys, probes) {
    if (probes === 0) return 1;
    if (keys === 0) return 0;
    return rateOfZeros(probes * keys * Math.log1p(-1 / Number(bits)), probes);
  }

  function bitsPerKeyForRateAndProbes(wanted, probes) {
    const lnOnes = Math.log(wanted) / probes;
    // Where nearly all bits are ones the share of zeros is the small number, otherwise the share of ones.
    const lnZeros = lnOnes > -LN_2 ? Math.log(-Math.expm1(lnOnes)) : Math.log1p(-Math.exp(lnOnes));
    return probes / -lnZeros;
  }

  function bestWholeProbes(bitsPerKey) {
    const below = Math.floor(bitsPerKey * LN_2);
    if (!(below < 2 ** 32 - 1)) refuse("has no best probe count of 32 bits");
    const lnRate = (probes) => probes * Math.log(-Math.expm1(-probes / bitsPerKey));
    return below > 0 && lnRate(below) <= lnRate(below + 1) ? below : below + 1;
  }

  // Exact rates: filter_policy::sizing::{occupancy, lines}.

  /** One ball more, in the probabilities of how many cells have been met. */
  function throwBall(share, cells) {
    let fewer = 0;
    for (let met = 0; met < share.length; met += 1) {
      const here = share[met];
      share[met] = (here * met) / cells + (fewer * Math.max(cells - met + 1, 0)) / cells;
      fewer = here;
    }
  }

  function startOf(length) {
    const share = new Float64Array(length);
    share[0] = 1;
    return share;
  }

  /** The probability that `chosen` given bits are all ones after so many balls. */
  function allOnes(chosen, bits, balls) {
    let sum = 0;
    if (balls >= 4 * bits) {
      let choices = 1;
      for (let i = 0; i <= chosen; i += 1) {
        sum += choices * Math.exp(balls * Math.log1p(-i / bits));
        choices *= -(chosen - i) / (i + 1);
      }
      return sum;
    }
    const covered = startOf(chosen + 1);
    const inside = chosen / bits;
    let probability = inside >= 1 ? 1 : Math.exp(balls * Math.log1p(-inside));
    for (let fallen = 0; ; fallen += 1) {
      if (inside < 1 || fallen === balls) sum += probability * covered[chosen];
      const restIsNothing = fallen > balls * inside && probability < sum * 1e-18;
      if (fallen >= balls || probability === 0 || restIsNothing) return sum;
      if (inside < 1) probability *= ((balls - fallen) / (fallen + 1)) * (inside / (1 - inside));
      throwBall(covered, chosen);
    }
  }

  function exactRate(bitsGiven, keys, probes) {
    const bits = Number(bitsGiven);
    const distinct = startOf(31);
    for (let ball = 0; ball < probes; ball += 1) throwBall(distinct, bits);
    let sum = 0;
    for (let d = probes; d >= 0; d -= 1) {
      if (distinct[d] > sum * 1e-18) sum += distinct[d] * allOnes(d, bits, probes * keys);
    }
    return sum;
  }

  /** The rate of keys in lines of 512 bits. */
  function linesRate(lines, keys, probes) {
    const mean = keys / lines;
    if (mean > 600) return (-Math.expm1((-probes * mean) / 512)) ** probes;
    const matching = Float64Array.from({ length: 513 }, (_, ones) => (ones / 512) ** probes);
    const ones = startOf(513);
    let probability = Math.exp(keys * Math.log1p(-1 / lines));
    let sum = 0;
    for (let here = 0; ; here += 1) {
      if (here === keys && lines === 1) probability = 1;
      if (probability > 0) sum += probability * ones.reduce((total, share, at) => total + share * matching[at], 0);
      if (here >= keys || (here > mean && probability < sum * 1e-15 && lines > 1)) return sum;
      if (lines > 1) probability *= (keys - here) / (here + 1) / (lines - 1);
      for (let probe = 0; probe < probes; probe += 1) throwBall(ones, 512);
    }
  }

  // LevelDB's layout: filter_policy::{params, bloom64}.

  /** floor(keys * bitsPerKey), exactly; at least 64 and whole bytes. */
  function filterBits(keys, bitsPerKey) {
    const encoded = bitsOf(bitsPerKey);
    const fraction = encoded & (2n ** 52n - 1n);
    const exponent = encoded >> 52n;
    const [mantissa, biased] = exponent === 0n ? [fraction, 1n] : [fraction | (2n ** 52n), exponent];
    const product = (BigInt(keys) * mantissa) >> (1075n - biased);
    const bits = ceilDiv(larger(product, 64n), 8n) * 8n;
    if (bits > MOST_U64) refuse("would have more than 2^64 bits");
    return bits;
  }

  const levelDbProbes = (bitsPerKey) => Math.trunc(Math.min(Math.max(bitsPerKey * 0.69, 1), 30));

  const BLOOM64_UP_TO = [
    2078, 3556, 5013, 6464, 7912, 9358, 10803, 12248, 13692, 15136, 16580, 18023, 19467, 20910, 22353, 23796, 25240, 26683,
    28126, 29569, 31012, 32455, 33898, 35340, 36783, 38226, 39669, 41112, 42555,
  ];
  function bloom64Probes(bits, keys) {
    const above = BLOOM64_UP_TO.findIndex((millibits) => bits * 1000n <= BigInt(keys) * BigInt(millibits));
    return above < 0 ? 30 : above + 1;
  }

  // RocksDB's: filter_policy::rocksdb.

  function ofRocksDb(bitsPerKey) {
    if (bitsPerKey < 0.5) refuse("takes 0.5 bits per key at least");
    return Math.min(Math.max(bitsPerKey, 1), 100);
  }
  const millibitsOf = (bitsPerKey) => Math.trunc(bitsPerKey * 1000 + 0.500001);

  const FAST_LOCAL_UP_TO = [2080, 3580, 5100, 6640, 8300, 10070, 11720, 14001, 16050, 18300, 22001, 25501];
  function fastLocalProbes(bitsPerKey) {
    const millibits = millibitsOf(bitsPerKey);
    const step = FAST_LOCAL_UP_TO.findIndex((upTo) => millibits <= upTo);
    if (step >= 0) return step + 1;
    return millibits > 50000 ? 24 : Math.trunc((millibits - 1) / 2000) - 1;
  }

  function fastLocalLines(bitsPerKey, keys) {
    const bytes = ceilDiv(BigInt(keys) * BigInt(millibitsOf(bitsPerKey)), 8000n);
    return ceilDiv(smaller(bytes, 0xffffffc0n), 64n);
  }
  const fastLocalBytes = (bitsPerKey, keys) => fastLocalLines(bitsPerKey, keys) * 64n + 5n;

  function fastLocalRate(bitsPerKey, keys) {
    if (keys === 0) return 0;
    const lines = Number(fastLocalLines(bitsPerKey, keys));
    const byProbes = linesRate(lines, keys, fastLocalProbes(bitsPerKey));
    return byProbes + Math.min(keys / lines / 2 ** 32, 1) * (1 - byProbes);
  }

  const RIBBON_KEYS_BY_POWER = [
    248.851, 499.532, 1001.26, 2003.97, 4005.59, 8000.39, 15966.6, 31828.1, 63447.3, 126506.0,
  ];
  function ribbonKeysForPower(power) {
    if (power < 8) return 0;
    if (power < 18) return RIBBON_KEYS_BY_POWER[power - 8];
    return 2 ** power / (131072 / 126506 - 17 * 0.0038 + power * 0.0038);
  }

  function ribbonSlots(keys) {
    // RocksDB's digits of 1 / ln 2: more would be another number.
    let power = Math.trunc(Math.log(keys) * 1.4426950409 + 0.5);
    let fitting = ribbonKeysForPower(power);
    if (fitting === 0) return 256;
    let beyond = fitting;
    if (keys < fitting) {
      power -= 1;
      fitting = ribbonKeysForPower(power);
    } else {
      beyond = ribbonKeysForPower(power + 1);
    }
    const portion = (keys - fitting) / (beyond - fitting);
    return Math.trunc(portion * 2 ** power + 2 ** power + 0.999999999);
  }

  function ribbonOneIn(bitsPerKey) {
    const probes = fastLocalProbes(bitsPerKey);
    const rateOf = (bits) => (1 - Math.exp(-probes / bits)) ** probes;
    const keysInLine = 512 / bitsPerKey;
    const deviation = Math.sqrt(keysInLine);
    return 2 / (rateOf(512 / (keysInLine + deviation)) + rateOf(512 / (keysInLine - deviation)));
  }

  /** Words of 16 bytes, and the rate; `null` where a FastLocalBloom filter is written. */
  function ribbonSize(bitsPerKey, keys) {
    if (keys > 950_000_000) return null;
    const blocks = Math.max(Math.ceil(ribbonSlots(keys) / 128), 2);
    const [slots, starts] = [blocks * 128, blocks * 128 - 127];
    const oneIn = ribbonOneIn(bitsPerKey);
    let [columns, narrow] = [32, 0];
    if (oneIn <= 2 ** 32 - 1) {
      const fewer = 31 - Math.clz32(Math.max(Math.trunc(oneIn), 1));
      const rateOfMore = 2 ** -fewer / 2;
      const shareOfFewer = (1 / oneIn - rateOfMore) / (2 ** -fewer - rateOfMore);
      columns = fewer + 1;
      narrow = Math.trunc((shareOfFewer * starts + 0.5 / 2 ** 32) / 128);
    }
    const words = BigInt(blocks * columns - narrow);
    if (slots < 1024 && fastLocalBytes(bitsPerKey, keys) - 5n < words * 16n) return null;
    return { words, rate: 2 ** -columns * (1 + Math.min((narrow * 128) / starts, 1)) };
  }

  // The formats that are configured by bits per key: filter_policy::sizing::Format.

  const inLevelDbsLayout = {
    bytes: (keys, bitsPerKey) => filterBits(keys, bitsPerKey) / 8n + 1n,
    leastRate: (bits) => Math.exp(-bits * LN_2 * LN_2),
    leastBits: 0,
    mostBits: 2 ** 32 - 1,
  };
  const ENGINES = {
    leveldb: {
      ...inLevelDbsLayout,
      probes: (_, bitsPerKey) => levelDbProbes(bitsPerKey),
      rate: (keys, bitsPerKey) => {
        const byProbes = rate(smaller(filterBits(keys, bitsPerKey), 2n ** 32n), keys, levelDbProbes(bitsPerKey));
        const byEqualHashes = -Math.expm1(keys * Math.log1p(-(2 ** -32)));
        return byProbes + byEqualHashes * (1 - byProbes);
      },
      reachable: 2n ** 32n,
    },
    bloom64: {
      ...inLevelDbsLayout,
      probes: (keys, bitsPerKey) => bloom64Probes(filterBits(keys, bitsPerKey), keys),
      rate: (keys, bitsPerKey) => {
        const bits = filterBits(keys, bitsPerKey);
        return exactRate(bits, keys, bloom64Probes(bits, keys));
      },
      reachable: 2n ** 63n,
    },
    "fast-local-bloom": {
      bytes: (keys, bitsPerKey) => fastLocalBytes(ofRocksDb(bitsPerKey), keys),
      probes: (_, bitsPerKey) => fastLocalProbes(ofRocksDb(bitsPerKey)),
      rate: (keys, bitsPerKey) => fastLocalRate(ofRocksDb(bitsPerKey), keys),
      leastRate: inLevelDbsLayout.leastRate,
      leastBits: 1,
      mostBits: 100,
    },
    ribbon: {
      bytes: (keys, bitsPerKey) => {
        const bits = ofRocksDb(bitsPerKey);
        if (keys === 0) return 0n;
        const size = ribbonSize(bits, keys);
        return size === null ? fastLocalBytes(bits, keys) : size.words * 16n + 5n;
      },
      probes: (keys, bitsPerKey) => {
        const bits = ofRocksDb(bitsPerKey);
        return ribbonSize(bits, keys) === null ? fastLocalProbes(bits) : null;
      },
      rate: (keys, bitsPerKey) => {
        const bits = ofRocksDb(bitsPerKey);
        return ribbonSize(bits, keys)?.rate ?? fastLocalRate(bits, keys);
      },
      leastRate: (bits) => 2 ** -bits,
      leastBits: 1,
      mostBits: 100,
    },
  };

  // The filters that are configured by a false-positive rate: guava_bloom, membership_filters.

  // Numbers as the sum of two doubles: what guava_bloom's java_math computes Java's logarithm with.
  function twoSum(a, b) {
    const high = a + b;
    const ofB = high - a;
    return [high, a - (high - ofB) + (b - ofB)];
  }
  function halves(number) {
    const scaled = 134217729 * number;
    const upper = scaled - (scaled - number);
    return [upper, number - upper];
  }
  function twoProduct(a, b) {
    const high = a * b;
    const [[a1, a2], [b1, b2]] = [halves(a), halves(b)];
    return [high, a1 * b1 - high + a1 * b2 + a2 * b1 + a2 * b2];
  }
  function plus(a, b) {
    const highs = twoSum(a[0], b[0]);
    const lows = twoSum(a[1], b[1]);
    const sum = twoSum(highs[0], highs[1] + lows[0]);
    return twoSum(sum[0], sum[1] + lows[1]);
  }
  function times(a, b) {
    const highs = twoProduct(a[0], b[0]);
    return twoSum(highs[0], highs[1] + (a[0] * b[1] + a[1] * b[0]));
  }
  function dividedBy(a, b) {
    const first = a[0] / b[0];
    let rest = plus(a, times(b, [-first, 0]));
    const second = rest[0] / b[0];
    rest = plus(rest, times(b, [-second, 0]));
    return plus(twoSum(first, second), [rest[0] / b[0], 0]);
  }

  const ODD_PARTS = Array.from({ length: 25 }, (_, i) => dividedBy([1, 0], [49 - 2 * i, 0]));

  /** The natural logarithm of a number from 0 to 1, correctly rounded. */
  function javaLog(x) {
    // x = m * 2^e with m from sqrt(1/2) to sqrt(2); numbers below the normal ones are scaled up first.
    const [normal, scale] = x < MIN_POSITIVE ? [x * 2 ** 54, -54] : [x, 0];
    const encoded = bitsOf(normal);
    let e = Number(encoded >> 52n) - 1022 + scale;
    let m = fromBits((encoded & (2n ** 52n - 1n)) | (1022n << 52n));
    if (m < Math.SQRT1_2) {
      m *= 2;
      e -= 1;
    }
    const s = dividedBy([m - 1, 0], twoSum(m, 1));
    const square = times(s, s);
    let series = [0, 0];
    for (const part of ODD_PARTS) series = plus(times(series, square), part);
    const ofM = times(times(s, series), [2, 0]);
    return plus(times([LN_2, 2.3190468138462996e-17], [e, 0]), ofM)[0];
  }

  /** To the nearest whole number, halves up, without adding a half first. */
  function javaRound(number) {
    const below = Math.floor(number);
    return number - below >= 0.5 ? below + 1 : below;
  }

  const BY_RATE = 0;
  const BY_BITS = 1;

  /** Guava's bits, not yet whole words, the bits of whole words, and probes. */
  function guava(insertions, fpp, probeRule) {
    if (!(fpp > 0 && fpp < 1)) refuse("errs at a rate above 0 and below 1");
    const logarithm = javaLog(fpp);
    const optimal = Math.trunc((-insertions * logarithm) / (LN_2 * LN_2));
    if (optimal === 0) refuse("would have no bit");
    const words = Math.ceil(optimal / 64);
    if (words > 2 ** 31 - 1) refuse("would have more bits than a Java array, 137,438,953,408");
    const ofRule = probeRule === BY_RATE ? -logarithm / LN_2 : (optimal / insertions) * LN_2;
    const probes = Math.max(javaRound(ofRule), 1);
    if (probes > 255) refuse("would have more than 255 probes");
    return { optimal, bits: words * 64, probes };
  }

  const probed = ({ probes }, keys, bits, bytes) => ({ bytes: BigInt(bytes), probes, rate: rate(bits, keys, probes) });

  function redis(keys, fpp, most, bitsIn) {
    const parameters = guava(keys, fpp, BY_BITS);
    const bits = bitsIn(parameters);
    if (bits > most) refuse(`${bits} bits are more than the ${most} of a bitmap`);
    return probed(parameters, keys, bits, Math.ceil(bits / 8));
  }

  function cuckooRate(fingerprintBits, load) {
    return -Math.expm1(8 * load * Math.log1p(-1 / (2 ** fingerprintBits - 1)));
  }

  function cuckoo(keys, fpp) {
    let width = 4;
    while (width <= 32 && cuckooRate(width, 1) > fpp) width += 1;
    if (width > 32) refuse("errs at least at a rate of 1.87e-9");
    const capacity = BigInt(keys);
    const buckets = (capacity / 19n) * 5n + ceilDiv((capacity % 19n) * 5n, 19n) + 6n;
    const slots = (buckets + (buckets % 2n)) * 4n;
    const bytes = ceilDiv(slots * BigInt(width), 64n) * 8n + 56n;
    return { bytes, probes: null, rate: cuckooRate(width, smaller(capacity, slots) === capacity ? keys / Number(slots) : 1) };
  }

  // The first link errs with a fifth of the rate: the others, each with 0.8 times the one before it, take the rest.
  const FIRST_SHARE = 1 - 0.8;

  function growing(keys, fpp) {
    const share = fpp * FIRST_SHARE;
    const leastBits = 1.5 / (0.75 * share);
    if (leastBits > (2 ** 31 - 1) * 64) refuse("errs at least at a rate of 7.3e-11");
    const capacity = Math.max(keys, 8);
    const least = Math.ceil((leastBits * LN_2 * LN_2) / -Math.log(share));
    if (least > capacity && leastBits >= 2 ** 24) refuse(`is for at least ${least} keys at such a rate`);
    const link = guava(Math.max(capacity + Math.floor(capacity / 32), least), share, BY_RATE);
    return probed(link, keys, link.bits, link.bits / 8 + 96);
  }

  const BY_FPP = {
    guava: (keys, fpp) => {
      const parameters = guava(keys, fpp, BY_RATE);
      return probed(parameters, keys, parameters.bits, parameters.bits / 8 + 6);
    },
    "redis-fixed": (keys, fpp) => redis(keys, fpp, 2 ** 31 - 1, ({ optimal }) => optimal),
    "redis-growing": (keys, fpp) => redis(keys, fpp, 2 ** 32, ({ bits }) => bits),
    counting: (keys, fpp) => {
      const parameters = guava(keys, fpp, BY_RATE);
      return probed(parameters, keys, parameters.bits, parameters.bits / 2 + 48);
    },
    cuckoo,
    growing,
  };

  function shape(filter, keys, setting) {
    const engine = ENGINES[filter];
    if (engine === undefined) return BY_FPP[filter](keys, setting);
    return {
      bytes: engine.bytes(keys, setting),
      probes: engine.probes(keys, setting),
      rate: engine.rate(keys, setting),
    };
  }

  return {
    MIN_POSITIVE,
    MOST_U64,
    ENGINES,
    FIRST_SHARE,
    refuse,
    attempt,
    bitsOf,
    fromBits,
    smaller,
    ceilDiv,
    whole,
    rate,
    bitsPerKeyForRateAndProbes,
    bestWholeProbes,
    shape,
  };
})();

"use strict";
// From any of number of keys, rate, bits per key, memory and probe count to the rest, as the Rust module `harness::sizing`
// goes. A test asks both the same questions in a browser.

const sizing = (() => {
  const { MIN_POSITIVE, MOST_U64, ENGINES, FIRST_SHARE } = formats;
  const { refuse, attempt, bitsOf, fromBits, smaller, ceilDiv, whole } = formats;
  const { rate, bitsPerKeyForRateAndProbes, bestWholeProbes, shape } = formats;
  const LN_2 = Math.LN2;
  const MOST_KEYS = 2 ** 53;

  /** The largest number from `least` to `limit`, of BigInt, that fits; `null` where none does. */
  function largest(least, limit, fits) {
    if (!fits(least)) return null;
    let [low, high] = [least, limit];
    while (low < high) {
      const middle = high - (high - low) / 2n;
      if (fits(middle)) low = middle;
      else high = middle - 1n;
    }
    return low;
  }

  const engineFits = (engine, keys, bitsPerKey, bytes) =>
    attempt(() => engine.bytes(keys, bitsPerKey) <= bytes, () => false);

  function bitsPerKeyForRate(engine, keys, wanted) {
    const triedSingly = engine.reachable === undefined ? 101 : 44;
    let lowest = 1;
    for (let bits = 1; bits < triedSingly; bits += 1) {
      const perKey = (8 * Number(engine.bytes(keys, bits))) / keys;
      if (bits + 1 < triedSingly && engine.leastRate(perKey) > wanted) continue;
      const reached = engine.rate(keys, bits);
      if (reached <= wanted) return bits;
      lowest = Math.min(lowest, reached);
    }
    const unreachable = () => refuse(`errs at least at a rate of ${lowest.toExponential(2)} for so many keys`);
    if (engine.reachable === undefined) unreachable();
    const enough = ceilDiv(engine.reachable, BigInt(keys));
    let [low, high] = [44, Math.max(Number(smaller(enough, 2n ** 32n - 1n)), 44)];
    const atBest = engine.rate(keys, high);
    if (atBest > wanted) {
      lowest = Math.min(lowest, atBest);
      unreachable();
    }
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      if (engine.rate(keys, middle) <= wanted) high = middle;
      else low = middle + 1;
    }
    return high;
  }

  function bitsPerKeyForBytes(engine, keys, bytes) {
    const bits = largest(BigInt(engine.leastBits), BigInt(engine.mostBits), (tried) =>
      engineFits(engine, keys, Number(tried), bytes),
    );
    return bits === null ? refuse(`takes more than ${bytes} bytes for so many keys`) : Number(bits);
  }

  /** Whether a filter fits; one that cannot be built fits if the formula says so, since then it is too small to be one. */
  function fits(filter, keys, setting, bytes) {
    const size = () => (filter in ENGINES ? ENGINES[filter].bytes(keys, setting) : shape(filter, keys, setting).bytes);
    return attempt(
      () => size() <= bytes,
      () => {
        const bits = filter in ENGINES ? setting * keys : (-Math.log(setting) * keys) / (LN_2 * LN_2);
        return bits <= 64 && bytes >= 8n;
      },
    );
  }

  /** The lowest rate whose filter takes at most so many bytes. */
  function lowestRate(filter, keys, bytes) {
    // Positive numbers are in the order of their bits.
    let [low, high] = [bitsOf(MIN_POSITIVE), bitsOf(1 - 2 ** -53)];
    while (low < high) {
      const middle = low + (high - low) / 2n;
      if (fits(filter, keys, fromBits(middle), bytes)) high = middle;
      else low = middle + 1n;
    }
    const found = fromBits(high);
    const taken = attempt(
      () => shape(filter, keys, found).bytes,
      () => refuse(`there is no filter of so few bytes as ${bytes} for so many keys`),
    );
    return taken <= bytes ? found : refuse(`takes at least ${taken} bytes for so many keys`);
  }

  function bitsForProbes(engine, keys, wanted) {
    let most = 0;
    for (let bits = 1; bits <= 100; bits += 1) {
      const taken = engine.probes(keys, bits);
      if (taken === null) refuse("has no probes");
      if (taken === wanted) return bits;
      most = Math.max(most, taken);
    }
    return refuse(`${wanted} probes are not taken at any whole number of bits per key; at most ${most} are`);
  }

  function rateForProbes(filter, probes) {
    const wanted = 2 ** -probes;
    if (filter === "cuckoo") refuse("has fingerprints, no probes");
    if (filter !== "growing") return wanted;
    return wanted < FIRST_SHARE ? wanted / FIRST_SHARE : refuse(`takes more than ${probes} probes`);
  }

  /** Bits per key, or the rate to ask for, that make a filter for so many keys what is wanted. */
  function settingFor(filter, question, keys) {
    const engine = ENGINES[filter];
    if (question.rate !== null) return engine ? bitsPerKeyForRate(engine, keys, question.rate) : question.rate;
    if (question.bits !== null) {
      if (engine) return question.bits;
      const bytes = question.memory === null ? whole((question.bits * keys) / 8) : BigInt(question.memory);
      return lowestRate(filter, keys, bytes);
    }
    if (question.memory !== null && question.keys !== null) {
      const bytes = BigInt(question.memory);
      return engine ? bitsPerKeyForBytes(engine, keys, bytes) : lowestRate(filter, keys, bytes);
    }
    return engine ? bitsForProbes(engine, keys, question.probes) : rateForProbes(filter, question.probes);
  }

  /** The most keys for which an engine's filter reaches a rate in so many bytes, and the fewest whole bits per key that do it. */
  function mostKeysAt(engine, wanted, memory) {
    const bytes = BigInt(memory);
    let [best, bestBits] = [0, 0];
    for (let bits = 1; bits <= 100; bits += 1) {
      const reached = (keys) => engine.rate(keys, bits);
      const fitting = largest(0n, MOST_U64, (keys) => engineFits(engine, Number(keys), bits, bytes));
      const most = Number(smaller(fitting ?? 0n, BigInt(MOST_KEYS)));
      if (most <= best) break;
      // With more bits per key fewer fit.
      if (2 ** ((-8 * memory) / most) <= wanted && reached(most) <= wanted) return [most, bits];
      // Hash values, and the lengths of RocksDB's filters, reach only so far: fewer keys may do, where so many bits do.
      if (engine.leastRate(bits) > wanted) continue;
      if (reached(best + 1) > wanted) continue;
      let [low, high] = [best + 1, most];
      while (low < high) {
        const middle = high - Math.floor((high - low) / 2);
        if (reached(middle) <= wanted) low = middle;
        else high = middle - 1;
      }
      [best, bestBits] = [low, bits];
    }
    if (best > 0) return [best, bestBits];
    return refuse(`no filter of at most ${bytes} bytes and 100 bits per key errs so seldom`);
  }

  function mostKeys(filter, question) {
    const bytes = BigInt(question.memory);
    const fitting = (keys) => {
      if (!(filter in ENGINES) && question.bits !== null) return question.bits * keys <= 8 * question.memory;
      return attempt(
        () => fits(filter, keys, settingFor(filter, question, keys), bytes),
        () => false,
      );
    };
    let [low, high] = [0, MOST_KEYS];
    while (low < high) {
      const middle = high - Math.floor((high - low) / 2);
      if (fitting(middle)) low = middle;
      else high = middle - 1;
    }
    if (low === 0) {
      settingFor(filter, question, 1);
      refuse(`not even one key fits into ${bytes} bytes`);
    }
    return low;
  }

  function ofTextbook({ keys: keysGiven, rate: wanted, bits: bitsGiven, memory, probes: probesGiven }) {
    let bitsPerKey = bitsGiven;
    if (wanted !== null) {
      bitsPerKey =
        probesGiven === null ? -Math.log(wanted) / (LN_2 * LN_2) : bitsPerKeyForRateAndProbes(wanted, probesGiven);
    } else if (bitsGiven === null) {
      bitsPerKey = keysGiven !== null && memory !== null ? (8 * memory) / keysGiven : probesGiven / LN_2;
    }
    const keys = keysGiven === null ? whole((8 * memory) / bitsPerKey) : BigInt(keysGiven);
    if (keys === 0n) refuse("not even one key fits");
    const probes = probesGiven ?? bestWholeProbes(bitsPerKey);
    const most = memory === null ? Infinity : 8 * memory;
    const bits = Math.min(Math.max(Math.ceil(bitsPerKey * Number(keys)), 1), most);
    return {
      keys,
      bytes: whole(Math.ceil(bits / 8)),
      configured: null,
      bitsPerKey,
      probes,
      rate: rate(whole(bits), Number(keys), probes),
    };
  }

  function ofFormat(filter, question) {
    const engine = ENGINES[filter];
    let { keys } = question;
    let setting;
    if (keys !== null) {
      setting = settingFor(filter, question, keys);
    } else if (engine && question.rate !== null) {
      [keys, setting] = mostKeysAt(engine, question.rate, question.memory);
    } else {
      keys = mostKeys(filter, question);
      setting = settingFor(filter, question, keys);
    }
    const { bytes, probes, rate: expected } = shape(filter, keys, setting);
    return {
      keys: BigInt(keys),
      bytes,
      configured: engine ? setting : null,
      bitsPerKey: (8 * Number(bytes)) / keys,
      probes,
      rate: expected,
    };
  }

  /** Name on the command line, and what it is. */
  const FILTERS = [
    ["textbook", "independent probes, sizes not rounded"],
    ["leveldb", "BloomFilter2, leveldb.BuiltinBloomFilter2: LevelDB's layout"],
    ["bloom64", "BloomFilter64.Xxph3: LevelDB's layout, 64 bits of hash"],
    ["fast-local-bloom", "RocksDB's FastLocalBloom, format_version 5"],
    ["ribbon", "RocksDB's Ribbon (Standard128)"],
    ["guava", "Guava's BloomFilter as a stream"],
    ["redis-fixed", "bitmap of the fixed design in Redis"],
    ["redis-growing", "a bitmap of the growing or the split design in Redis"],
    ["counting", "counting filter, four bits a counter, as stored"],
    ["cuckoo", "cuckoo filter, as stored"],
    ["growing", "growing filter before it grows, as stored"],
  ];

  /** The question with what is assumed filled in, or a text that says why it has no answer. */
  function checked({ keys = null, rate: wanted = null, bits = null, memory = null, probes = null }) {
    const isWhole = (number, most) => Number.isInteger(number) && number >= 1 && number <= most;
    const outside = [
      [keys !== null && !isWhole(keys, MOST_KEYS), "The number of keys is a whole one from 1 to 9,007,199,254,740,992."],
      [wanted !== null && !(wanted > 0 && wanted < 1), "The false-positive rate is above 0 and below 1, or above 0 % and below 100 %."],
      [bits !== null && !(bits > 0 && bits <= 1e6), "Bits per key are above 0, and at most 1,000,000."],
      [memory !== null && !isWhole(memory, MOST_KEYS), "The memory is a whole number of bytes from 1 to 9,007,199,254,740,992."],
      [probes !== null && !isWhole(probes, 255), "The probe count is a whole number from 1 to 255."],
    ].find(([is]) => is);
    if (outside) return outside[1];
    const given = [keys, wanted, bits, memory].filter((number) => number !== null).length;
    if (given > 2 || (wanted !== null && bits !== null)) {
      return "Each follows from the others: give two at most, and not both the rate and the bits per key.";
    }
    if (given === 0 && probes === null) {
      return "Give at least one of number of keys, false-positive rate, bits per key, memory and probe count.";
    }
    const question = { keys, rate: wanted, bits, memory, probes };
    if (keys === null && memory === null) question.keys = 1_000_000;
    const isFixed = wanted !== null || bits !== null || probes !== null;
    if (!isFixed && (question.keys === null || memory === null)) question.rate = 0.01;
    return question;
  }

  /** The filter of this kind for a question that was checked; `{ reason }` where there is none. */
  function answer(filter, question) {
    return attempt(
      () => (filter === "textbook" ? ofTextbook(question) : ofFormat(filter, question)),
      (refusal) => ({ reason: refusal.reason }),
    );
  }

  /** What filters of a kind do at 4 to 24 bits per key. */
  function curve(filter, keys) {
    const points = [];
    for (let bits = 4; bits <= 24; bits += 1) {
      const point = answer(filter, { keys, rate: null, bits, memory: null, probes: null });
      // Small filters have one size over a range of bits per key.
      if (point.reason === undefined && !(points.at(-1)?.bitsPerKey >= point.bitsPerKey)) points.push(point);
    }
    return points;
  }

  return { FILTERS, checked, answer, curve };
})();

//! RedisBloom's chains, as its module made them, and the readers of chunks.

use membership_filters::Error;
use membership_filters::{RedisBloomFilter, RedisBloomParameters};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::ffi::peak;
use super::support::samples::sample;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    error: f64,
    capacity: u64,
    options: Vec<String>,
    inserted: Option<u64>,
    keys_hex: Option<Vec<String>>,
    /// Capacity, size, links, keys and expansion of `BF.INFO`.
    info: Option<Value>,
    absent: Option<String>,
    chunks: Vec<(i64, usize, String)>,
}

impl Golden {
    fn all() -> Vec<Self> {
        let rows = include_str!("../data/redisbloom.jsonl").lines();
        rows.map(|row| serde_json::from_str(row).unwrap()).collect()
    }

    fn parameters(&self) -> RedisBloomParameters {
        let parameters = RedisBloomParameters::new(self.capacity, self.error);
        match &*self.options {
            [name] if name == "NONSCALING" => parameters.non_scaling(),
            [name, factor] if name == "EXPANSION" => parameters.expansion(factor.parse().unwrap()),
            other => panic!("{other:?}"),
        }
    }

    fn keys(&self) -> Vec<Vec<u8>> {
        let numbered = (0..self.inserted.unwrap_or(0)).map(|number| format!("key{number:08}").into_bytes());
        let given = self
            .keys_hex
            .iter()
            .flatten()
            .map(|key| hex::decode(key).unwrap());
        numbered.chain(given).collect()
    }
}

/// Inserts the keys that fit in: a server skips the others.
fn filled(golden: &Golden) -> RedisBloomFilter {
    let mut filter = RedisBloomFilter::new(&golden.parameters()).unwrap();
    for key in golden.keys() {
        let looked_present = filter.contains(&key);
        match filter.insert(&key) {
            Ok(is_new) => assert_eq!(is_new, !looked_present),
            Err(error) => assert!(matches!(error, Error::Full(_))),
        }
    }
    filter
}

/// Reads a filter from chunks that own their bytes.
fn from_chunks(chunks: &[(i64, Vec<u8>)]) -> Result<RedisBloomFilter, Error> {
    RedisBloomFilter::from_chunks(chunks.iter().map(|(iterator, bytes)| (*iterator, &bytes[..])))
}

#[test]
fn chains_are_those_of_the_module() {
    let all = Golden::all();
    assert_eq!(all.len(), 83);
    for golden in &all {
        let filter = filled(golden);
        let at = format!("{} {} {:?}", golden.error, golden.capacity, golden.options);
        let chunks: Vec<_> = filter.chunks().collect();
        let described = chunks.iter().map(|(iterator, bytes)| {
            let is_short = bytes.len() <= 90;
            let shown = if is_short {
                hex::encode(bytes)
            } else {
                hex::encode(Sha256::digest(bytes))
            };
            (*iterator, bytes.len(), shown)
        });
        assert_eq!(described.collect::<Vec<_>>(), golden.chunks, "{at}");
        assert!(from_chunks(&chunks).unwrap() == filter, "{at}");
        assert!(
            RedisBloomFilter::from_redisbloom(&filter.to_redisbloom()).unwrap() == filter,
            "{at}"
        );
        if let Some(info) = &golden.info {
            let stats = filter.info();
            let expansion = stats.expansion.map_or("None".into(), Value::from);
            let shown = json!([stats.capacity, stats.size, stats.links, stats.len, expansion]);
            assert_eq!(*info, shown, "{at}");
        }
        if let Some(absent) = &golden.absent {
            let keys: Vec<_> = (100_000_000..100_000_400)
                .map(|number| format!("key{number:08}/absent"))
                .collect();
            let found = filter.contains_many(&keys);
            assert!(
                keys.iter()
                    .map(|key| filter.contains(key.as_bytes()))
                    .eq(found.iter().copied()),
                "{at}"
            );
            let digits = found
                .chunks(4)
                .map(|four| four.iter().fold(0, |digit, &bit| digit << 1 | u32::from(bit)));
            let digits: String = digits.map(|digit| char::from_digit(digit, 16).unwrap()).collect();
            assert_eq!(digits, *absent, "{at}");
        }
    }
    // As the documentation of `BF.SCANDUMP` shows it.
    let mut documented = RedisBloomFilter::new(&RedisBloomParameters::new(10, 0.1)).unwrap();
    documented.insert(b"item1").unwrap();
    let chunks: Vec<_> = documented.chunks().map(|(_, bytes)| hex::encode(bytes)).collect();
    assert_eq!(
        chunks,
        [
            "01000000000000000100000005000000020000000800000000000000400000000000000001000000000000009a9999999999a93f4af\
             7d49edef01840050000000a0000000000000000",
            "0108008000042000"
        ]
    );
}

/// A chain whose links have a power of two of bits, and a header without expansion; it goes on with links of the same
/// kind, whose capacities `BF.INFO` of today's module tells (trials of `bloom-redis` compare the bits with it).
#[test]
fn a_chain_of_redisbloom_2_0_is_read_and_goes_on() {
    let stored = sample("redisbloom.2.0");
    let mut filter = RedisBloomFilter::from_redisbloom(&stored).unwrap();
    let keys: Vec<_> = (0..100).map(|i| format!("k/{i}")).collect();
    assert!(filter.contains_many(&keys).iter().all(|&found| found));
    let absent: Vec<_> = (100..10_100).map(|i| format!("k/{i}")).collect();
    let found = filter
        .contains_many(&absent)
        .iter()
        .filter(|&&found| found)
        .count();
    assert!((40..160).contains(&found), "{found}");
    let again = RedisBloomFilter::from_redisbloom(&filter.to_redisbloom()).unwrap();
    assert!(again == filter && again.info().capacity == 106);
    filter.insert_many(&absent[..700]).unwrap();
    assert!(filter.contains_many(&absent[..700]).iter().all(|&found| found));
    // 106 of 1,024 bits; 371 of 4,096 in place of 212 of 2,343; 1,313 of 16,384 in place of 742.
    assert_eq!((filter.info().links, filter.bits()), (3, 1_024 + 4_096 + 16_384));
}

/// The server's own answers: all keys, 207 of 10,000 others, and 2,455 insertions that changed bits.
#[test]
fn a_chain_of_redisbloom_2_0_that_a_later_server_loaded_is_read() {
    let all_without = sample("redisbloom.2.0-from-rdb");
    // The server that loads a chain of one link makes the others with their bits.
    let mut one_without = all_without.clone();
    one_without[20 + 53 + 8..][..8].copy_from_slice(&4_096_u64.to_le_bytes());
    one_without[20 + 2 * 53 + 8..][..8].copy_from_slice(&16_384_u64.to_le_bytes());
    let keys: Vec<_> = (0..10_900).map(|i| format!("k/{i}")).collect();
    for stored in [all_without, one_without] {
        let mut filter = RedisBloomFilter::from_redisbloom(&stored).unwrap();
        assert_eq!(
            (filter.len(), filter.info().capacity, filter.bits()),
            (888, 1_790, 21_504)
        );
        assert!(keys[..900].iter().all(|key| filter.contains(key)));
        let found = keys[900..].iter().filter(|key| filter.contains(*key));
        assert_eq!(found.count(), 207);
        // Written as a server loads it.
        let written = filter.to_redisbloom();
        assert_eq!(written[20 + 8..][..8], 1_024_u64.to_le_bytes());
        assert!(RedisBloomFilter::from_redisbloom(&written).unwrap() == filter);
        filter.insert_many(&keys[900..2_500]).unwrap();
        assert_eq!((filter.len(), filter.bits()), (2_455, 21_504 + 65_536));
    }
}

#[test]
fn a_full_chain_refuses_a_key_and_a_link() {
    let mut full = RedisBloomFilter::new(&RedisBloomParameters::new(2, 0.01).non_scaling()).unwrap();
    assert_eq!(full.insert_many(["a", "b", "a"]), Ok(()));
    assert_eq!(full.len(), 2);
    let before = full.clone();
    let error = full.insert(b"c").unwrap_err();
    let text = "the keys of a chain that does not scale must be at most its capacity, got one more than 2";
    assert!(matches!(error, Error::Full(_)));
    assert_eq!(&*error.to_string(), text);
    assert_eq!(full.insert_many(["a", "c", "b"]), Err(error));
    assert!(full == before && full.insert(b"b") == Ok(false));

    // Each link has half the rate of the one before, in the end none.
    let mut flat = RedisBloomFilter::new(&RedisBloomParameters::new(1, 0.01).expansion(1)).unwrap();
    let key = |key: u32| key.to_le_bytes();
    let last = (0..9_000).find(|&next| flat.insert(&key(next)).is_err()).unwrap();
    let error = flat.insert(&key(last)).unwrap_err();
    let text = "the number of links must be at most 1067, after which the rate would be 0: give a larger capacity or \
                expansion, got 1068";
    assert!(matches!(error, Error::Full(_)));
    assert_eq!(&*error.to_string(), text);
    assert!((0..last).all(|stored| flat.contains(&key(stored))));

    let error = RedisBloomFilter::new(&RedisBloomParameters::new(1 << 40, 0.01)).unwrap_err();
    let text = "the number of bits must be at most 137438953408, got 12125143111619 for 1099511627776 keys at a rate of 5e-3";
    assert!(matches!(error, Error::TooLarge(_)));
    assert_eq!(error.to_string(), text);
    // As on a server.
    let of = |rate| RedisBloomFilter::new(&RedisBloomParameters::new(10, rate)).unwrap();
    assert!(of(0.9) == of(0.25) && of(0.2) != of(0.25));
    let fixed = RedisBloomFilter::new(&RedisBloomParameters::new(10, 0.1).expansion(0)).unwrap();
    assert_eq!(fixed.info().expansion, None);
}

#[test]
fn chunks_in_another_order_are_refused() {
    let mut filter = RedisBloomFilter::new(&RedisBloomParameters::new(10, 0.01)).unwrap();
    filter.insert(b"key").unwrap();
    let bytes = filter.to_redisbloom();
    for (header, iterator, text) in [
        (9, 17, "the iterator of a chunk must be 1, got 9"),
        (1, 16, "the iterator of a chunk must be 17, got 16"),
        (
            1,
            i64::MIN,
            "the iterator of a chunk must be 17, got -9223372036854775808",
        ),
        (1, 0, "the length in bytes must be at least 89, got 73"),
        (1, 17, "the length in bytes must be 89, got more"),
    ] {
        let chunks = [(header, &bytes[..73]), (iterator, &bytes[73..]), (18, b"x")];
        let error = RedisBloomFilter::from_chunks(chunks).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

/// Checks what `from_chunks` promises of its memory.
#[test]
fn hostile_chunks_need_four_times_their_memory_at_most() {
    let one = RedisBloomFilter::new(&RedisBloomParameters::new(1, 0.01)).unwrap();
    let one = one.to_redisbloom();
    // Vectors double their memory beyond a power of two.
    for (links, claimed) in [
        (1, 1),
        (1, 9),
        (2, 2),
        (5, 5),
        (65_537, 65_537),
        (65_537, u32::MAX),
    ] {
        let mut header = [&one[..20], &one[20..73].repeat(links as usize)].concat();
        header[8..12].copy_from_slice(&claimed.to_le_bytes());
        for bits in [vec![0; 8 * links as usize], Vec::new()] {
            let chunks = [(1, &header[..]), (1 + bits.len() as i64, &bits[..])];
            let (memory, read) = peak(|| RedisBloomFilter::from_chunks(chunks));
            let given = header.len() + bits.len();
            assert!(
                memory <= 4 * given + TEXT,
                "{memory} of {given} for {links} links of {claimed}"
            );
            assert_eq!(read.is_ok(), claimed == links && !bits.is_empty());
        }
    }
}

/// The memory of the text of an error.
const TEXT: usize = 200;

#[cfg(not(emulated))]
proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Changed and cut chains are refused, or are filters that go on; whole ones are read however they are divided.
    #[test]
    fn any_chunks_are_an_error_or_a_filter(
        keys in 0_u32..60,
        is_scaling: bool,
        changes in prop::collection::vec((0_usize..300, any::<u8>()), 0..4),
        cut in prop::option::of(0_usize..500),
        cuts in prop::collection::vec(0_usize..100, 0..5),
    ) {
        let parameters = RedisBloomParameters::new(8, 0.02);
        let parameters = if is_scaling { parameters } else { parameters.non_scaling() };
        let mut filter = RedisBloomFilter::new(&parameters).unwrap();
        for key in 0..keys {
            let _full = filter.insert(&key.to_le_bytes());
        }
        let [header, mut bits] = [0, 1].map(|part| {
            let chunks = filter.chunks().enumerate().filter(|(at, _)| (*at > 0) == (part > 0));
            chunks.flat_map(|(_, (_, bytes))| bytes).collect::<Vec<u8>>()
        });
        let mut all = [&header[..], &bits].concat();
        for &(at, to) in &changes {
            all.get_mut(at).into_iter().for_each(|byte| *byte = to);
        }
        all.truncate(cut.unwrap_or(all.len()));
        let header = all[..header.len().min(all.len())].to_vec();
        bits = all[header.len()..].to_vec();
        let mut chunks = vec![(1, header)];
        let mut iterator = 1;
        for cut in cuts {
            let later = bits.split_off(cut.min(bits.len()));
            iterator += bits.len() as i64;
            chunks.push((iterator, bits));
            bits = later;
        }
        chunks.push((iterator + bits.len() as i64, bits));
        chunks.push((0, Vec::new()));
        let (memory, read) = peak(|| from_chunks(&chunks));
        prop_assert!(memory <= 4 * all.len() + TEXT);
        let is_whole = changes.is_empty() && cut.is_none();
        prop_assert!(!is_whole || read.as_ref().is_ok_and(|read| *read == filter));
        prop_assert!(read.is_ok() == RedisBloomFilter::from_redisbloom(&all).is_ok());
        if let Ok(mut read) = read {
            prop_assert!(read.to_redisbloom() == all);
            prop_assert!((0.0..=1.0).contains(&read.expected_rate()));
            let hash = read.hash(b"further");
            prop_assert!(read.insert_hashed(&hash).is_err() || read.contains(b"further"));
        }
    }
}

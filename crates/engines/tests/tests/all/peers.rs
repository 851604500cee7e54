//! Compares filters and answers of this project with those of engines in C++, whose own policies are called directly.

use filter_policy::policies::AnyPolicy;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy as _, formats};

use crate::source::Source;

/// A policy of an engine, called directly.
trait Theirs {
    fn create(&self, keys: &[Vec<u8>]) -> Vec<u8>;

    /// Returns the engine's answers; `None` for bytes that deny nothing here on purpose, although the engine denies
    /// keys or reads beyond them.
    fn answers(&self, filter: &[u8], keys: &[Vec<u8>]) -> Option<Vec<bool>>;
}

#[cfg(feature = "leveldb")]
mod leveldb {
    pub(super) use engine_tests::leveldb::Policy;
    use engine_tests::leveldb::{UniquePtr, slices};

    impl super::Theirs for UniquePtr<Policy> {
        fn create(&self, keys: &[Vec<u8>]) -> Vec<u8> {
            self.create_filter(&slices(keys))
        }

        fn answers(&self, filter: &[u8], keys: &[Vec<u8>]) -> Option<Vec<bool>> {
            let may_match = |key: &Vec<u8>| self.count_matches(&slices(&[key]), filter) == 1;
            Some(keys.iter().map(may_match).collect())
        }
    }
}

#[cfg(feature = "rocksdb")]
mod rocksdb {
    pub(super) use engine_tests::rocksdb::Policy;
    use engine_tests::rocksdb::{UniquePtr, slices};
    use filter_policy::MATCHES_EVERYTHING;

    impl super::Theirs for UniquePtr<Policy> {
        fn create(&self, keys: &[Vec<u8>]) -> Vec<u8> {
            self.create_filter(&slices(keys))
        }

        fn answers(&self, filter: &[u8], keys: &[Vec<u8>]) -> Option<Vec<bool>> {
            let reader = self
                .reader(filter)
                .ok()
                .filter(|_| filter != MATCHES_EVERYTHING)?;
            let may_match = |key: &Vec<u8>| reader.count_matches(&slices(&[key])) == 1;
            Some(keys.iter().map(may_match).collect())
        }
    }
}

/// An engine's policy, and ours with the same bits per key.
struct Pair {
    theirs: Box<dyn Theirs>,
    ours: AnyPolicy,
}

impl Pair {
    /// Checks that both build the same filter, and returns it.
    fn build(&self, keys: &[Vec<u8>]) -> Vec<u8> {
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let mut filter = Vec::new();
        self.ours.append_filter(&slices, &mut filter).unwrap();
        let (name, bits) = (self.ours.name(), self.ours.bits_per_key());
        assert!(
            filter == self.theirs.create(keys),
            "{name}, {bits:?}: {} keys",
            keys.len()
        );
        filter
    }

    /// Checks that both answer the same, and returns the engine's answers.
    fn answers(&self, filter: &[u8], keys: &[Vec<u8>]) -> Vec<bool> {
        let ours: Vec<bool> = keys
            .iter()
            .map(|key| self.ours.key_may_match(key, filter))
            .collect();
        let theirs = self.theirs.answers(filter, keys);
        let expected = theirs.as_ref().map_or_else(|| vec![true; keys.len()], Vec::clone);
        assert_eq!(ours, expected, "{}: {filter:x?}, {keys:x?}", self.ours.name());
        theirs.unwrap_or_default()
    }
}

/// Returns the pairs of all engines. LevelDB takes whole bits per key.
fn pairs(bits_per_key: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |theirs: Box<dyn Theirs>, name, bits| {
        let ours = filter_policy::policies::by_name(name, bits).unwrap();
        pairs.push(Pair { theirs, ours });
    };
    #[cfg(feature = "leveldb")]
    {
        let bits = bits_per_key as u16;
        let theirs = Box::new(leveldb::Policy::builtin(bits));
        add(theirs, formats::LEVEL_DB.name(), BitsPerKey::whole(bits.into()));
    }
    #[cfg(feature = "rocksdb")]
    {
        let bits = BitsPerKey::fractional(bits_per_key).unwrap();
        let bloom = |version| Box::new(rocksdb::Policy::bloom(bits_per_key, version));
        add(bloom(5), formats::FAST_LOCAL_BLOOM.name(), bits);
        add(bloom(4), formats::LEGACY_BLOOM.name(), bits);
        let ribbon = Box::new(rocksdb::Policy::ribbon(bits_per_key));
        add(ribbon, formats::RIBBON.name(), bits);
    }
    pairs
}

/// Draws bits per key from 1 to 100, whole or fractional.
fn bits_per_key(source: &mut Source) -> f64 {
    match source.below(3) {
        0 => (1 + source.below(60)) as f64,
        1 => 1.0 + source.below(39_000) as f64 / 1000.0,
        _ => 1.0 + source.share() * 99.0,
    }
}

fn several(source: &mut Source, count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|_| source.key()).collect()
}

#[test]
fn filters_are_the_engines_own_byte_for_byte() {
    let mut source = Source::new(1);
    for round in 0..2_000 {
        let count = match round % 20 {
            0 => source.below(5_001),
            1 => 0,
            _ => source.below(200),
        };
        let keys = source.keys(count);
        let absent = several(&mut source, 20);
        for pair in pairs(bits_per_key(&mut source)) {
            let filter = pair.build(&keys);
            assert!(
                pair.answers(&filter, &keys).iter().all(|&answer| answer),
                "{keys:x?}"
            );
            pair.answers(&filter, &absent);
        }
    }
}

/// Sizes up to 600 include the steps of tables, of lines and of Ribbon's sizes; the keys are consecutive.
#[test]
fn filters_of_consecutive_keys_are_the_engines_own() {
    let keys: Vec<Vec<u8>> = (0..300_000_u32).map(|i| i.to_be_bytes().to_vec()).collect();
    let sizes = (0..=600).map(|size| (10.0, size));
    let mut ribbons = 0;
    for (bits_per_key, size) in sizes.chain([(7.3, keys.len()), (15.0, keys.len())]) {
        for pair in pairs(bits_per_key) {
            let filter = pair.build(&keys[..size]);
            let view = FilterView::new(formats::FAST_LOCAL_BLOOM, &filter);
            ribbons += u32::from(view.kind() == FilterKind::Filter(formats::RIBBON.kind()));
        }
    }
    assert_eq!(
        ribbons > 300,
        cfg!(feature = "rocksdb"),
        "{ribbons} Ribbon filters"
    );
}

/// Changes a filter in one of eight ways.
fn damage(filter: &mut Vec<u8>, source: &mut Source) {
    match source.below(8) {
        0 => filter.truncate(source.index(filter.len())),
        1 => {
            let at = source.index(filter.len());
            filter[at] ^= 1 << source.below(8);
        }
        2 => {
            let more = source.below(200);
            filter.extend(source.bytes(more));
        }
        3 => filter.reverse(),
        4 => {
            let cut = source.index(filter.len());
            filter.drain(..cut);
        }
        // The last bytes determine the kind of a filter.
        _ => {
            let at = filter.len() - 1 - source.index(5);
            filter[at] = source.bytes(1)[0];
        }
    }
}

#[test]
fn answers_on_damaged_filters_are_the_engines_own() {
    let mut source = Source::new(2);
    let mut counts = [0; 2];
    for _ in 0..2_000 {
        for pair in pairs(1.0 + source.below(300) as f64 / 10.0) {
            // Ribbon filters of few keys are Bloom filters.
            let most = if pair.ours.name() == formats::RIBBON.name() {
                1500
            } else {
                150
            };
            let count = 1 + source.below(most);
            let mut keys = source.keys(count);
            let mut filter = pair.build(&keys);
            damage(&mut filter, &mut source);
            keys.truncate(30);
            keys.extend(several(&mut source, 30));
            for answer in pair.answers(&filter, &keys) {
                counts[usize::from(answer)] += 1;
            }
        }
    }
    assert!(
        counts[0] > 20_000 && counts[1] > 100_000,
        "{counts:?} times no and yes"
    );
}

/// Every last byte of LevelDB's filters and every first byte of RocksDB's metadata, after bits from none to all.
#[test]
fn answers_on_any_bytes_are_the_engines_own() {
    let mut source = Source::new(3);
    let mut counts = [0; 2];
    for len in (0..=40).chain([64, 65, 127, 128, 192, 448]) {
        for marker in 0..=u8::MAX {
            let (mut filter, mask) = (source.bytes(len), source.bytes(len));
            let sparse = source.below(3);
            for (byte, mask) in filter.iter_mut().zip(mask) {
                match sparse {
                    0 => *byte |= mask,
                    1 => *byte &= mask,
                    _ => {}
                }
            }
            let lines = source.below(1 + len / 4) as u32;
            let [a, b, c, d] = lines.to_le_bytes();
            let keys = several(&mut source, 8);
            let any = source.bytes(1)[0];
            let of_rocksdb = match source.below(4) {
                0 => [marker, a, b, c, d],
                1 => [marker, 0, a, 0, 0],
                2 => [marker, any, a, b, c],
                _ => [marker, d, c, b, a],
            };
            for tail in [&[][..], &[marker], &of_rocksdb] {
                let filter = [&filter, tail].concat();
                for answer in pairs(10.0).iter().flat_map(|pair| pair.answers(&filter, &keys)) {
                    counts[usize::from(answer)] += 1;
                }
            }
        }
    }
    assert!(
        counts[0] > 20_000 && counts[1] > 100_000,
        "{counts:?} times no and yes"
    );
}

/// RocksDB corrects bits per key that are too small, too large, or not a number.
#[cfg(feature = "rocksdb")]
#[test]
fn odd_bits_per_key_are_corrected_alike() {
    let keys: Vec<Vec<u8>> = (0..500_u32).map(|i| i.to_le_bytes().to_vec()).collect();
    for bits_per_key in [0.5, 0.75, 0.999, 99.9996, 100.0, 1e9, f64::INFINITY, f64::NAN] {
        // Numbers that are too large, and NaN, count as the maximum.
        let bits = BitsPerKey::fractional(bits_per_key).unwrap_or(BitsPerKey::whole(u32::MAX));
        let pair = Pair {
            theirs: Box::new(rocksdb::Policy::bloom(bits_per_key, 5)),
            ours: Box::new(FastLocalBloomPolicy::new(bits)),
        };
        pair.build(&keys);
    }
}

/// The two bytes that adapters store, on which RocksDB denies every key; less than a line; and 320 bytes that RocksDB
/// would take for 603,979,781 lines of 64 bytes.
#[cfg(feature = "rocksdb")]
#[test]
fn filters_that_rocksdb_reads_otherwise_deny_nothing() {
    let theirs = rocksdb::Policy::bloom(10.0, 5);
    let ours = FastLocalBloomPolicy::new(BitsPerKey::whole(10));
    let reader = theirs.reader(&[0, 0xff]).unwrap();
    assert_eq!(reader.count_matches(&engine_tests::rocksdb::slices(&[b"key"])), 0);
    assert!(ours.key_may_match(b"key", &[0, 0xff]));
    let line = [&[0; 63][..], &[0xff, 0, 6, 0, 0]].concat();
    let lines = [&[0; 320][..], &[17], &0x2400_0005_u32.to_le_bytes()].concat();
    for filter in [line, lines] {
        assert!(theirs.reader(&filter).is_err());
        let view = FilterView::new(formats::FAST_LOCAL_BLOOM, &filter);
        assert_eq!(view.kind(), FilterKind::Reserved);
        assert!(ours.key_may_match(b"key", &filter));
    }
}

/// LevelDB reads filters of these formats only under a wrong name; `FORMAT.md` of `filter-policy` promises that no key is
/// lost then.
#[cfg(feature = "leveldb")]
#[test]
fn leveldb_lets_filters_of_newer_formats_pass() {
    let leveldb = leveldb::Policy::builtin(10);
    for format in [formats::BLOOM64, formats::FAST_LOCAL_BLOOM] {
        for bits_per_key in [1, 4, 10, 17, 50, 100] {
            let policy = format.policy(BitsPerKey::whole(bits_per_key));
            for count in [1, 2, 5, 17, 100, 1_000, 20_000] {
                let key = |i: u32| format!("key{i:08}").into_bytes();
                let mut keys: Vec<Vec<u8>> = (0..count).map(key).collect();
                let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let mut filter = Vec::new();
                policy.append_filter(&slices, &mut filter).unwrap();
                keys.extend((1_000_000..1_000_200).map(key));
                keys.extend([vec![], vec![0], vec![0xff; 300]]);
                let answers = leveldb.answers(&filter, &keys).unwrap();
                let name = policy.name();
                assert!(
                    answers.iter().all(|&answer| answer),
                    "{name}, {count} keys, {bits_per_key} bits"
                );
            }
        }
    }
}

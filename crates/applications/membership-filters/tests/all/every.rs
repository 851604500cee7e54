//! What holds for every kind of filter, compared with an exact multiset.

use std::collections::HashMap;
use std::fmt::Debug;

use membership_filters::backend::{Concurrent, Counting, Cuckoo, Exclusive, Remove};
use membership_filters::guava::{BloomFilter, ConcurrentBloomFilter, Parameters, Strategy};
use membership_filters::kinds::{self, AnyKind, Form, Size};
use membership_filters::{
    BlockedBloomFilter, Bytes, ConcurrentBlockedBloomFilter, CountingBloomFilter, CuckooFilter,
    CuckooParameters, Encoding, Error, Filter, Generations, Hashed, Hashing as _,
    Parameters as BlockedParameters, RedisBloomFilter, RotatingFilter, Shared, Xxph3, spark,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use super::counting::stuck_counters;
use super::support::hashes::Hashes;
use super::support::salted::Salted;
use super::support::samples::{hash_id, insert, made};

/// Steps with few keys, so that copies and removals meet.
fn steps() -> impl Generator<Value = Vec<(bool, i32)>> {
    prop::collection::vec((any::<bool>(), 0..40_i32), 0..200)
}

/// Keys that are there are found at any time, refused keys change nothing, a filter that was stored and read goes on as this
/// one, many keys at once are as one by one, and two filters with a part of the keys each become the filter of all, or say
/// why not.
fn check(kind: &dyn AnyKind, capacity: u64, rate: f64, steps: &[(bool, i32)]) -> Result<(), TestCaseError> {
    let hash = kind.hash_id(Encoding::BYTES, 7).unwrap();
    let Ok(plan) = kind.plan(hash, capacity, Size::Rate(rate)) else {
        // A cuckoo filter has a lowest rate, and Guava's formula gives no bits for some.
        return Ok(());
    };
    let empty = plan.make().unwrap();
    let bytes = |filter: &dyn kinds::AnyFilter| filter.to_bytes(kind.form()).unwrap();
    prop_assert_eq!(bytes(&*empty).len() as u64, plan.stored_len);
    let [mut all, mut one, mut other] = [(); 3].map(|()| empty.copy());
    let mut taken = Vec::new();
    for (part, item) in steps {
        let (key, before) = (item.to_le_bytes(), bytes(&*all));
        match insert(&mut *all, &[key]) {
            Ok(()) => {
                taken.push(key);
                let half = if *part { &mut one } else { &mut other };
                insert(&mut **half, &[key]).unwrap();
            }
            Err(error) => {
                prop_assert!(matches!(error, Error::Full(_) | Error::TooManyCopies), "{error}");
                prop_assert!(bytes(&*all) == before);
            }
        }
        prop_assert!(taken.iter().all(|key| all.contains(key)), "{}", kind.name());
    }
    // A stored filter states its seed.
    let mut again = kind.open(hash_id(kind), &bytes(&*all)).unwrap();
    prop_assert!(bytes(&*again) == bytes(&*all));
    prop_assert!(taken.iter().all(|key| again.contains(key)), "{}", kind.name());
    prop_assert_eq!((again.hash_id(), kind.has_seed()), (hash, hash.seed() == 7));
    let keys: Vec<[u8; 4]> = (0..700_i32).map(i32::to_le_bytes).collect();
    let slices: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
    let single: Vec<bool> = slices.iter().map(|key| all.contains(key)).collect();
    prop_assert_eq!(all.contains_many(&slices), single);
    // More keys than are passed on together, until one is refused.
    let (mut together, mut single) = (empty.copy(), empty.copy());
    let many: Vec<[u8; 4]> = steps
        .iter()
        .map(|(_, item)| item.to_le_bytes())
        .cycle()
        .take(600)
        .collect();
    let hashes: Vec<_> = many.iter().map(|key| hash.hash_bytes(key)).collect();
    let result = insert(&mut *single, &many);
    prop_assert_eq!(&together.insert_hashes(&mut hashes.iter().copied()), &result);
    prop_assert!(bytes(&*together) == bytes(&*single), "{}", kind.name());
    let mut by_bytes = empty.copy();
    let slices: Vec<&[u8]> = many.iter().map(<[u8; 4]>::as_slice).collect();
    prop_assert_eq!(by_bytes.insert_many(&slices), result);
    prop_assert!(bytes(&*by_bytes) == bytes(&*single), "{}", kind.name());
    let mut one_by_one = empty.copy();
    for (index, key) in slices.iter().enumerate() {
        let looked_present = one_by_one.contains(key);
        match one_by_one.insert(key) {
            Ok(is_new) => prop_assert!(is_new != looked_present, "{}", kind.name()),
            Err(_) => break,
        }
        prop_assert!(one_by_one.contains(slices[index / 2]));
    }
    prop_assert!(bytes(&*one_by_one) == bytes(&*single), "{}", kind.name());
    prop_assert_eq!(one_by_one.set_hash_id(hash), slices.is_empty());
    if let Some(first) = slices.first() {
        let removed = one_by_one.remove(first);
        prop_assert_eq!(removed.is_ok(), kind.can_remove());
        prop_assert_eq!(removed.is_ok(), bytes(&*one_by_one) != bytes(&*single));
        // It is in the newest generation of two.
        prop_assert_eq!(by_bytes.rotate().is_ok(), kind.can_rotate());
        prop_assert!(by_bytes.contains(first));
        let _ = by_bytes.rotate();
        prop_assert_eq!(bytes(&*by_bytes) == bytes(&*empty), kind.can_rotate());
    }
    let merged = one.merge(&*other);
    match merged {
        Ok(()) => prop_assert!(bytes(&*one) == bytes(&*all), "{}", kind.name()),
        Err(error) => prop_assert!(
            error.to_string().contains("of a kind that can be merged"),
            "{error}"
        ),
    }
    let mut further = all.copy();
    for key in &keys[..50] {
        prop_assert_eq!(insert(&mut *again, &[key]), insert(&mut *further, &[key]));
    }
    prop_assert!(bytes(&*again) == bytes(&*further));
    again.clear();
    prop_assert!(bytes(&*again) == bytes(&*empty), "{}", kind.name());
    Ok(())
}

fn hash(item: i32) -> Hashed<Bytes> {
    Hashed::new(Bytes, &item.to_le_bytes())
}

/// The number of copies of each key.
type Multiset = HashMap<i32, u64>;

fn present(copies: &Multiset) -> impl Iterator<Item = Hashed<Bytes>> {
    let present = copies.iter().filter(|&(_, &copies)| copies > 0);
    present.map(|(&item, _)| hash(item))
}

/// Inserts a key at each step with `true`, and removes it at each other step. Keys that are there are found at any time, and
/// a filter that is cleared is empty. Returns the keys.
fn check_removals<B: Remove + Clone + PartialEq>(
    filter: &mut Filter<B, Bytes>,
    steps: &[(bool, i32)],
) -> Result<Multiset, TestCaseError> {
    let (mut naive, empty) = (Multiset::new(), filter.clone());
    for &(inserts, item) in steps {
        let (before, copies) = (filter.clone(), naive.entry(item).or_default());
        if inserts {
            match filter.insert_hashed(&hash(item)) {
                Ok(is_new) => {
                    *copies += 1;
                    prop_assert!(is_new != before.contains_hashed(&hash(item)));
                }
                Err(_) => prop_assert!(*filter == before),
            }
        // Nobody may remove a key that is not there and looks present.
        } else if *copies > 0 || !filter.contains_hashed(&hash(item)) {
            prop_assert_eq!(filter.remove_hashed(&hash(item)), Ok(*copies > 0));
            prop_assert!(*copies > 0 || *filter == before);
            *copies = copies.saturating_sub(1);
        }
        prop_assert!(present(&naive).all(|hash| filter.contains_hashed(&hash)));
    }
    let mut cleared = filter.clone();
    cleared.clear();
    prop_assert!(cleared == empty);
    Ok(naive)
}

fn parameters() -> impl Generator<Value = Parameters> {
    let older = prop_oneof![Just(Strategy::Murmur128Mitz32), Just(Strategy::Murmur128Mitz64)];
    let parameters = (0_u64..60, 0.001..0.9, older);
    parameters.prop_filter_map("no filter has these parameters", |(insertions, fpp, strategy)| {
        let parameters = Parameters::new(insertions, fpp).ok()?;
        Some(parameters.strategy(strategy))
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_kind_ever_misses_a_key(steps in steps(), capacity in 1_u64..60, rate in 0.001..0.9) {
        for kind in kinds::ALL {
            check(*kind, capacity, rate, &steps)?;
        }
    }

    #[test]
    fn a_counting_filter_never_misses_an_element(
        steps in steps(),
        parameters in parameters(),
    ) {
        let mut filter = CountingBloomFilter::new(Bytes, &parameters).unwrap();
        let naive = check_removals::<Counting>(&mut filter, &steps)?;
        prop_assert_eq!(filter.len(), naive.values().sum::<u64>());
        // Bit for bit the filter of the remaining keys, except for stuck counters.
        let mut plain = BloomFilter::new(Bytes, &parameters).unwrap();
        present(&naive).for_each(|hash| _ = plain.insert_hashed(&hash));
        let (converted, stats) = (filter.to_bloom_filter().unwrap(), filter.stats());
        if stuck_counters(&filter) == 0 {
            prop_assert!(converted == plain);
            prop_assert_eq!(filter.estimated_len(), plain.estimated_len());
            prop_assert!((stats.expected_rate - plain.expected_rate()).abs() < 1e-12);
        } else {
            let covers = |(ours, theirs): (&u64, &u64)| theirs & !ours == 0;
            prop_assert!(converted.words().iter().zip(plain.words()).all(covers));
        }
        prop_assert_eq!(converted.ones(), stats.taken);
    }

    #[test]
    fn a_cuckoo_filter_never_misses_an_element(
        steps in steps(),
        bits in 4_u8..=32,
        buckets in 0_u64..30,
        seed: u64,
    ) {
        let parameters = CuckooParameters::with_buckets(buckets, bits).unwrap().seed(seed);
        let mut filter = CuckooFilter::new(Bytes, &parameters).unwrap();
        let naive = check_removals::<Cuckoo>(&mut filter, &steps)?;
        prop_assert_eq!(filter.len(), naive.values().sum::<u64>());
    }
}

/// Inserts the hashes of both parts together and one by one, until one is refused, and queries more of them.
fn check_at_once<B, F>(empty: &Filter<B, F>, parts: [usize; 2])
where
    B: Exclusive + Clone + PartialEq,
    F: Clone + PartialEq,
{
    let [mut together, mut single] = [(); 2].map(|()| empty.clone());
    let hash = |hash: Hashed<Bytes>| Hashed::assume(empty.funnel().clone(), hash.hash());
    let count = parts[0] + parts[1] + 50_000;
    let hashes: Vec<Hashed<F>> = Hashes::from_seed(1).take(count).map(hash).collect();
    let (first, rest) = hashes.split_at(parts[0]);
    for part in [first, &rest[..parts[1]]] {
        let one_by_one = part
            .iter()
            .try_for_each(|hash| single.insert_hashed(hash).map(drop));
        assert_eq!(together.insert_many_hashed(part), one_by_one);
    }
    assert!(together == single, "{}", B::NAME);
    let answers = hashes.iter().map(|hash| single.contains_hashed(hash));
    assert!(answers.eq(together.contains_many_hashed(&hashes)), "{}", B::NAME);
}

/// Does so in a filter that threads share, whose batches have code of their own.
fn check_shared_at_once<B: Concurrent>(shared: &Filter<B, Bytes, Shared>, count: usize)
where
    B::Alone: PartialEq + Debug,
{
    let mut alone = shared.snapshot();
    let hashes: Vec<_> = Hashes::from_seed(2).take(count).collect();
    shared.insert_many_hashed(&hashes).unwrap();
    alone.insert_many_hashed(&hashes).unwrap();
    assert!(shared.snapshot() == alone, "{}", B::NAME);
    let more: Vec<_> = Hashes::from_seed(2).take(2 * count).collect();
    let answers = alone.contains_many_hashed(&more);
    assert!(shared.contains_many_hashed(&more) == answers, "{}", B::NAME);
}

/// Batches fetch ahead in filters larger than the caches, and go on in chains that have grown. A cuckoo filter is full in the
/// middle of one.
#[test]
fn many_keys_at_once_are_one_by_one_in_filters_of_every_size() {
    for (capacity, rate, parts) in [
        (400_000, 0.01, [300_000, 100_000]),
        (20_000, 1e-30, [30_000, 10_000]),
        (10, 1e-70, [5, 20]),
        (1_000, 0.01, [900, 20_000]),
    ] {
        let guavas = Parameters::new(capacity, rate).unwrap();
        for strategy in [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64] {
            let bloom = BloomFilter::new(Bytes, &guavas.strategy(strategy)).unwrap();
            check_at_once(&bloom, parts);
            check_shared_at_once(&ConcurrentBloomFilter::from(bloom), parts[0]);
        }
        let sparks = spark::Parameters::new(capacity, rate).unwrap();
        check_at_once(&spark::BloomFilter::new(&sparks).unwrap(), parts);
        check_at_once(&RedisBloomFilter::with_capacity(capacity, rate).unwrap(), parts);
        if rate == 0.01 {
            check_at_once(&BlockedBloomFilter::with_capacity(capacity, rate).unwrap(), parts);
            let blocked = BlockedParameters::new(capacity, rate).unwrap();
            let blocked = BlockedBloomFilter::new(Bytes, &blocked).unwrap();
            check_shared_at_once(&ConcurrentBlockedBloomFilter::from(blocked), parts[0]);
            check_at_once(&CuckooFilter::with_capacity(capacity, rate).unwrap(), parts);
            check_at_once(
                &CountingBloomFilter::with_capacity(capacity, rate).unwrap(),
                parts,
            );
            check_at_once(&RotatingFilter::with_capacity(2, capacity, rate).unwrap(), parts);
        }
    }
}

/// Hash values of a funnel of another type do not compile; `Hashed` has an example.
#[test]
fn the_hash_of_an_unequal_funnel_might_be_contained_and_is_not_inserted() {
    let parameters = Parameters::new(1000, 0.01).unwrap();
    let mut filter = CountingBloomFilter::new(Salted(7), &parameters).unwrap();
    let shared = ConcurrentBloomFilter::new(Salted(7), &parameters).unwrap();
    let empty = filter.clone();
    let both = [7, 8].map(|salt| Hashed::new(Salted(salt), "key"));
    let [ours, theirs] = &both;
    assert!(filter.hash("key") == *ours);
    assert!(!filter.contains_hashed(ours) && filter.contains_hashed(theirs));
    assert_eq!(filter.contains_many_hashed(&both), [false, true]);
    for result in [
        filter.insert_hashed(theirs).map(drop),
        filter.insert_many_hashed(&both),
        filter.remove_hashed(theirs).map(drop),
        shared.insert_hashed(theirs).map(drop),
        shared.insert_many_hashed(&both),
    ] {
        let error = result.unwrap_err();
        let text = "the funnel of the hash must be equal to the filter's, got another one";
        assert!(matches!(error, Error::Incompatible(_)));
        assert_eq!(error.to_string(), text);
    }
    assert!(filter == empty && shared.ones() == 0);
    filter.insert_hashed(ours).unwrap();
    assert!(filter.contains_hashed(ours));
    assert_eq!(filter.remove_hashed(ours), Ok(true));
}

/// Shards hold what one filter would: no key is refused, and absent ones match at the rate of the filters.
#[test]
fn keys_are_divided_among_sixteen_shards() {
    const KEYS: i32 = 80_000;

    for kind in kinds::ALL {
        let id = hash_id(*kind);
        let shard = |item: i32| Hashed::assume(id, id.hash_bytes(&item.to_le_bytes())).shard(16);
        let mut keys = vec![Vec::new(); 16];
        (0..KEYS).for_each(|item| keys[shard(item)].push(item.to_le_bytes()));
        let counts: Vec<usize> = keys.iter().map(Vec::len).collect();
        assert!(
            counts.iter().all(|count| (4_700..5_300).contains(count)),
            "{counts:?}"
        );
        let filled = keys.iter().map(|keys| {
            let mut filter = made(*kind, 5_300, 0.01).unwrap();
            let hashes: Vec<_> = keys.iter().map(|key| id.hash_bytes(key)).collect();
            filter.insert_hashes(&mut hashes.iter().copied()).unwrap();
            filter
        });
        let shards: Vec<_> = filled.collect();
        let may_match = |item: i32| shards[shard(item)].contains(&item.to_le_bytes());
        assert!((0..KEYS).all(may_match));
        let absent = (KEYS..2 * KEYS).filter(|&item| may_match(item)).count();
        // 1 % of 80,000, with fuller shards among them; half of it if only one of two generations, or of all links, has keys.
        assert!((130..1_000).contains(&absent), "{}: {absent}", kind.name());
    }
    // By the Python package xxhash 3.6: xxh3_64 of the 16 bytes of the hash, with the seed.
    let known = Hashed::new(Bytes, b"76930242");
    let shards = [1, 16, 1_000, 1_000_000].map(|shards| known.shard(shards));
    assert_eq!(shards, [0, 13, 813, 813_145]);
}

/// Checks that a filter merges itself, refuses others by the name of the difference, and stays as it was.
macro_rules! refused {
    ($ours:expr, $($theirs:expr => $text:literal;)*) => {{
        let (ours, mut merged) = ($ours, $ours);
        merged.merge(&ours).unwrap();
        $(
            let theirs = $theirs;
            for error in [merged.merge(&theirs).unwrap_err(), ours.check_compatible(&theirs).unwrap_err()] {
                let (what, values) = $text.split_once(": ").unwrap();
                let text = format!("the {what} of both filters must be equal, got {values}");
                assert!(matches!(error, Error::Incompatible(_)));
assert_eq!(error.to_string(), text);
            }
        )*
        assert_eq!(merged, ours);
    }};
}

#[test]
fn filters_of_every_kind_merge_with_their_like_alone() {
    for kind in kinds::ALL {
        let hash = kind.hash_id(Encoding::INT64, 7).unwrap();
        let other = kind.plan(hash, 100, Size::Rate(0.01)).unwrap().make();
        for mut theirs in [made(*kind, 1_000, 0.01), other].map(Result::unwrap) {
            let mut ours = made(*kind, 100, 0.01).unwrap();
            let is_like = ours.hash_id() == theirs.hash_id() && ours.stats().places == theirs.stats().places;
            insert(&mut *ours, &[b"ours"]).unwrap();
            insert(&mut *theirs, &[b"theirs"]).unwrap();
            let before = ours.to_bytes(Form::Envelope).unwrap();
            let merged = ours.merge(&*theirs);
            assert!(
                is_like || matches!(merged, Err(Error::Incompatible(_))),
                "{}",
                kind.name()
            );
            assert_eq!(ours.to_bytes(Form::Envelope).unwrap() == before, merged.is_err());
            let stream = kind
                .open(theirs.hash_id(), &theirs.to_bytes(kind.form()).unwrap())
                .unwrap();
            assert_eq!(stream.hash_id(), theirs.hash_id(), "{}", kind.name());
            // The envelope of each states the hash as well.
            let len = before.len() as u64;
            let reader = kinds::ALL
                .iter()
                .find(|kind| kind.recognise(&before, len).is_some())
                .unwrap();
            let stored = theirs.to_bytes(Form::Envelope).unwrap();
            let read = reader.open(theirs.hash_id().with_seed(0), &stored).unwrap();
            assert!(
                read.hash_id() == theirs.hash_id() && read.contains(b"theirs"),
                "{}",
                kind.name()
            );
        }
    }
}

#[test]
fn filters_of_other_shapes_and_funnels_are_not_merged() {
    let plain = |salt, insertions, rate, strategy| {
        let parameters = Parameters::new(insertions, rate).unwrap().strategy(strategy);
        let mut filter = BloomFilter::new(Salted(salt), &parameters).unwrap();
        filter.insert("ours");
        filter
    };
    let (older, newer) = (Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64);
    refused!(plain(1, 100, 0.01, newer),
        plain(1, 100, 0.02, newer) => "probe counts: 7 and 6";
        plain(1, 200, 0.01, newer) => "numbers of bits: 960 and 1920";
        plain(1, 100, 0.01, older) => "strategies: Murmur128Mitz64 and Murmur128Mitz32";
        plain(2, 100, 0.01, newer) => "funnels: Salted(1) and Salted(2)";
    );
    let [shared, other] = [1, 2].map(|salt| ConcurrentBloomFilter::from(plain(salt, 100, 0.01, newer)));
    shared.merge(&shared).unwrap();
    let error = shared.merge(&other).unwrap_err();
    assert_eq!(error, shared.check_compatible(&other).unwrap_err());
    assert_eq!(shared.into_sequential(), plain(1, 100, 0.01, newer));
    let blocked = |blocks| {
        let parameters = BlockedParameters::with_blocks(blocks).unwrap();
        let mut filter = BlockedBloomFilter::new(Salted(1), &parameters).unwrap();
        filter.insert("ours");
        filter
    };
    refused!(blocked(20), blocked(21) => "numbers of blocks: 20 and 21";);
    let rotating = |count, blocks| {
        let each = BlockedParameters::with_blocks(blocks).unwrap();
        let mut filter = RotatingFilter::new(Salted(1), &Generations { count, each }).unwrap();
        filter.insert("ours");
        filter
    };
    refused!(rotating(3, 20),
        rotating(2, 20) => "numbers of generations: 3 and 2";
        rotating(3, 21) => "numbers of blocks: 20 and 21";
    );
    let spark = |items, bits, version| {
        let parameters = spark::Parameters::with_bits(items, bits).unwrap();
        let mut filter = spark::BloomFilter::new(&parameters.version(version)).unwrap();
        filter.insert("ours");
        filter
    };
    let seed = |seed| spark::Version::V2 { seed };
    refused!(spark(640, 6400, seed(0)),
        spark(640, 6400, seed(1)) => "versions: V2 { seed: 0 } and V2 { seed: 1 }";
        spark(640, 6400, spark::Version::V1) => "versions: V2 { seed: 0 } and V1";
        spark(64, 6400, seed(0)) => "probe counts: 7 and 69";
        spark(64_000, 640_000, seed(0)) => "numbers of bits: 6400 and 640000";
    );
}

/// The stream of another program under a hash that is not that program's would deny stored keys there.
#[test]
fn streams_are_of_the_hash_of_their_program_alone() {
    let id = |encoding| Bytes.hash_id().with_encoding(encoding);
    let spark = kinds::named("spark")
        .unwrap()
        .hash_id(Encoding::BYTES, 5)
        .unwrap();
    for (name, wrong) in [
        ("guava", vec![Xxph3.hash_id(), spark]),
        ("spark-v1", vec![Xxph3.hash_id(), id(Encoding::BYTES), spark]),
        ("spark-v2", vec![Xxph3.hash_id(), id(Encoding::BYTES)]),
        ("redisbloom", vec![Xxph3.hash_id(), id(Encoding::BYTES), spark]),
    ] {
        for hash in wrong {
            let planned = kinds::named(name).unwrap().plan(hash, 10, Size::Rate(0.01));
            let error = planned.unwrap_err().to_string();
            assert!(
                error.starts_with("the hash of the keys must be that which the kind returns"),
                "{name}: {error}"
            );
        }
    }
    let enveloped = kinds::named("guava-envelope").unwrap();
    for (hash, is_written) in [(Xxph3.hash_id(), false), (id(Encoding::INT64), true)] {
        let filter = enveloped
            .plan(hash, 10, Size::Rate(0.01))
            .unwrap()
            .make()
            .unwrap();
        assert_eq!(filter.to_bytes(Form::Stream).is_ok(), is_written);
        assert_eq!(filter.write_to(Form::Stream, &mut Vec::new()).is_ok(), is_written);
    }
    for kind in kinds::ALL
        .iter()
        .filter(|kind| kind.form() == Form::Envelope && kind.name() != "guava-envelope")
    {
        let error = made(*kind, 10, 0.01).unwrap().to_bytes(Form::Stream).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the stored form must be the envelope"),
            "{error}"
        );
    }
}

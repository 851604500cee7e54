//! Filters are combined only if they have the same shape and funnel; the refused one stays as it was.

use membership_filters::{
    BlockedBloomFilter, BlockedParameters, BloomFilter, ConcurrentBloomFilter, CounterWidth,
    CountingBloomFilter, ErrorKind, Parameters, Strategy, spark,
};

use super::support::salted::Salted;

macro_rules! check {
    ($ours:expr, $($theirs:expr => $what:literal, $values:literal;)*) => {{
        let mut ours = $ours;
        let before = ours.clone();
        ours.merge(&before.clone()).unwrap();
        $(
            let theirs = $theirs;
            for error in [ours.merge(&theirs).unwrap_err(), ours.check_compatible(&theirs).unwrap_err()] {
                let text = concat!("the ", $what, " of both filters must be equal, got ", $values);
                assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Incompatible, text));
            }
        )*
        assert!(ours == before);
    }};
}

const OLDER: Strategy = Strategy::Murmur128Mitz32;

fn parameters(insertions: u64, rate: f64) -> Parameters {
    Parameters::new(insertions, rate).unwrap()
}

#[test]
fn plain_and_concurrent_filters() {
    let filter = |salt, parameters: Parameters| {
        let mut filter = BloomFilter::new(Salted(salt), &parameters).unwrap();
        filter.insert("ours");
        filter
    };
    check!(filter(1, parameters(100, 0.01)),
        filter(1, parameters(100, 0.02)) => "probe counts", "7 and 6";
        filter(1, parameters(200, 0.01)) => "numbers of bits", "960 and 1920";
        filter(1, parameters(100, 0.01).with_strategy(OLDER)) => "strategies", "Murmur128Mitz64 and Murmur128Mitz32";
        filter(2, parameters(100, 0.01)) => "funnels", "Salted(1) and Salted(2)";
    );
    let shared = ConcurrentBloomFilter::from(filter(1, parameters(100, 0.01)));
    shared.merge(&shared).unwrap();
    let other = filter(2, parameters(100, 0.01)).into();
    assert_eq!(
        shared.merge(&other).unwrap_err(),
        shared.check_compatible(&other).unwrap_err()
    );
    assert_eq!(shared.into_sequential(), filter(1, parameters(100, 0.01)));
}

#[test]
fn counting_filters() {
    let filter = |salt, parameters: Parameters, width| {
        let mut filter = CountingBloomFilter::new(Salted(salt), &parameters, width).unwrap();
        filter.insert("ours");
        filter
    };
    let four = CounterWidth::FOUR;
    let ours = filter(1, parameters(100, 0.01), four);
    for (theirs, what) in [
        (
            filter(1, parameters(100, 0.01), CounterWidth::EIGHT),
            "counter bits",
        ),
        (filter(1, parameters(100, 0.1), four), "probe counts"),
        (filter(1, parameters(200, 0.01), four), "numbers of counters"),
        (filter(2, parameters(100, 0.01), four), "funnels"),
    ] {
        let mut merged = ours.clone();
        let error = merged.merge(&theirs).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("the {what} of both filters must be equal, got ")),
            "{error}"
        );
        assert!(merged == ours);
    }
}

#[test]
fn blocked_filters() {
    let filter = |salt, blocks| {
        let mut filter =
            BlockedBloomFilter::new(Salted(salt), &BlockedParameters::with_blocks(blocks).unwrap()).unwrap();
        filter.insert("ours");
        filter
    };
    check!(filter(1, 20),
        filter(1, 21) => "numbers of blocks", "20 and 21";
        filter(2, 20) => "funnels", "Salted(1) and Salted(2)";
    );
}

#[test]
fn filters_of_spark() {
    let filter = |items, bits, version| {
        let parameters = spark::Parameters::with_bits(items, bits).unwrap();
        let mut filter = spark::BloomFilter::new(&parameters.with_version(version)).unwrap();
        filter.insert("ours");
        filter
    };
    let seed = |seed| spark::Version::V2 { seed };
    check!(filter(640, 6400, seed(0)),
        filter(640, 6400, seed(1)) => "versions", "V2 { seed: 0 } and V2 { seed: 1 }";
        filter(640, 6400, spark::Version::V1) => "versions", "V2 { seed: 0 } and V1";
        filter(64, 6400, seed(0)) => "probe counts", "7 and 69";
        filter(64_000, 640_000, seed(0)) => "numbers of bits", "6400 and 640000";
    );
}

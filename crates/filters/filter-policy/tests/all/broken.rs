//! `contract::check` finds every policy that breaks a sentence of the contract.

use std::ops::Bound;

use filter_policy::kernels::{KernelToken, Source, StoredBits};
use filter_policy::policies::AnyPolicy as Boxed;
use filter_policy::range::{RangeFilterBuilder, RangePolicy};
use filter_policy::{
    Answers, BashoTablePolicy, BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, Format,
    HashFunctionId, KeyHash, KeyHashes, MATCHES_EVERYTHING, Policy, Prepared, PreparedFilter, building,
    contract,
};

use super::contract::{Seeded, checksum};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// The checksum of the filter of `BloomFilter2`.
const CHECKSUM: u64 = 0x6171_f3a4_917e_0a87;

type Alteration = fn(&[u8]) -> Vec<u8>;

/// Breaks one sentence.
struct Broken {
    sentence: &'static str,
    policy: Boxed,
    /// Changes a key before it is hashed.
    alter: Alteration,
}

impl FilterPolicy for Broken {
    fn name(&self) -> &str {
        if self.sentence == "must have a name" {
            ""
        } else {
            "Broken"
        }
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        match self.sentence {
            "no filter was built" => {
                out.fill(0xaa);
                Err(Error::Policy { reason: "broken" })
            }
            r#"stored key "" (0 bytes) was denied"# => {
                self.policy.create_filter(&keys[..keys.len() * 9 / 10], out)
            }
            "was denied" => {
                let altered: Vec<_> = keys.iter().map(|key| (self.alter)(key)).collect();
                let altered: Vec<_> = altered.iter().map(Vec::as_slice).collect();
                self.policy.create_filter(&altered, out)
            }
            "must not be 00 ff" if !keys.is_empty() => {
                out[..2].copy_from_slice(&MATCHES_EVERYTHING);
                Ok(FilterBytes::from(&mut out[..2]))
            }
            "must be refused, or hold the filter" if out.len() < 9 => Ok(out.into()),
            // Its reader finds every key in these other bytes.
            "the checksum of the filter of 1000 keys" if keys.len() == 1_000 => {
                BloomFilterPolicy::new(BitsPerKey::whole(9)).create_filter(keys, out)
            }
            _ => self.policy.create_filter(keys, out),
        }
    }

    fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
        if self.sentence == "must keep the existing bytes" {
            out.clear();
        }
        self.policy.append_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        match (self.sentence, filter) {
            ("00 ff must match every key", [0, 0xff]) => false,
            ("must not panic", [_, _, _]) => panic!("must not panic"),
            _ => self.policy.key_may_match(key, filter),
        }
    }

    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        match self.sentence {
            "must agree on" if filter.len() < 100 => self.policy.prepare(&MATCHES_EVERYTHING),
            _ => self.policy.prepare(filter),
        }
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        match self.sentence {
            "FilterBuilder: stored key" => self.policy.key_hash(key),
            // A policy that changes keys denies those that another policy of the function hashed.
            "key_hash must return the value" => self.policy.key_hash(&(self.alter)(key)),
            _ => None,
        }
    }

    fn create_from_hashes<'out>(
        &self,
        hashes: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        if self.sentence != "hash values of another function must be refused" {
            let _ = self.policy.create_from_hashes(hashes, out)?;
        }
        self.policy.create_filter(&[], out)
    }

    fn prefix_may_match(&self, start: &[u8], _: &[u8]) -> bool {
        self.sentence != "is stored" || start.is_empty()
    }

    fn answers_ranges(&self) -> bool {
        self.policy.answers_ranges()
    }

    fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>, filter: &[u8]) -> bool {
        self.policy.range_may_match(lower, upper, filter)
            && (self.sentence != "a prepared filter and range_may_match must agree"
                || lower != Bound::Unbounded)
    }
}

/// Answers ranges, and breaks one sentence.
struct BrokenRanges(&'static str);

impl BrokenRanges {
    const POLICY: RangePolicy = RangePolicy::new(TEN);
}

impl FilterPolicy for BrokenRanges {
    fn name(&self) -> &str {
        RangePolicy::NAME
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Self::POLICY.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Self::POLICY.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        Self::POLICY.key_may_match(key, filter)
    }

    fn answers_ranges(&self) -> bool {
        self.0 != "a policy that does not answer ranges must not deny"
    }

    fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>, filter: &[u8]) -> bool {
        let may_match = Self::POLICY.range_may_match(lower, upper, filter);
        match (self.0, lower, upper) {
            ("00 ff must match every range", Bound::Excluded(_), Bound::Excluded(_)) => {
                may_match && filter != MATCHES_EVERYTHING
            }
            ("must deny those of the empty filter", ..) => may_match || filter.is_empty(),
            ("is stored", Bound::Included(key), _) => {
                Self::POLICY.range_may_match(Bound::Excluded(key), upper, filter)
            }
            ("was denied", _, Bound::Included(key)) => {
                Self::POLICY.range_may_match(lower, Bound::Excluded(key), filter)
            }
            _ => may_match,
        }
    }

    fn range_builder(&self) -> Option<RangeFilterBuilder> {
        Some(RangeFilterBuilder::new(match self.0 {
            "range_builder and create_filter must give the same filter" => BitsPerKey::whole(9),
            _ => TEN,
        }))
    }
}

/// A format whose filters match every key, and that writes one answer too many for many keys.
#[derive(Debug, Clone, Copy)]
struct OneMore(HashFunctionId);

impl StoredBits for OneMore {
    type Hash = u64;

    fn may_match(self, _: KernelToken, _: u64) -> bool {
        true
    }

    fn may_match_many(self, _: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        answers.fill(0);
        for i in 0..=source.len() {
            if let Some(word) = answers.get_mut(i / 64) {
                *word |= 1 << (i % 64);
            }
        }
    }
}

impl Format for OneMore {
    type Hash = u64;
    type Filter<'f> = Self;

    fn name(&self) -> &str {
        "test.OneMore"
    }

    fn hash_function(&self) -> HashFunctionId {
        self.0
    }

    fn hash(&self, _: &[u8]) -> u64 {
        0
    }

    fn max_len(&self, _: usize) -> Result<usize, Error> {
        Ok(1)
    }

    fn build(&self, _: KernelToken, _: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        building::room(out, 1)?.fill(0);
        Ok(1)
    }

    fn read(&self, _: &[u8]) -> Option<Self> {
        Some(*self)
    }

    fn other(_: &[u8]) -> Prepared {
        Prepared::same_for_all(true)
    }

    fn prepare(&self, kernel: KernelToken, _: Self) -> Prepared {
        Prepared::new::<Self>(kernel, self.0, Some(|_, _, _| true), &[], [0; 3])
    }

    fn restore(_: KernelToken, _: &[u8], _: [u64; 3]) -> Self {
        Self(HashFunctionId::XXPH3)
    }
}

/// Returns the message of the check of a policy.
fn message(policy: &dyn FilterPolicy) -> String {
    let check = std::panic::AssertUnwindSafe(|| contract::check(policy, CHECKSUM));
    let panic = std::panic::catch_unwind(check).unwrap_err();
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.unwrap_or_else(|| *panic.downcast::<String>().unwrap())
}

fn broken(sentence: &'static str) -> Broken {
    Broken {
        sentence,
        policy: Box::new(BloomFilterPolicy::new(TEN)),
        alter: <[u8]>::to_ascii_lowercase,
    }
}

#[test]
fn the_contract_test_finds_what_is_broken() {
    for sentence in [
        "must have a name",
        "no filter was built",
        r#"stored key "" (0 bytes) was denied"#,
        "must not be 00 ff",
        "must be refused, or hold the filter",
        "must keep the existing bytes",
        "00 ff must match every key",
        "must not panic",
        "must agree on",
        "FilterBuilder: stored key",
        "hash values of another function must be refused",
        "key_hash must return the value",
        "is stored",
        "the checksum of the filter of 1000 keys",
    ] {
        let text = message(&broken(sentence));
        assert!(text.contains(sentence), "{text:?} does not contain {sentence:?}");
    }
    let alterations: [Alteration; 6] = [
        <[u8]>::to_ascii_lowercase,
        <[u8]>::to_ascii_uppercase,
        |key| key.trim_ascii().to_vec(),
        |key| key.strip_prefix(b"www.").unwrap_or(key).to_vec(),
        |key| key[..key.len().min(8_192)].to_vec(),
        |key| key.strip_prefix(b"0").unwrap_or(key).to_vec(),
    ];
    for (number, alter) in alterations.into_iter().enumerate() {
        for sentence in ["was denied", "key_hash must return the value"] {
            let broken = Broken {
                alter,
                ..broken(sentence)
            };
            let text = message(&broken);
            assert!(text.contains(sentence), "alteration {number}: {text:?}");
        }
    }
    contract::check(&broken(""), CHECKSUM);
    let of_another_function = Broken {
        policy: Box::new(BloomFilterPolicy::with_hasher(Seeded(7), TEN)),
        ..broken("key_hash must return the value")
    };
    assert!(message(&of_another_function).starts_with("key_hash must return the value"));
    let function = HashFunctionId::new("test.OneMore", |_| 0_u64);
    assert!(message(&Policy::of(OneMore(function))).contains("one bit each"));
    // It has no hash values, and prepares nothing.
    let unprepared = BashoTablePolicy::new(TEN);
    let mut words = [0; 1];
    let mut answers = Answers::new(&mut words);
    let hashes = KeyHashes::new(HashFunctionId::XXPH3, &[7_u64]);
    let prepared = unprepared.prepare(&[]);
    prepared.may_match_hashes(hashes, &mut answers).unwrap();
    assert!(answers.get(0), "nothing is known of its hash");
}

#[test]
fn the_contract_test_finds_what_is_broken_about_ranges() {
    for sentence in [
        "a policy that does not answer ranges must not deny",
        "00 ff must match every range",
        "must deny those of the empty filter",
        "is stored",
        "was denied",
        "range_builder and create_filter must give the same filter",
    ] {
        let text = message(&BrokenRanges(sentence));
        assert!(text.contains(sentence), "{text:?} does not contain {sentence:?}");
    }
    contract::check(&BrokenRanges(""), checksum(&BrokenRanges::POLICY));
    let unprepared = Broken {
        policy: Box::new(BrokenRanges::POLICY),
        ..broken("a prepared filter and range_may_match must agree")
    };
    assert!(message(&unprepared).contains(unprepared.sentence));
}

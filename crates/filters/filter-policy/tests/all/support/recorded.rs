//! Filters that other programs wrote: rebuilt byte for byte, with every recorded answer repeated.

use filter_policy::{BitsPerKey, FilterPolicy};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::golden::{key, unhex};

/// A filter.
#[derive(Deserialize)]
pub(crate) struct Stored {
    len: usize,
    filter_hex: Option<String>,
    sha256: Option<String>,
    /// The answers for absent keys, or the rule for these keys.
    pub(crate) absent: String,
    answers: Option<String>,
}

impl Stored {
    /// Checks that the policy builds this filter, finds the keys in it, and gives the recorded answers for absent keys.
    pub(crate) fn check(
        &self,
        policy: &dyn FilterPolicy,
        keys: &[Vec<u8>],
        absent: &[Vec<u8>],
        at: &str,
    ) -> Vec<u8> {
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let mut filter = Vec::new();
        policy.append_filter(&slices, &mut filter).unwrap();
        assert_eq!(filter.len(), self.len, "{at}");
        assert!(
            self.filter_hex.is_some() || self.sha256.is_some(),
            "{at}: nothing to compare with"
        );
        if let Some(digits) = &self.filter_hex {
            assert_eq!(filter, unhex(digits), "{at}");
        }
        if let Some(digest) = &self.sha256 {
            assert_eq!(Sha256::digest(&filter)[..], unhex(digest), "{at}");
        }
        for key in keys {
            assert!(policy.key_may_match(key, &filter), "{at}: {key:x?} is denied");
        }
        let answers = absent
            .iter()
            .map(|key| char::from(b'0' + u8::from(policy.key_may_match(key, &filter))));
        let recorded = self.answers.as_ref().unwrap_or(&self.absent);
        assert_eq!(&answers.collect::<String>(), recorded, "{at}");
        filter
    }
}

/// A filter of numbered keys.
#[derive(Deserialize)]
pub(crate) struct Row {
    #[serde(default)]
    pub(crate) policy: String,
    #[serde(default)]
    pub(crate) tail: String,
    pub(crate) bits_per_key: f64,
    #[serde(default)]
    pub(crate) format_version: u32,
    keys: String,
    pub(crate) n: u32,
    pub(crate) k: Option<u8>,
    /// `None` if the engine writes no filter.
    #[serde(flatten)]
    pub(crate) stored: Option<Stored>,
}

impl Row {
    pub(crate) fn bits(&self) -> BitsPerKey {
        BitsPerKey::fractional(self.bits_per_key).unwrap()
    }

    /// Checks a policy with the keys of the row; absent keys are numbered from `first_absent`. Returns the filter.
    pub(crate) fn check(&self, policy: &dyn FilterPolicy, first_absent: u32) -> Vec<u8> {
        let (name, bits) = (policy.name(), self.bits_per_key);
        let version = self.format_version;
        let at = format!(
            "{name} {} {version}, {} keys {}, {bits} bits",
            self.tail, self.n, self.keys
        );
        let stored = self.stored.as_ref().unwrap_or_else(|| panic!("{at}: no filter"));
        let keys = |first: u32| (first..).map(|i| key(&self.keys, i));
        let absent: Vec<Vec<u8>> = keys(first_absent).take(stored.absent.len()).collect();
        let keys: Vec<Vec<u8>> = keys(0).take(self.n as usize).collect();
        stored.check(policy, &keys, &absent, &at)
    }
}

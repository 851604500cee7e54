//! Where keys come from: embedded, generated from a seed, or the user's own file.

use crate::keys::KeySet;
use crate::record::DatasetKind;

/// A dataset ready to be measured.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Name in the records.
    pub name: String,
    /// Where the keys come from.
    pub kind: DatasetKind,
    /// Recipe, package or path, for the records.
    pub source: String,
    /// Distinct keys, in their own order.
    pub keys: KeySet,
    /// SHA-256 of the keys in order, each followed by a line feed, lower-case hex.
    pub sha256: String,
    /// Lines dropped because an equal one came before.
    pub duplicates_dropped: u64,
    /// The seed behind generated keys, shuffles and samples.
    pub seed: u64,
}

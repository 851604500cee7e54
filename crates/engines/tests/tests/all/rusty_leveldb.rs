//! Tests rusty-leveldb alone: its adapter checks databases, because the engine trusts their filters.

mod damage;
mod foreign;

use filter_policy::FilterPolicy;
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rusty_leveldb::Options;

use crate::engines::rusty_leveldb::{options, with};

/// Returns options with our policy, unchecked.
fn with_ours(options: Options, policy: impl FilterPolicy + Send + 'static) -> Options {
    with(options, RustyLevelDbPolicy::new(policy).unwrap())
}

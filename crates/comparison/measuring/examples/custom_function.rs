//! Compares two functions of one's own with built-in functions, and writes the report.
//!
//! ```text
//! cargo run --release --package measuring --example custom_function -- OUT [KEYS]...
//! ```
//!
//! `OUT` is a folder that is absent, empty, or from an earlier run. `KEYS` is a file with one key per line, or several; the default
//! is the embedded key sets.

use hash_comparison::{Comparison, Failure, Function, Resistance};

/// Multiplies in eight bytes per step and ends with the finaliser of MurmurHash3.
fn wordwise(key: &[u8]) -> u64 {
    let mut h = (key.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        h = (h ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 32;
        rest = tail;
    }
    for &byte in rest {
        h = (h ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// Sums all bytes, so words with the same letters collide.
fn byte_sum(key: &[u8]) -> u64 {
    let sum = |sum: u32, &byte: &u8| sum.wrapping_add(u32::from(byte));
    u64::from(key.iter().fold(0, sum))
}

fn main() -> Result<(), Failure> {
    // The answers come from another program, so that a bug here is found before anything is measured.
    let answers: [(&[u8], u64); 2] = [(b"", 0), (b"a", 0x47d1_e6b3_92f8_636d)];
    let mut wordwise = Function::custom("Wordwise", 64, wordwise, &answers);
    wordwise.facts.resistance = Resistance::None;
    wordwise.facts.resistance_reason =
        "No seed: keys that collide, once found, collide in every program.".to_owned();
    let byte_sum = Function::custom("ByteSum", 32, byte_sum, &[(b"abc", 294), (b"cab", 294)]);
    let comparison = Comparison::new().function(wordwise).function(byte_sum).quick();
    let comparison = comparison
        .built_in("MurMurHash2")
        .built_in("FNV-1a 64")
        .built_in("XXH3");
    let mut arguments = std::env::args_os().skip(1);
    let out = arguments.next();
    let out = out.ok_or_else(|| Failure::input("usage: custom_function OUT [KEYS]..."))?;
    let report = arguments.fold(comparison, Comparison::keys).run()?;
    println!("{report}");
    report.write(out)
}

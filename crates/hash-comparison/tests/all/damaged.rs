//! Damaged files of a run.

use std::fs;

use hash_comparison::questions::{FILES, Records};
use records::document::RUN;

use super::Workbench;

#[test]
fn every_byte_counts() {
    let bench = Workbench::with_run();
    let dir = bench.path("out");
    for name in FILES.iter().map(|file| file.name).chain([RUN]) {
        let path = dir.join(name);
        let good = fs::read(&path).unwrap();
        // Every one of the first 20 bytes, and about 20 of the others.
        let step = (good.len() / 20).max(1);
        for at in (0..good.len().min(20)).chain((20..good.len()).step_by(step)) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&path, &bad).unwrap();
            let error = Records::read(&dir)
                .expect_err("a flipped bit is noticed")
                .to_string();
            assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        }
        for bad in [&good[..good.len() - 1], &[&good[..], b"\n"].concat()] {
            fs::write(&path, bad).unwrap();
            assert!(Records::read(&dir).is_err(), "{name}");
        }
        fs::write(&path, good).unwrap();
    }
    assert!(Records::read(&dir).is_ok());
}

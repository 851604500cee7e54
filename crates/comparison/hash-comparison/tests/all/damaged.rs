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
            let error = Records::read(&dir).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        }
        for bad in [&good[..good.len() - 1], &[&good[..], b"\n"].concat()] {
            fs::write(&path, bad).unwrap();
            assert!(Records::read(&dir).is_err(), "{name}");
        }
        fs::write(&path, good).unwrap();
    }
    assert!(Records::read(&dir).is_ok());
    bench.write("out/timing.csv", "");
    bench.refuses(
        "render {}",
        "out => timing.csv: is not what the run wrote: its SHA-256 is not the one in run.json; restore the file, or \
         run `compare` again$",
    );
    fs::remove_file(dir.join("timing.csv")).unwrap();
    bench.refuses("render {}", "out => timing.csv | No such file");
}

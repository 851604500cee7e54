//! The report's sections on single bits.

use hash_comparison::advice::findings::bit_facts;
use hash_comparison::functions;
use hash_comparison::page::render;
use hash_comparison::questions::mixing::{self, Effort, KEY_BYTES};
use hash_comparison::questions::{Records, windows};
use hash_comparison::record::DatasetKind;
use hash_comparison::values::Hashed;

use super::fixture::Plan;
use super::{assert_self_contained, checked};

/// Builds the records of two functions on 3,000 numbered keys, with the tests on single bits.
pub(super) fn with_bits() -> Records {
    const KEYS: u32 = 3000;
    let names = ["XXH3", "CRC-32"];
    let plan = Plan {
        datasets: vec![("mine", u64::from(KEYS), DatasetKind::File)],
        functions: names.map(|name| (name, 32)).to_vec(),
    };
    let mut records = plan.records();
    let effort = Effort {
        key_bytes: &KEY_BYTES,
        blocks: 1,
    };
    for name in names {
        let function = functions::find(name).unwrap();
        // Small numbers as hashes: their high bits are all 0.
        let hashed = Hashed::of_values(function, (0..u64::from(KEYS)).collect());
        records.windows.extend(windows::measure("mine", &hashed));
        let mixing = mixing::measure(function, 1, effort);
        records.avalanche.extend(mixing.avalanche);
        records.mixing.extend(mixing.rows);
    }
    windows::judge(&mut records.windows);
    mixing::judge(&mut records.mixing);
    records.run.bit_facts = bit_facts(&records);
    records
}

#[test]
fn what_functions_do_to_single_bits_is_told_beside_the_verdicts() {
    let records = with_bits();
    let page = checked(&records, "single-bits");
    assert_self_contained(&page);
    let names = render::file_names(&records);
    for name in [
        "charts/bits-mine.svg",
        "charts/avalanche.svg",
        "charts/avalanche.png",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}");
        assert!(
            !name.ends_with(".svg")
                || render::deterministic_charts(&records)
                    .iter()
                    .any(|known| known == name)
        );
    }
    assert!(page.contains("the function is linear over bits"));
    assert!(page.contains("windows of the output collide more than by chance"));
    assert!(page.contains(">within chance<td") && page.contains(">worse than chance<td"));

    let mut records = records;
    records.run.bit_facts.clear();
    records.windows.clear();
    records.avalanche.clear();
    records.mixing.clear();
    let page = checked(&records, "no-single-bits");
    assert!(!page.contains("id=\"avalanche\""));
}

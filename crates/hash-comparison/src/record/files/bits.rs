//! The CSV files of single bits: `windows.csv`, `avalanche.csv` and `mixing.csv`, which older versions did not write.

use std::path::Path;

use super::check::{Answers, BYTES, COUNTS, MEANS, Missing, SHARES, Wrong, within};
use super::table::{Row, read_csv, write_csv};
use super::{AVALANCHE, MIXING, RecordsError, WINDOWS};
use crate::measure::mixing::KEY_BYTES;
use crate::measure::windows;
use crate::record::{AvalancheRow, BitTests, MixingRow, MixingTest, Run, WindowEnd, WindowRow};

/// Names of the files.
pub(super) const FILES: [&str; 3] = [WINDOWS, AVALANCHE, MIXING];

/// Reads the files of the run in `dir`; `None` where the run neither lists nor has any of them.
pub(super) fn read(dir: &Path, run: &Run) -> Result<Option<BitTests>, RecordsError> {
    let known = |name: &&str| run.files.iter().any(|file| file == name) || dir.join(name).exists();
    if !FILES.iter().any(known) {
        return Ok(None);
    }
    Ok(Some(BitTests {
        windows: read_csv(&dir.join(WINDOWS), run)?,
        avalanche: read_csv(&dir.join(AVALANCHE), run)?,
        mixing: read_csv(&dir.join(MIXING), run)?,
    }))
}

/// Writes the files into `dir`.
pub(super) fn write(dir: &Path, bits: &BitTests) -> Result<(), RecordsError> {
    write_csv(&dir.join(WINDOWS), &bits.windows)?;
    write_csv(&dir.join(AVALANCHE), &bits.avalanche)?;
    write_csv(&dir.join(MIXING), &bits.mixing)
}

/// Checks that every function has its rows.
pub(super) fn complete(run: &Run, bits: &BitTests) -> Result<(), Missing> {
    let windows = Answers::of(WINDOWS, &bits.windows);
    let avalanche = Answers::of(AVALANCHE, &bits.avalanche);
    let mixing = Answers::of(MIXING, &bits.mixing);
    for function in &run.functions {
        let of = function.name.as_str();
        for dataset in &run.datasets {
            for window in windows::asked(dataset.keys, function.output_bits) {
                windows.need(&dataset.name, of, window)?;
            }
        }
        for input_bit in 0..crate::measure::mixing::RECORDED_BYTES * u8::BITS {
            for output_bit in 0..function.bits {
                avalanche.need("", of, (input_bit, output_bit))?;
            }
        }
        for key_bytes in KEY_BYTES {
            mixing.need("", of, (MixingTest::Avalanche, key_bytes))?;
            if function.output_bits > 1 {
                mixing.need("", of, (MixingTest::Independence, key_bytes))?;
            }
        }
    }
    Ok(())
}

/// Widest output, and most bits of the longest key.
const MOST_BITS: u32 = 64;
const MOST_INPUT_BITS: u32 = 256;

impl Row for WindowRow {
    const HEADER: &'static [&'static str] = &[
        "dataset",
        "function",
        "end",
        "bits",
        "keys",
        "collisions",
        "expected",
        "p_value",
        "ci_low",
        "ci_high",
        "p_adjusted",
    ];
    const BESIDE: Option<&'static str> = None;
    const MOST_QUESTIONS: usize = 3 * MOST_BITS as usize;

    fn about(&self) -> (&str, &str) {
        (&self.dataset, &self.function)
    }

    type Question = (WindowEnd, u32);

    fn question(&self) -> Self::Question {
        (self.end, self.bits)
    }

    fn words((end, bits): Self::Question) -> String {
        match end {
            WindowEnd::Low => format!("the low {bits} bits"),
            WindowEnd::High => format!("the high {bits} bits"),
            WindowEnd::Full => format!("all {bits} bits"),
        }
    }

    fn check(&self) -> Result<(), Wrong> {
        within("bits", self.bits, 1..=MOST_BITS)?;
        within("keys", self.keys, COUNTS)?;
        within("collisions", self.collisions, 0..=self.keys)?;
        within("expected", self.expected, MEANS)?;
        within("p_value", self.p_value, SHARES)?;
        within("ci_high", self.ci_high, MEANS)?;
        within("ci_low", self.ci_low, 0.0..=self.ci_high)?;
        within("p_adjusted", self.p_adjusted, SHARES)
    }
}

impl Row for AvalancheRow {
    const HEADER: &'static [&'static str] = &[
        "function",
        "key_bytes",
        "input_bit",
        "output_bit",
        "flips",
        "trials",
    ];
    const BESIDE: Option<&'static str> = None;
    const MOST_QUESTIONS: usize = (MOST_INPUT_BITS * MOST_BITS) as usize;
    const OF_DATASET: bool = false;

    fn about(&self) -> (&str, &str) {
        ("", &self.function)
    }

    type Question = (u32, u32);

    fn question(&self) -> Self::Question {
        (self.input_bit, self.output_bit)
    }

    fn words((input_bit, output_bit): Self::Question) -> String {
        format!("input bit {input_bit} and output bit {output_bit}")
    }

    fn check(&self) -> Result<(), Wrong> {
        within("key_bytes", u64::from(self.key_bytes), BYTES)?;
        within("input_bit", self.input_bit, 0..=MOST_INPUT_BITS - 1)?;
        within("output_bit", self.output_bit, 0..=MOST_BITS - 1)?;
        within("trials", self.trials, 1..=*COUNTS.end())?;
        within("flips", self.flips, 0..=self.trials)
    }
}

impl Row for MixingRow {
    const HEADER: &'static [&'static str] = &[
        "function",
        "test",
        "key_bytes",
        "trials",
        "cells",
        "chi_square",
        "p_overall",
        "worst_input_bit",
        "worst_output_bit",
        "worst_other_bit",
        "worst_count",
        "worst_low",
        "worst_high",
        "p_worst",
        "off_cells",
        "p_adjusted",
    ];
    const BESIDE: Option<&'static str> = None;
    const MOST_QUESTIONS: usize = 2 * KEY_BYTES.len();
    const OF_DATASET: bool = false;

    fn about(&self) -> (&str, &str) {
        ("", &self.function)
    }

    type Question = (MixingTest, u32);

    fn question(&self) -> Self::Question {
        (self.test, self.key_bytes)
    }

    fn words((test, key_bytes): Self::Question) -> String {
        let test = match test {
            MixingTest::Avalanche => "avalanche",
            MixingTest::Independence => "independence",
        };
        format!("{test} of keys of {key_bytes} bytes")
    }

    fn check(&self) -> Result<(), Wrong> {
        within("key_bytes", u64::from(self.key_bytes), BYTES)?;
        within("trials", self.trials, 1..=*COUNTS.end())?;
        within("cells", self.cells, 1..=*COUNTS.end())?;
        within("chi_square", self.chi_square, 0.0..=1e21)?;
        within("p_overall", self.p_overall, SHARES)?;
        within("worst_input_bit", self.worst_input_bit, 0..=MOST_INPUT_BITS - 1)?;
        within("worst_output_bit", self.worst_output_bit, 0..=MOST_BITS - 1)?;
        if let Some(other) = self.worst_other_bit {
            within("worst_other_bit", other, 0..=MOST_BITS - 1)?;
        }
        within("worst_count", self.worst_count, 0..=self.trials)?;
        within("worst_high", self.worst_high, SHARES)?;
        within("worst_low", self.worst_low, 0.0..=self.worst_high)?;
        within("p_worst", self.p_worst, SHARES)?;
        within("off_cells", self.off_cells, 0..=self.cells)?;
        within("p_adjusted", self.p_adjusted, SHARES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::record::files::Records;
    use crate::run::compare::{self, Options};

    #[test]
    fn runs_without_these_files_are_read_and_damaged_ones_refused() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let keys = dir.join("keys.txt");
        std::fs::write(&keys, "one\ntwo\nthree\nfour\n").unwrap();
        let options = Options::new(&[], &["pjw".to_owned()], vec![keys], 1, true).unwrap();
        let good = compare::run(&options, &Silent).unwrap();
        type Change = fn(&mut BitTests);
        let changes: [(Change, &str); 9] = [
            (
                |bits| drop(bits.windows.pop()),
                "windows.csv: the row keys, PJW, all 28 bits is missing",
            ),
            (
                |bits| drop(bits.avalanche.pop()),
                "avalanche.csv: the row PJW, input bit 63 and output bit 27 is missing",
            ),
            (
                |bits| drop(bits.mixing.pop()),
                "mixing.csv: the row PJW, independence of keys of 32 bytes is missing",
            ),
            (
                |bits| bits.avalanche[0].flips = 2049,
                "avalanche.csv: line 2, field flips: 2049 is not allowed, only 0 to 2048",
            ),
            (
                |bits| bits.avalanche[1].output_bit = 64,
                "avalanche.csv: line 3, field output_bit: 64 is not allowed, only 0 to 63",
            ),
            (
                |bits| bits.mixing[0].worst_other_bit = Some(99),
                "mixing.csv: line 2, field worst_other_bit: 99 is not allowed, only 0 to 63",
            ),
            (
                |bits| bits.windows[0].p_value = 1.5,
                "windows.csv: line 2, field p_value: 1.5 is not allowed, only 0.0 to 1.0",
            ),
            (
                |bits| bits.mixing[0].function = "XXH3".to_owned(),
                "mixing.csv: line 2, field function: run.json knows no function \"XXH3\"",
            ),
            (
                |bits| bits.windows[0].dataset = String::new(),
                "windows.csv: line 2, field dataset: run.json knows no dataset \"\"",
            ),
        ];
        for (change, message) in changes {
            let mut changed = good.clone();
            change(changed.bits.as_mut().unwrap());
            changed.write(dir).unwrap();
            let error = Records::read(dir).unwrap_err().to_string();
            assert_eq!(error.replace(&format!("{}/", dir.display()), ""), message);
        }

        good.write(dir).unwrap();
        assert_eq!(Records::read(dir).unwrap().csv_files().count(), 14);
        // What the run lists must be there; what it neither lists nor has was never asked.
        for name in FILES {
            std::fs::remove_file(dir.join(name)).unwrap();
        }
        let read = Records::read(dir).unwrap();
        assert_eq!((&read.bits, read.csv_files().count()), (&None, 11));
        let mut listed = read;
        listed.run.files = vec!["run.json".to_owned(), MIXING.to_owned()];
        listed.write(dir).unwrap();
        let error = Records::read(dir).unwrap_err().to_string();
        assert!(error.contains("windows.csv: "), "{error}");
    }

    #[test]
    fn every_question_of_a_run_has_room() {
        let asked = windows::asked(1 << 33, MOST_BITS).len();
        assert!(asked <= WindowRow::MOST_QUESTIONS);
        let longest = KEY_BYTES.iter().max().unwrap() * u8::BITS;
        assert!(longest <= MOST_INPUT_BITS);
    }

    /// The header that the writer would make from the fields.
    fn derived(row: impl Row) -> Vec<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        let bytes = writer.into_inner().unwrap();
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        reader.headers().unwrap().iter().map(str::to_owned).collect()
    }

    #[test]
    fn headers_are_the_fields() {
        let windows = WindowRow {
            dataset: "ids".to_owned(),
            function: "f".to_owned(),
            end: WindowEnd::Low,
            bits: 8,
            keys: 2,
            collisions: 1,
            expected: 0.5,
            p_value: 1.0,
            ci_low: 0.0,
            ci_high: 1.0,
            p_adjusted: 1.0,
        };
        assert_eq!(derived(windows), WindowRow::HEADER);
        let avalanche = AvalancheRow {
            function: "f".to_owned(),
            key_bytes: 8,
            input_bit: 0,
            output_bit: 0,
            flips: 1,
            trials: 2,
        };
        assert_eq!(derived(avalanche), AvalancheRow::HEADER);
        let mixing = MixingRow {
            function: "f".to_owned(),
            test: MixingTest::Avalanche,
            key_bytes: 8,
            trials: 2,
            cells: 1,
            chi_square: 0.0,
            p_overall: 1.0,
            worst_input_bit: 0,
            worst_output_bit: 0,
            worst_other_bit: None,
            worst_count: 1,
            worst_low: 0.0,
            worst_high: 1.0,
            p_worst: 1.0,
            off_cells: 0,
            p_adjusted: 1.0,
        };
        assert_eq!(derived(mixing), MixingRow::HEADER);
    }
}

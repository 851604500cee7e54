//! Times the same keys in the cache and out of it.
//!
//! A sample of each dataset's keys is timed twice: back to back in a buffer of a few hundred kilobytes, read from start
//! to end; and on cache lines of their own, scattered over a buffer larger than caches, in shuffled order. The second
//! time is the cost for a program whose keys are spread over its heap. It includes cache misses and address-translation
//! misses, which hardly depend on the function: in chained calls, where misses do not overlap, functions hardly differ.
//! In overlapping calls, a function of few instructions lets the processor fetch several keys at once.

use std::hint::black_box;

use rand::Rng as _;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;

use crate::clock::{Line, subjects, timed};
use crate::functions::Function;
use crate::keys::{Dataset, shuffled};
use crate::questions::{Place, PlaceRow};
use crate::record::CallForm;
use records::error::Error;
use records::progress::{Progress, go_on};

/// The most keys of a sample. A branch predictor might learn the order of this many lengths, but the readings of all
/// other functions come in between; and a short reading is seldom interrupted.
const KEYS: usize = 2048;
/// The most bytes of a sample, which second-level caches hold. A longer key is cut.
const BYTES: usize = 256 << 10;
/// Bytes over which copies of the sample are scattered. Each reading visits other copies, so that no smaller cache
/// holds them.
const FOOTPRINT: usize = 128 << 20;
/// Bytes of a cache line.
const LINE: usize = 64;

const ROUNDS: usize = 21;
const QUICK_ROUNDS: usize = 3;

/// Times every function and the empty function on a sample of each dataset in both places.
///
/// Rows are by dataset, then by function in the order given, the empty function first, then by place and form.
///
/// # Errors
///
/// Returns an error if a function gives another result while timed than before, or if `progress` requests a stop.
pub(super) fn measure(
    datasets: &[Dataset],
    functions: &[&Function],
    seed: u64,
    quick: bool,
    progress: &dyn Progress,
) -> Result<Vec<PlaceRow>, Error> {
    let mut generator = SplitMix64::seed_from_u64(seed);
    let subjects = subjects(functions);
    let rounds = if quick { QUICK_ROUNDS } else { ROUNDS };
    progress.begin("timing cache and memory", (datasets.len() * (rounds + 1)) as u64);
    let mut rows = Vec::new();
    for dataset in datasets {
        let [cache, memory] = Layout::both(dataset, generator.next_u64());
        let mut lines: Vec<PlacedLine<'_>> = Vec::new();
        for &subject in &subjects {
            go_on(progress)?;
            for (place, layout) in [(Place::Cache, &cache), (Place::Memory, &memory)] {
                let expected = layout.checksum(subject.hash);
                lines.extend(Line::both(subject).map(|line| PlacedLine {
                    line,
                    place,
                    layout,
                    expected,
                }));
            }
        }
        let mut reading = 0;
        for round in 0..=rounds {
            for index in shuffled(lines.len() as u32, generator.next_u64()) {
                go_on(progress)?;
                lines[index as usize].read(reading, &dataset.name)?;
                reading += 1;
            }
            if round == 0 {
                // The first round is the warm-up.
                lines.iter_mut().for_each(|one| one.line.samples.clear());
            }
            progress.step();
        }
        rows.extend(lines.iter().map(|line| line.row(dataset)));
    }
    Ok(rows)
}

/// The positions of a sample's keys, in the order in which readings visit them.
struct Layout {
    bytes: Vec<u8>,
    /// Start and end of each key, in the order of visits.
    spans: Vec<(usize, usize)>,
    /// Keys of a reading. The next reading continues after them, and starts again at the end.
    keys: usize,
}

impl Layout {
    /// Returns the sample back to back, and copies of the sample scattered over [`FOOTPRINT`].
    fn both(dataset: &Dataset, seed: u64) -> [Self; 2] {
        let mut order = shuffled(dataset.keys.len() as u32, seed);
        order.truncate(KEYS);
        let mut sample: Vec<&[u8]> = Vec::with_capacity(order.len());
        let mut total = 0;
        for index in order {
            let key = dataset.keys.get(index as usize);
            let key = &key[..key.len().min(BYTES)];
            total += key.len();
            if total > BYTES && !sample.is_empty() {
                break;
            }
            sample.push(key);
        }
        [Self::packed(&sample), Self::scattered(&sample, seed)]
    }

    fn packed(sample: &[&[u8]]) -> Self {
        let mut bytes = Vec::new();
        let mut spans = Vec::with_capacity(sample.len());
        for key in sample {
            let start = bytes.len();
            bytes.extend_from_slice(key);
            spans.push((start, bytes.len()));
        }
        Self {
            bytes,
            spans,
            keys: sample.len(),
        }
    }

    fn scattered(sample: &[&[u8]], seed: u64) -> Self {
        let longest = sample.iter().map(|key| key.len()).max().unwrap_or(0);
        let apart = longest.next_multiple_of(LINE).max(2 * LINE);
        let copies = (FOOTPRINT / apart / sample.len().max(1)).max(1);
        let count = copies * sample.len();
        let mut bytes = vec![0; count * apart];
        let mut spans = vec![(0, 0); count];
        // Written in order of place: the order of visits would miss the cache with every key.
        for (start, visit) in (0..).step_by(apart).zip(shuffled(count as u32, seed)) {
            let key = sample[visit as usize % sample.len()];
            bytes[start..][..key.len()].copy_from_slice(key);
            spans[visit as usize] = (start, start + key.len());
        }
        Self {
            bytes,
            spans,
            keys: sample.len(),
        }
    }

    /// Returns the keys that reading number `reading` visits.
    fn spans(&self, reading: usize) -> &[(usize, usize)] {
        let readings = (self.spans.len() / self.keys.max(1)).max(1);
        &self.spans[reading % readings * self.keys..][..self.keys]
    }

    /// Returns the sum that every reading must give.
    fn checksum(&self, hash: fn(&[u8]) -> u64) -> u64 {
        self.spans(0).iter().fold(0, |sum, &(start, end)| {
            sum.wrapping_add(hash(&self.bytes[start..end]))
        })
    }

    /// Hashes the keys of a reading. In chained calls, the address of each key depends on the previous hash.
    #[inline(never)]
    fn run(&self, reading: usize, form: CallForm, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        // The mask is zero, so the offset is too, but the compiler cannot know that.
        let mask = black_box(0_u64);
        let (mut offset, mut sum) = (0, 0_u64);
        let spans = self.spans(reading);
        match form {
            CallForm::Independent => {
                for &(start, end) in spans {
                    sum = sum.wrapping_add(hash(black_box(&self.bytes[start..end])));
                }
            }
            CallForm::Chained => {
                for &(start, end) in spans {
                    let value = hash(black_box(&self.bytes[start + offset..end + offset]));
                    offset = (value & mask) as usize;
                    sum = sum.wrapping_add(value);
                }
            }
        }
        black_box(sum)
    }
}

/// All readings of one function in one place and form.
struct PlacedLine<'a> {
    line: Line,
    place: Place,
    layout: &'a Layout,
    expected: u64,
}

impl PlacedLine<'_> {
    fn read(&mut self, reading: usize, dataset: &str) -> Result<(), Error> {
        let (form, hash) = (self.line.form, self.line.subject.hash);
        if self.place == Place::Cache {
            // Warms the cache: the previous reading was probably of keys in memory.
            self.layout.run(reading, form, hash);
        }
        let timed = timed(self.layout.keys, || self.layout.run(reading, form, hash));
        self.line.take(timed, self.expected, dataset)
    }

    fn row(&self, dataset: &Dataset) -> PlaceRow {
        let (median_ns_per_key, mad_ns_per_key, samples) = self.line.summary();
        PlaceRow {
            dataset: dataset.name.clone(),
            function: self.line.subject.name.to_owned(),
            place: self.place,
            form: self.line.form,
            keys: self.layout.keys as u64,
            footprint_bytes: self.layout.bytes.len() as u64,
            median_ns_per_key,
            mad_ns_per_key,
            samples,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::record::EMPTY;
    use records::progress::Silent;

    fn dataset(lines: &[u8]) -> Dataset {
        Dataset::of("keys", lines.split(|byte| *byte == b'\n').collect())
    }

    #[test]
    fn both_places_hold_the_same_keys() {
        let lines: String = (0..20_000).map(|number| format!("key {number}\n")).collect();
        let long = vec![b'x'; 1_000_000];
        for lines in [lines.as_bytes(), b"", b"a\n\nbb", &long] {
            let [cache, memory] = Layout::both(&dataset(lines), 1);
            let keys = |layout: &Layout, reading| -> Vec<Vec<u8>> {
                let spans = layout.spans(reading).iter();
                spans
                    .map(|&(start, end)| layout.bytes[start..end].to_vec())
                    .collect()
            };
            let sample = keys(&cache, 0);
            assert!((1..=KEYS).contains(&sample.len()) && cache.bytes.len() <= BYTES);
            assert!((FOOTPRINT / 2..=FOOTPRINT).contains(&memory.bytes.len()));
            for reading in [0, 1, 1000] {
                assert_eq!(
                    [keys(&cache, reading), keys(&memory, reading)],
                    [&sample; 2].map(Clone::clone)
                );
            }
            assert!(memory.spans(0)[0] != memory.spans(1)[0]);
        }
    }

    #[test]
    fn every_function_has_a_row_of_each_kind() {
        let function = functions::find("XXH3").unwrap();
        let rows = measure(&[dataset(b"a\nbb")], &[function], 1, true, &Silent).unwrap();
        let expected = [EMPTY, "XXH3"].into_iter().flat_map(|name| {
            let forms =
                move |place| [CallForm::Independent, CallForm::Chained].map(|form| (name, place, form));
            [Place::Cache, Place::Memory].into_iter().flat_map(forms)
        });
        let found = rows
            .iter()
            .map(|row| (row.function.as_str(), row.place, row.form));
        assert!(found.eq(expected));
        assert!(
            rows.iter()
                .all(|row| row.keys == 2 && row.median_ns_per_key >= 0.0)
        );
    }
}

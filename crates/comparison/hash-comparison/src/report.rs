//! The report of a run: shown on a terminal, and written to its folder, first next to it, moved when complete.
//!
//! # Files
//!
//! Besides the page and its charts, a run writes `run.json` (machine, functions, findings, the request, checksums) and a CSV
//! file for each family of rows. Files in one line of this table have the same columns. P-values are corrected for the rows of their
//! file.
//!
//! | files | a row is |
//! |---|---|
//! | `collisions.csv`, `windows.csv`, `structured.csv` | the collisions of a function in some bits: `end` is `low`, `high` or `full` (all bits). The first has the low 32, 24 and 20 bits, the second 8 to 32 bits at either end and all; in the third `dataset` is a structured key set. `first` and `second` are two keys that collide |
//! | `distribution.csv`, `occupancy.csv`, `shards.csv` | one `figure` of the keys in `buckets` buckets chosen by `choice`: how even they are, the chains of a hash table, the fullest shard. Of a single bit, `buckets` is its index. `worst` is the fullest shard of the worst of all numbers of shards from 3 to 256 by the remainder: its p-value is corrected for their number |
//! | `probes.csv` | a table of open addressing under linear probing at one load, which is `keys / slots`, with slots chosen by `choice`: the slots that are looked at for an absent key (`miss`) and a present one (`hit`), and what a random function gives. `cost` is the larger of the two ratios, less 1; the test is that of `miss` |
//! | `timing.csv` | nanoseconds per key of one form of calls, with the keys in one `place`: the whole set in sequence, a sample in the `cache` and scattered over `memory`, or random keys of one `length`, which is `bytes / keys` |
//! | `false_positives.csv`, `near_sizes.csv`, `split_blocks.csv` | the false positives of a function in LevelDB's filter of `keys` keys, which takes 32 bits of a hash: at most 1,000,000, drawn from a larger set; of your own keys the same for every seed. The second has means over the numbers of keys just below, which decide: the first is a single draw. The third is of Parquet's filter, in which the upper half of 64 bits chooses a block, and the lower half bits in it: functions of 64 bits must be good in both |
//! | `mixing.csv`, `avalanche.csv` | tests of single bits of random keys |
//! | `costs.csv` | what was counted for a function in one place, and what an ideal hash gives there: the costliest place of each `purpose` (`decides`), one for each way of choosing places, shown for every function (`shown`; a filter's is a mean), and the costliest other place if it is measurably worse than chance, for remainders always (`costliest`) |
//! | `advice.csv` | the advice on a function for the request of the run, best first, with its time and the figure that decides |
//!
//! The last two have the recommendation, for other programs to read:
//!
//! | column | meaning |
//! |---|---|
//! | `purpose` | `filter`, `table`, `shard` or `checksum`; empty for a figure that is shown for every purpose and decides for none |
//! | `unit` | `false-positives` (share of absent keys that match), `comparisons` (keys compared per key found in chained buckets), `fullest-shard` (keys in the fullest shard), `collisions` (distinct keys minus distinct hashes) |
//! | `choice`, `size` | the place: bits per key of a filter, Parquet's if `choice` is `halves`; buckets or shards, and the bits that choose them; compared bits |
//! | `keys`, `sizes` | number of keys; if `sizes` is above 1, the value is a mean over that many numbers of keys from `keys` down |
//! | `measured`, `chance`, `cost` | what was counted; what an ideal hash gives; `measured / chance - 1` |
//! | `p_adjusted`, `measurable` | whether that is more than luck |
//! | `effect` | `better-than-chance`, `within-chance`, `negligible` (below `--negligible`) or `costly` |
//! | `standing`, `rank`, `mine` | `pick`, `runner-up`, `suited`, `avoid`, `lacking` or `unknown`; functions of one rank are equally fast within noise; the function in use |
//! | `lacks` | the requirement that is missing: `resistance`, `stability`, `change` (values change from process to process) or `width`. Bits that never change or repeat others do not count as width: `effective_bits` of a function in `run.json` is the number of the others, over 262,144 random keys |
//! | `ns`, `low_ns`, `high_ns` | time per key, and the range in which other runs of this build lie |
//! | `times_pick` | `ns` divided by that of the pick; empty within noise |

pub mod summary;

use std::fmt;
use std::path::Path;

use crate::files::KIND;
use crate::page;
use crate::questions::Records;
use records::document::{self, RUN};
use records::folder::Destination;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::Progress as _;

/// The results of a comparison. Displayed, it is what the program prints: the recommendation for each set of keys.
pub struct Report {
    /// Every figure.
    pub records: Records,
    pub(crate) terminal: Terminal,
}

impl Report {
    /// Writes `index.html`, the charts, and all records as CSV and JSON into a folder that is absent, empty, or of an earlier
    /// run.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] for a folder with other files or that cannot be written; [`Failure::Interrupted`] after Ctrl-C.
    /// Nothing is written then.
    pub fn write(&self, out: impl AsRef<Path>) -> Result<(), Failure> {
        let destination = Destination::check(out.as_ref(), &KIND)?;
        write(self.records.clone(), destination, &self.terminal)?;
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&summary::of(&self.records))
    }
}

/// Writes records, charts and report, and returns the records as they were written.
pub(crate) fn write(
    mut records: Records,
    destination: Destination,
    terminal: &Terminal,
) -> Result<Records, Failure> {
    // Draws from what the files say: their numbers have nine digits.
    records.store(&destination)?;
    draw(&mut records, destination, terminal)?;
    Ok(records)
}

/// Draws charts and report from `records`, writes them and `run.json`, and moves all files to their folder.
pub(crate) fn draw(
    records: &mut Records,
    destination: Destination,
    terminal: &Terminal,
) -> Result<(), Failure> {
    terminal.begin("drawing", 1);
    let drawn = page::files(records);
    terminal.step();
    terminal.finish();
    let stored = records.files().map(|file| file.name).chain([RUN]);
    let mut names: Vec<String> = stored.map(str::to_owned).collect();
    for (name, text) in drawn? {
        destination.write(&name, text.as_bytes())?;
        names.push(name);
    }
    names.sort();
    records.run.files = names;
    let run = document::to_bytes(&records.run);
    destination.write(RUN, &run)?;
    records.run = document::parse(RUN.as_ref(), &run)?;
    if terminal.interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    terminal.interrupt.ignore();
    destination.commit(&records.run.files)
}

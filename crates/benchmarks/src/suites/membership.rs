//! Inserts and lookups of Bloom filters for equal numbers of keys and equal rates, compared with Guava's.
//!
//! All filters have the same rate, and all except the blocked filter the same size and probe count. They get the same keys,
//! strings of 16 hexadecimal digits, generated part by part outside the timing, in equal loops, which count the answers
//! and in which no call waits for another. In every round each filter does the same work, in rotating order, so ratios
//! can be formed within a round. A wrong answer ends the run: an inserted key that is not found, too many false
//! positives for the size, or a difference between Guava's answers and ours.
//!
//! - Guava: `put` and `mightContain` through `stringFunnel(UTF_8)`, in a Java process that times its own loops and waits
//!   while others are measured. Twenty rounds (6 million calls) at the smallest size come first, after which Java has
//!   compiled every loop.
//! - Ours: one call per key, and one call for 16,384 keys, which does not report changes. RedisBloom's filter is one link
//!   (`NONSCALING`).
//! - `bloom.c`: RedisBloom's hash, probe loop and test of bits, transcribed to Rust, with a division for each probe. It
//!   has the pages of this project's filters, which are huge ones in large filters.
//! - `fastbloom`: with its default hasher, SipHash-1-3, and with foldhash.
//! - Sizes are Guava's for a rate of 1 %: 9.59 bits per key and 7 probes. The blocked filter takes a tenth more bits for
//!   the same rate.
//! - Up to 10^8 bits each round inserts all keys into an empty filter. At 2*10^9 bits every filter starts with half of its
//!   bits set at random; each round inserts a million new keys and queries these and as many others.

use std::fmt::Display;

use membership_filters::guava::Parameters;
use terminal::failure::Failure;

use crate::keys::{hexadecimal, numbers};
use crate::record::Batch;
use crate::suite::{Baseline, Suite, Tables};
use crate::turns::{Run, Timed, turn};

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "membership",
    contenders: || vec![
        ("guava", "Guava"),
        ("ours", "membership-filters"),
        ("ours-batch", "membership-filters, many at once"),
        ("blocked", "blocked filter"),
        ("blocked-batch", "blocked filter, many at once"),
        ("redisbloom", "RedisBloom's filter"),
        ("redisbloom-batch", "RedisBloom's filter, many at once"),
        ("bloom-c", "RedisBloom's bloom.c, transcribed"),
        ("fastbloom-default", "fastbloom"),
        // The hasher that fastbloom's documentation recommends for speed.
        ("fastbloom-foldhash", "fastbloom, foldhash"),
    ],
    tasks: &[
        ("put", "put", "ns"),
        ("absent", "absent keys", "ns"),
        ("present", "present keys", "ns"),
        ("false-positives", "rate", "false positives"),
    ],
    // `setup`: hash, seed, options of the virtual machine. `bits`: as requested; the name of the size.
    // `contents`: `keys`, as many as the filter is sized for; `random-words`, half of the bits set at random, and the keys.
    // `bit_size`: Guava's number, except for the blocked filter, which takes more for the same rate, and RedisBloom's, which
    // rounds otherwise.
    parameters: &["version", "setup", "bits", "insertions", "contents", "bit_size", "probes"],
    properties: &["version", "setup", "bit_size", "probes"],
    baseline: Baseline::Contender(&["guava"]),
    summary: Tables {
        title: "nanoseconds a key (over Guava's)",
        heading: |row| format!("{} bits for {} keys", row.case.get("bits"), row.case.get("insertions")),
        ..Tables::PLAIN
    },
};

/// The false-positive probability of every filter.
pub const FPP: f64 = 0.01;

/// The measurement of one size.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The requested bits, which name the size.
    pub bits: u64,
    /// Keys that the filter is sized for.
    pub insertions: u64,
    /// Without them every round fills an empty filter. Random words have half of their bits set, the load of a full
    /// filter, and each round inserts its own keys in addition.
    pub has_random_words: bool,
    /// Number of filters filled in a batch.
    pub builds: u64,
    /// Keys queried, and keys inserted into a filter that is not built from empty.
    pub keys: u64,
    /// Rounds that are not recorded.
    pub warm_up: u64,
    /// Rounds that are.
    pub rounds: u64,
}

impl Plan {
    /// Returns all sizes, smallest first.
    ///
    /// The first size runs every loop often enough for Java's compiler to finish with it.
    fn all(run: &Run<'_>) -> [Self; 4] {
        let plan = |bits: u64, keys: u64, warm_up, rounds, quick_rounds| Self {
            bits,
            insertions: insertions(bits),
            has_random_words: false,
            builds: (keys / insertions(bits)).max(1),
            keys,
            warm_up,
            rounds: run.extent(quick_rounds, rounds),
        };
        [
            plan(10_000, 100_000, 20, 101, 7),
            plan(1_000_000, 100_000, 5, 101, 7),
            plan(100_000_000, 1_000_000, 1, 11, 1),
            Self {
                has_random_words: true,
                ..plan(2_000_000_000, 1_000_000, 1, 31, 3)
            },
        ]
    }

    /// Returns the parameters of Guava's filter.
    pub fn parameters(&self) -> Parameters {
        Parameters::new(self.insertions, FPP).expect("a size that Guava can make")
    }
}

/// Returns the most keys whose filter at [`FPP`] has at most `bits` bits: Guava takes n ln 100 / ln^2 2 bits for n
/// keys.
fn insertions(bits: u64) -> u64 {
    (bits as f64 * 0.480_453_013_918_201_4 / 4.605_170_185_988_092) as u64
}

/// Seed of the keys.
const KEY_SEED: u64 = 1;
/// SplitMix64's increment of its state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Number of keys generated and then timed together: with their `String` headers about 0.9 MB, which fits in a
/// second-level cache.
pub const AT_ONCE: usize = 1 << 14;
/// Index of the first key that no filter has.
const ABSENT: u64 = 1 << 40;

/// Keys with consecutive indexes.
#[derive(Debug, Clone, Copy)]
struct Keys {
    first: u64,
    count: u64,
}

impl Keys {
    /// Inserts the keys into a filter, or queries them. They are generated part by part, outside the timing.
    fn run(self, filter: &mut dyn Work, is_insert: bool) -> Result<Timed, Failure> {
        let mut sum = Timed::default();
        for part in self.parts() {
            sum.add(filter.run(is_insert, &part)?);
        }
        Ok(sum)
    }

    fn parts(self) -> impl Iterator<Item = Vec<String>> {
        let numbers = numbers(KEY_SEED.wrapping_add(self.first.wrapping_mul(STEP)));
        let text = |number| String::from_utf8_lossy(&hexadecimal(number)).into_owned();
        let mut keys = numbers.take(self.count as usize).map(text);
        let parts = std::iter::repeat_with(move || keys.by_ref().take(AT_ONCE).collect());
        parts.take_while(|part: &Vec<String>| !part.is_empty())
    }
}

/// A filter in the comparison, and its description in the records.
pub struct Contender {
    /// Name in the records.
    pub name: &'static str,
    /// The version of its package.
    pub version: String,
    /// Hash, seed, options.
    pub setup: String,
    /// The filter.
    pub work: Box<dyn Work>,
}

/// The operations of a filter that are measured.
pub trait Work {
    /// Creates a filter, empty or of random words, in place of the old one. Returns its bits and its probe count.
    ///
    /// # Errors
    ///
    /// If another process fails.
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), Failure>;

    /// Inserts the keys, strings of 16 bytes, or queries them.
    ///
    /// # Errors
    ///
    /// If another process fails.
    fn run(&mut self, is_insert: bool, keys: &[String]) -> Result<Timed, Failure>;
}

/// The limit of the false-positive rate: twice the rate of the filters.
const MAX_FALSE: f64 = 2.0 * FPP;

/// A task that a filter has done in a round: its name and its calls, with time and positive answers.
type Done = (&'static str, u64, Timed);

/// Measures all sizes; the first contender is Guava.
///
/// # Errors
///
/// If the user requested a stop, an answer is wrong or the Java process fails.
pub fn measure(run: &Run<'_>, mut contenders: Vec<Contender>) -> Result<Vec<Batch>, Failure> {
    let mut batches = Vec::new();
    for plan in Plan::all(run) {
        let note = format!("{} bits, {} rounds", plan.bits, plan.rounds);
        run.progress.note(&note);
        one_size(run, &plan, &mut contenders, &mut batches)?;
    }
    Ok(batches)
}

/// Measures one size and appends the batches in the order of measurement.
fn one_size(
    run: &Run<'_>,
    plan: &Plan,
    contenders: &mut [Contender],
    batches: &mut Vec<Batch>,
) -> Result<(), Failure> {
    let contents = ["keys", "random-words"][usize::from(plan.has_random_words)];
    let mut sizes = Vec::new();
    for contender in contenders.iter_mut() {
        sizes.push(contender.work.start(plan)?);
    }
    for round in 0..plan.warm_up + plan.rounds {
        run.go_on()?;
        let wrong = |name: &str, what: String| {
            Failure::Internal(format!("{name}, {} bits, round {round}: {what}", plan.bits))
        };
        let mut answers = vec![[0; 3]; contenders.len()];
        for index in turn(round, contenders.len()) {
            let contender = &mut contenders[index];
            let tasks = one(plan, round, &mut *contender.work)?;
            if let Some(done) = tasks.iter().find(|done| !is_right(done)) {
                return Err(wrong(contender.name, format!("{done:?}")));
            }
            answers[index] = tasks.map(|(.., timed)| timed.yes);
            if round < plan.warm_up {
                continue;
            }
            let Contender { version, setup, .. } = contender;
            let Plan { bits, insertions, .. } = plan;
            let (bit_size, probes) = sizes[index];
            let parameters: [&dyn Display; 7] =
                [version, setup, bits, insertions, &contents, &bit_size, &probes];
            let mut record = |task, calls, count| {
                let case = SUITE.case(contender.name, task, &parameters);
                batches.push(case.batch(round + 1 - plan.warm_up, calls, count));
            };
            for (task, calls, Timed { ns, yes }) in tasks {
                record(task, calls, ns);
                if task == "absent" {
                    record("false-positives", calls, yes);
                }
            }
        }
        // Filters that equal Guava's give the same answers, but puts of many do not tell what changed.
        for (Contender { name, .. }, yes) in contenders.iter().zip(&answers) {
            let first = usize::from(name.ends_with("-batch"));
            if name.starts_with("ours") && yes[first..] != answers[0][first..] {
                return Err(wrong(name, format!("other answers than Guava: {answers:?}")));
            }
        }
    }
    Ok(())
}

/// Runs all tasks of one filter in one round, counted from 0.
fn one(plan: &Plan, round: u64, filter: &mut dyn Work) -> Result<[Done; 3], Failure> {
    let keys = |first, count| Keys { first, count };
    let (inserted, put, present, times) = if plan.has_random_words {
        let own = keys(round * plan.keys, plan.keys);
        (plan.keys, own.run(filter, true)?, own, 1)
    } else {
        let mut put = Timed::default();
        for _ in 0..plan.builds {
            filter.start(plan)?;
            put.add(keys(0, plan.insertions).run(filter, true)?);
        }
        // A different range in every round, if the filter has more keys than are queried.
        let queried = plan.keys.min(plan.insertions);
        let first = round * queried % (plan.insertions - queried + 1);
        let inserted = plan.insertions * plan.builds;
        (inserted, put, keys(first, queried), plan.keys / queried)
    };
    let absent = keys(ABSENT + round * plan.keys, plan.keys).run(filter, false)?;
    let mut found = Timed::default();
    for _ in 0..times {
        found.add(present.run(filter, false)?);
    }
    Ok([
        ("put", inserted, put),
        ("absent", plan.keys, absent),
        ("present", present.count * times, found),
    ])
}

/// Returns true if a task can have these positive answers.
fn is_right((task, calls, Timed { yes, .. }): &Done) -> bool {
    match *task {
        "put" => (1..=*calls).contains(yes),
        "absent" => *yes as f64 <= *calls as f64 * MAX_FALSE,
        _ => yes == calls,
    }
}

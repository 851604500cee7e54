//! Instructions of every policy by its portable kernel, counted by valgrind.
//!
//! The program runs itself under valgrind, as [`WORK`]: each piece of work is in a call of its own of [`counted`], which
//! starts and ends counting. Seeds are fixed: the work is the same in every run.

use core::hint::black_box;
use std::fs;
use std::io::{self, Write as _};
use std::process::{Command, ExitCode, Stdio};

use bench_kit::suites::instructions::Instructions;
use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilterPolicy, FastLocalBloomPolicy, FilterPolicy,
    LegacyFullFilterPolicy, RibbonPolicy, RocksDbBitsPerKey,
};
use hash_comparison::measure::environment;
use hash_comparison::record::Environment;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The argument that has the work done.
pub(crate) const WORK: &str = "instructions-work";

/// [`counted`] as valgrind knows it.
const COUNTED: &str = "bench_ours::instructions::counted";

/// Keys of a filter, and keys that it is asked for.
const KEYS: usize = 1024;

/// The call that starts and ends counting: not inlined, so that it has a name in the program.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn policies() -> [(&'static str, Box<dyn FilterPolicy>); 6] {
    let (ten, rocksdb_ten) = (BitsPerKey::whole(10), RocksDbBitsPerKey::whole(10));
    [
        ("leveldb", Box::new(BloomFilterPolicy::leveldb_builtin(ten))),
        ("bloom-filter2", Box::new(BloomFilterPolicy::bloom_filter2(ten))),
        ("bloom-filter64", Box::new(BloomFilter64Policy::new(ten))),
        ("fast-local", Box::new(FastLocalBloomPolicy::new(rocksdb_ten))),
        ("legacy-full", Box::new(LegacyFullFilterPolicy::new(rocksdb_ten))),
        ("ribbon", Box::new(RibbonPolicy::new(rocksdb_ten))),
    ]
}

/// Random keys of so many bytes, or of 4 to 40.
fn keys(random: &mut SplitMix64, len: Option<usize>) -> Vec<Vec<u8>> {
    (0..KEYS)
        .map(|_| {
            let mut key = vec![0; len.unwrap_or(4 + (random.next_u64() % 37) as usize)];
            random.fill_bytes(&mut key);
            key
        })
        .collect()
}

fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

/// Does the work, and prints a line for each call, in their order: policy, length of keys, task, number of keys.
pub(crate) fn work() -> ExitCode {
    match print_work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_work() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    for (lengths, len) in [("16", Some(16)), ("4-40", None)] {
        let mut random = SplitMix64::seed_from_u64(1);
        let (stored, absent) = (keys(&mut random, len), keys(&mut random, len));
        let (stored, absent) = (slices(&stored), slices(&absent));
        for (name, policy) in policies() {
            let policy = black_box(&*policy);
            let mut room = vec![0; policy.max_filter_len(KEYS)?];
            let mut written = Ok(0);
            counted(&mut || {
                written = policy
                    .create_filter(&stored, &mut room)
                    .map(|filter| filter.len());
            });
            writeln!(out, "{name},{lengths},build,{KEYS}")?;
            let filter = &room[..written?];
            for (task, asked) in [("absent", &absent), ("present", &stored)] {
                let mut matches = 0;
                counted(&mut || {
                    matches = asked
                        .iter()
                        .filter(|key| policy.key_may_match(key, filter))
                        .count();
                });
                black_box(matches);
                writeln!(out, "{name},{lengths},{task},{KEYS}")?;
            }
        }
    }
    Ok(())
}

/// Runs the work once under valgrind, and gives its rows.
///
/// # Errors
///
/// When valgrind fails, or does not say what it should.
pub(crate) fn count() -> Result<Vec<Instructions>, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let dumps = folder.path().join("counts");
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(&dumps);
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(out)
        .arg(program)
        .arg(WORK)
        .env("FILTER_POLICY_KERNEL", "scalar")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    let environment = environment::collect();
    // Dumps are numbered from 1.
    (lines.lines().zip(1..))
        .map(|(line, number)| {
            let path = dumps.with_extension(format!("{number}"));
            let dump = fs::read_to_string(&path)
                .map_err(|error| format!("valgrind's counts of `{line}`: {}: {error}", path.display()))?;
            let total =
                total(&dump).ok_or_else(|| format!("valgrind's counts of `{line}` have no total above 0"))?;
            row(line, total, &environment).ok_or_else(|| format!("the work printed `{line}`"))
        })
        .collect()
}

/// The instructions of a dump of callgrind's, if there were any.
fn total(dump: &str) -> Option<u64> {
    let counts_instructions = dump.lines().any(|line| line == "events: Ir");
    let total = dump.lines().find_map(|line| line.strip_prefix("totals: "))?;
    total
        .trim()
        .parse()
        .ok()
        .filter(|&total| counts_instructions && total > 0)
}

/// A row from a line of the work.
fn row(line: &str, total: u64, environment: &Environment) -> Option<Instructions> {
    let [policy, key_lengths, task, keys] = line.split(',').collect::<Vec<_>>()[..] else {
        return None;
    };
    let keys = keys.parse().ok().filter(|&keys: &u64| keys > 0)?;
    Some(Instructions {
        rustc: environment.rustc.clone(),
        target: environment.target.clone(),
        policy: policy.to_owned(),
        key_lengths: key_lengths.to_owned(),
        task: task.to_owned(),
        keys,
        instructions_per_key: total as f64 / keys as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\npart: 2\n\n\
        desc: Trigger: --dump-after=instructions::counted\n\npositions: line\nevents: Ir\nsummary: 20480\n\n\n\
        ob=(1) instructions\nfl=(1)\nfn=(1) instructions::counted\n0 20480\n\ntotals: 20480\n";

    #[test]
    fn dumps_of_callgrind_are_read() {
        assert_eq!(total(DUMP), Some(20_480));
        assert_eq!(total(&DUMP.replace("totals: 20480", "totals: 0")), None);
        assert_eq!(total(&DUMP.replace("totals: 20480", "totals: 12 34")), None);
        // With caches simulated, the first of several counts would be taken for the only one.
        assert_eq!(total(&DUMP.replace("events: Ir", "events: Ir Dr")), None);
        assert_eq!(total(""), None);
    }

    #[test]
    fn lines_of_the_work_are_read() {
        let environment = environment::collect();
        let row = |line| row(line, 20_480, &environment);
        let read = row("leveldb,4-40,build,1024").unwrap();
        assert_eq!(read.named(), "leveldb, build, keys of 4-40 bytes");
        assert_eq!((read.keys, read.instructions_per_key), (1024, 20.0));
        for wrong in ["", "leveldb,16,build", "leveldb,16,build,0", "leveldb,16,build,1,2"] {
            assert_eq!(row(wrong), None, "{wrong}");
        }
    }
}

//! Counts the instructions of every way to build and to query, which hang on a few functions that must be inlined, and
//! compares them with the recorded counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use filter_policy::kernels::Kernel;

/// The call that starts and ends counting.
const COUNTED: &str = "bench_instructions::counted";

/// Counts of portable code in the ways of [`STRICT`] may grow by this fraction under the recorded compiler: small changes
/// elsewhere in the program can change inlining, and the C library selects its functions by the processor.
const SAME_COMPILER: f64 = 0.03;
/// Engines build and query in these ways.
const STRICT: [&str; 3] = ["build", "one-dyn", "one-present"];
/// All other counts may grow by this fraction: a call that should be inlined costs more.
const OTHERS: f64 = 0.08;

/// Runs the program under valgrind with the fastest kernel up to this one. Returns its lines, each with its instructions.
fn run(kernel: Kernel) -> Vec<(String, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("counts");
    let runner = format!(
        "target.'cfg(all())'.runner = ['valgrind', '--quiet', '--tool=callgrind', '--toggle-collect={COUNTED}', \
         '--dump-after={COUNTED}', '--callgrind-out-file={}']",
        dumps.display()
    );
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args("run --quiet --release --locked --package bench-instructions".split(' '))
        .args(["--config", &runner])
        .env("FILTER_POLICY_KERNEL", kernel.name())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "valgrind: {}", output.status);
    let lines = String::from_utf8_lossy(&output.stdout);
    // Dumps are numbered from 1.
    (lines.lines().zip(1..))
        .map(|(line, number)| {
            let dump = fs::read_to_string(dumps.with_extension(format!("{number}"))).unwrap();
            (line.to_owned(), total(&dump).unwrap())
        })
        .collect()
}

/// Returns the instructions in a callgrind dump, if there are any.
fn total(dump: &str) -> Option<u64> {
    let counts_instructions = dump.lines().any(|line| line == "events: Ir");
    let total = dump.lines().find_map(|line| line.strip_prefix("totals: "))?;
    total
        .trim()
        .parse()
        .ok()
        .filter(|&total| counts_instructions && total > 0)
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The first line is the compiler. Each other line is a kernel, policy, key lengths, way, and the instructions a key.
#[test]
fn no_way_takes_more_instructions_than_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts.csv");
    let mut now = BTreeMap::new();
    for kernel in [Kernel::Scalar, Kernel::Avx2] {
        if !kernel.is_available() {
            println!("not compared: {kernel}, which this processor lacks");
            continue;
        }
        for (line, total) in run(kernel) {
            let (way, keys) = line.rsplit_once(',').unwrap();
            let a_key = total as f64 / keys.parse::<f64>().unwrap();
            now.insert(format!("{kernel},{way}"), a_key);
        }
    }
    if std::env::var_os("RECORD_COUNTS").is_some() {
        let lines = now.iter().map(|(way, a_key)| format!("{way},{a_key:.1}\n"));
        return fs::write(&path, compiler() + "\n" + &lines.collect::<String>()).unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    let (recorded, lines) = text.split_once('\n').unwrap();
    let is_same = recorded == compiler();
    let mut worse = String::new();
    let mut compared = 0;
    for line in lines.lines() {
        let (way, before) = line.rsplit_once(',').unwrap();
        let before: f64 = before.parse().unwrap();
        let Some(now) = now.get(way) else {
            let is_missing = way.starts_with("avx2") && !Kernel::Avx2.is_available();
            assert!(is_missing, "{way} is gone");
            continue;
        };
        compared += 1;
        let is_usual = STRICT.iter().any(|name| way.ends_with(&format!(",{name}")));
        let is_strict = is_same && is_usual && way.starts_with("scalar");
        let share = if is_strict { SAME_COMPILER } else { OTHERS };
        if *now > before * (1.0 + share) {
            let change = (now / before - 1.0) * 100.0;
            worse += &format!("{way}: {before:.1} before, {now:.1} now ({change:+.1} %)\n");
        }
    }
    assert_eq!(compared, now.len(), "ways without a record");
    assert!(
        worse.is_empty(),
        "more instructions a key (kernel, policy, key lengths, way) than in {}:\n{worse}\
         If that is intended, record anew: RECORD_COUNTS=1 cargo test --package bench-instructions",
        path.display()
    );
}

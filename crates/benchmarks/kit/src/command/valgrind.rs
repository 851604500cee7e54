//! Counts the instructions of policies by their portable kernel, under valgrind.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::environment;
use harness::instructions::{Instructions, TOLERANCE, compare, of_compiler};
use harness::record::Environment;
use harness::records::RecordsError;

use crate::suite;

/// The committed record.
const RECORD: &str = "reports/reference/instructions";

/// The program whose calls are counted, an example of `filter-policy`, and the function that it calls for each row.
const PROGRAM: &str = "instructions";
const COUNTED: &str = "instructions::counted";

/// The folder of the committed record.
pub(crate) fn record(root: &Path) -> PathBuf {
    root.join(RECORD)
}

/// Builds the program, runs it once, and gives its rows.
///
/// # Errors
///
/// In words, when a program fails or does not say what it should.
pub(crate) fn count(root: &Path) -> Result<Vec<Instructions>, String> {
    // Where the tests by this kernel have built the same crates already.
    let target = root.join("target").join("portable");
    let build = [
        "build",
        "--release",
        "--locked",
        "--package",
        "filter-policy",
        "--example",
        PROGRAM,
    ];
    let mut command = suite::cargo_command(root, &build);
    command
        .env("RUSTFLAGS", "--cfg filter_policy_kernel=\"scalar\"")
        .env("CARGO_TARGET_DIR", &target);
    suite::run_command(&mut command)?;

    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let dumps = folder.path().join("counts");
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(&dumps);
    let mut command = Command::new("valgrind");
    command
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(out)
        .arg(target.join("release").join("examples").join(PROGRAM));
    let lines = suite::output_of(&mut command)?;
    let lines = String::from_utf8(lines).map_err(|error| format!("{PROGRAM}: {error}"))?;
    let environment = environment::collect();
    // Dumps are numbered from 1.
    (lines.lines().zip(1..))
        .map(|(line, number)| {
            let path = dumps.with_extension(format!("{number}"));
            let dump = fs::read_to_string(&path)
                .map_err(|error| format!("valgrind's counts of `{line}`: {}: {error}", path.display()))?;
            let total =
                total(&dump).ok_or_else(|| format!("valgrind's counts of `{line}` have no total above 0"))?;
            row(line, total, &environment).ok_or_else(|| format!("{PROGRAM} printed `{line}`"))
        })
        .collect()
}

/// The committed record; nothing where there is none.
///
/// # Errors
///
/// In words, when it cannot be read.
pub(crate) fn read(folder: &Path) -> Result<Vec<Instructions>, String> {
    match harness::instructions::read_rows(&folder.join("instructions.csv")) {
        Err(RecordsError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        other => other.map_err(|error| error.to_string()),
    }
}

/// Counts and compares, if the committed record has this compiler.
///
/// # Errors
///
/// In words, with the rows that became worse.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let environment = environment::collect();
    let committed = read(&record(root))?;
    if of_compiler(&committed, &environment).is_empty() {
        print!("{}", no_record(&environment));
        return Ok(());
    }
    print!("{}", judge(&committed, &count(root)?)?);
    Ok(())
}

fn no_record(environment: &Environment) -> String {
    format!(
        "instructions are not compared: the committed record has none of {} for {}; \
         `cargo xtask bench --suite instructions --out reports/reference/instructions` adds them\n",
        environment.rustc, environment.target
    )
}

/// What to say of the comparison with the committed record.
///
/// # Errors
///
/// In words, with the rows that became worse.
pub(crate) fn judge(record: &[Instructions], measured: &[Instructions]) -> Result<String, String> {
    let environment = environment::collect();
    let record = of_compiler(record, &environment);
    if record.is_empty() {
        return Ok(no_record(&environment));
    }
    let comparison = compare(measured, &record);
    if !comparison.worse.is_empty() {
        return Err(format!(
            "more instructions than in the committed record:\n{}",
            comparison.worse.join("\n")
        ));
    }
    let mut text = format!(
        "no row is more than {} % above the committed record\n",
        TOLERANCE * 100.0
    );
    if !comparison.better.is_empty() {
        text.push_str(&format!(
            "below it, so that the record should be renewed:\n{}\n",
            comparison.better.join("\n")
        ));
    }
    Ok(text)
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

/// A row from the program's line: policy, length of keys, task, number of keys.
fn row(line: &str, total: u64, environment: &Environment) -> Option<Instructions> {
    let mut fields = line.split(',').map(str::to_owned);
    let mut next = || fields.next().filter(|field| !field.is_empty());
    let (policy, key_lengths, task) = (next()?, next()?, next()?);
    let keys = next()?.parse().ok().filter(|&keys: &u64| keys > 0)?;
    fields.next().is_none().then(|| Instructions {
        rustc: environment.rustc.clone(),
        target: environment.target.clone(),
        policy,
        key_lengths,
        task,
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
    fn lines_of_the_program_are_read() {
        let environment = environment::collect();
        let row = |line| row(line, 20_480, &environment);
        let read = row("leveldb,4-40,build,1024").unwrap();
        assert_eq!(read.named(), "leveldb, build, keys of 4-40 bytes");
        assert_eq!((read.keys, read.instructions_per_key), (1024, 20.0));
        for wrong in [
            "",
            "leveldb,16,build",
            "leveldb,16,build,0",
            "leveldb,,build,9",
            "a,b,c,9,d",
            "a,b,c,-9",
        ] {
            assert_eq!(row(wrong), None, "{wrong}");
        }
    }

    fn counted(task: &str, instructions_per_key: f64) -> Instructions {
        let environment = environment::collect();
        Instructions {
            instructions_per_key,
            ..row(&format!("ribbon,16,{task},1024"), 1, &environment).unwrap()
        }
    }

    #[test]
    fn what_became_worse_fails_with_its_name() {
        let record = [counted("build", 100.0), counted("absent", 50.0)];
        let said = judge(&record, &[counted("build", 101.0), counted("absent", 40.0)]).unwrap();
        assert!(said.contains("no row is more than 3 % above"), "{said}");
        assert!(said.contains("renewed:\nribbon, absent"), "{said}");
        let error = judge(&record, &[counted("build", 110.0), counted("absent", 50.0)]).unwrap_err();
        assert!(
            error.contains("\nribbon, build, keys of 16 bytes: 110.00"),
            "{error}"
        );
    }

    #[test]
    fn another_compilers_record_is_named_not_passed_over() {
        let mut old = counted("build", 1.0);
        old.rustc = "rustc 1.0.0".to_owned();
        let said = judge(&[old], &[counted("build", 100.0)]).unwrap();
        assert!(
            said.starts_with("instructions are not compared: the committed record has none of rustc "),
            "{said}"
        );
    }
}

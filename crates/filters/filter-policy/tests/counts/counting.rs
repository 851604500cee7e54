//! Counts the instructions of the calls of `work::counted` in the program `work.rs`, and
//! compares them with those recorded in its `counts.csv`.
//!
//! The work is built as a user builds it: the package by cargo for release, and `work.rs` by the compiler alone. As a
//! test or an example, cargo would build it after all that the tests need, too.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use filter_policy::kernels::Kernel;

/// The call that starts and ends counting.
const COUNTED: &str = "work::counted";

/// Counts of portable code in ways that are strict may grow by this fraction under the recorded compiler: small changes
/// elsewhere in the program can change inlining.
const SAME_COMPILER: f64 = 0.03;
/// All other counts may grow by this fraction: a call that should be inlined costs more.
const OTHERS: f64 = 0.08;

/// The package that is tested.
const PACKAGE: &str = env!("CARGO_PKG_NAME");

/// Returns the standard output of a command that must succeed.
fn output_of(command: &mut Command) -> String {
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a file of the folder with the work.
fn beside_work(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/counts")
        .join(name)
}

/// Builds the program in this folder.
fn build(folder: &Path) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // The other features add no instructions, but packages to build.
    let arguments = "build --release --locked --no-default-features --features std --message-format json-render-diagnostics";
    let mut command = Command::new(cargo);
    let command = command
        .args(arguments.split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let crate_name = PACKAGE.replace('-', "_");
    let (mut library, mut folders) = (None, BTreeSet::new());
    for message in output_of(command).lines() {
        let message: serde_json::Value = serde_json::from_str(message).unwrap();
        for file in message["filenames"].as_array().into_iter().flatten() {
            let file = Path::new(file.as_str().unwrap());
            folders.insert(file.parent().unwrap().to_owned());
            if message["target"]["name"] == crate_name && file.extension().is_some_and(|end| end == "rlib") {
                library = Some(file.to_owned());
            }
        }
    }
    let program = folder.join("work");
    let mut compiler = Command::new("rustc");
    compiler
        .args("--edition 2024 --crate-name work -C opt-level=3 -C codegen-units=16 -o".split(' '))
        .arg(&program)
        .arg(beside_work("work.rs"));
    for folder in folders {
        compiler.arg("-L").arg(argument("dependency=", &folder));
    }
    compiler
        .arg("--extern")
        .arg(argument(&format!("{crate_name}="), &library.unwrap()));
    output_of(&mut compiler);
    program
}

fn argument(name: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(name);
    argument.push(path);
    argument
}

/// Runs the program under valgrind with the fastest kernel up to this one, and with the argument `kernels` if that is not
/// portable code. Returns its lines, each with its instructions.
fn run(program: &Path, kernel: Kernel) -> Vec<(String, u64)> {
    let (folder, name) = (program.parent().unwrap(), program.file_name().unwrap());
    let mut command = Command::new("valgrind");
    // Some counts depend on the address of the stack, which is below the environment and the path of the program. So these are
    // the same everywhere.
    command
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", kernel.name()))
        .arg(Path::new(".").join(name))
        .args((kernel != Kernel::Scalar).then_some("kernels"))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("FILTER_POLICY_KERNEL", kernel.name())
        .current_dir(folder);
    let dumps = folder.join(kernel.name());
    // Dumps are numbered from 1.
    (output_of(&mut command).lines().zip(1..))
        .map(|(line, number)| {
            let dump = fs::read_to_string(dumps.with_extension(format!("{number}"))).unwrap();
            (line.to_owned(), total(&dump).unwrap())
        })
        .collect()
}

fn is_available(kernel: Kernel) -> bool {
    Kernel::available().any(|available| available == kernel)
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

/// Checks that no way takes more instructions than recorded. The first line of the record is the compiler. Each other line
/// is a kernel, what the program prints, and the instructions for each of the units that end the program's line.
pub(crate) fn check(is_strict: impl Fn(&str) -> bool) {
    let path = beside_work("counts.csv");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counts");
    // The dumps of an earlier run.
    let _removed = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let program = build(&folder);
    let mut now = BTreeMap::new();
    for kernel in [Kernel::Scalar, Kernel::Avx2] {
        if !is_available(kernel) {
            println!("not compared: {kernel}, which this processor lacks");
            continue;
        }
        for (line, total) in run(&program, kernel) {
            let (way, units) = line.rsplit_once(',').unwrap();
            let each = total as f64 / units.parse::<f64>().unwrap();
            now.insert(format!("{kernel},{way}"), each);
        }
    }
    let compiler = output_of(Command::new("rustc").arg("--version"));
    if std::env::var_os("RECORD_COUNTS").is_some() {
        let lines = now.iter().map(|(way, each)| format!("{way},{each:.2}\n"));
        return fs::write(path, compiler + &lines.collect::<String>()).unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    let (recorded, lines) = text.split_once('\n').unwrap();
    let is_same = recorded == compiler.trim();
    let mut worse = String::new();
    let mut compared = 0;
    for line in lines.lines() {
        let (way, before) = line.rsplit_once(',').unwrap();
        let before: f64 = before.parse().unwrap();
        let Some(now) = now.get(way) else {
            let is_missing = way.starts_with("avx2") && !is_available(Kernel::Avx2);
            assert!(is_missing, "{way} is gone");
            continue;
        };
        compared += 1;
        let is_strict = is_same && way.starts_with("scalar") && is_strict(way.rsplit(',').next().unwrap());
        let share = if is_strict { SAME_COMPILER } else { OTHERS };
        if *now > before * (1.0 + share) {
            let change = (now / before - 1.0) * 100.0;
            worse += &format!("{way}: {before:.2} before, {now:.2} now ({change:+.1} %)\n");
        }
    }
    assert_eq!(compared, now.len(), "ways without a record");
    assert!(
        worse.is_empty(),
        "more instructions than in {}:\n{worse}If that is intended, record anew: RECORD_COUNTS=1 cargo test --package \
         {PACKAGE} --test counts -- --ignored",
        path.display()
    );
}

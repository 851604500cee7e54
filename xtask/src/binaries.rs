//! Builds tests with cargo and runs them concurrently; cargo itself would run them one after another.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Instant, SystemTime};

use crate::Failure;
use crate::cargo::{cargo_command, failed, output_of};

/// The tests of the default members that a quick run leaves out: they need more programs.
const FULL: [&str; 2] = ["header", "server"];

/// Long tests, longest first. They start first, because a long test started last would run alone.
const LONG: [(&str, &str); 5] = [
    ("hash-comparison", "all"),
    ("hash-comparison", "report"),
    ("bloom-redis", "server"),
    ("filter-policy-leveldb", "header"),
    ("bench-leveldb", "all"),
];

/// Java in tests runs for seconds: without its optimising compiler it takes half the processor time.
pub(crate) const JAVA: (&str, &str) = ("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

/// A test program of a file or of a library.
#[derive(Debug)]
pub(crate) struct Binary {
    pub(crate) package: String,
    pub(crate) name: String,
    program: PathBuf,
    /// The working folder, as with cargo.
    folder: PathBuf,
}

/// The time of the last change to a file.
fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).ok()?.modified().ok()
}

impl Binary {
    /// Returns whether the tests passed after they were built and after this time.
    fn passed_since(&self, time: Option<SystemTime>) -> bool {
        let passed = changed(&self.marker());
        passed.is_some() && passed > time && passed > changed(&self.program)
    }

    /// The file whose time is that of the start of the last run, if the tests passed.
    fn marker(&self) -> PathBuf {
        self.program.with_extension("passed")
    }

    /// Runs the tests. If they pass, a quick run can leave them out until something changes.
    fn run_marked(&self, arguments: &[&str]) -> Result<(), Failure> {
        let started = self.program.with_extension("running");
        // Without the files, a quick run repeats the tests.
        let _ = (fs::remove_file(self.marker()), fs::write(&started, ""));
        self.run(arguments, &[])?;
        let _ = fs::rename(started, self.marker());
        Ok(())
    }

    /// Runs the tests to the end, and shows their output if one fails.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<(), Failure> {
        let Self { package, name, .. } = self;
        let start = now();
        let output = Command::new(&self.program)
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .envs([JAVA])
            .envs(variables.iter().copied())
            .output()
            .map_err(|error| failed(self.program.display(), error))?;
        let is_passed = output.status.success();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let shown = if is_passed {
            let result = stdout.lines().find(|line| line.starts_with("test result: "));
            result.unwrap_or_default().to_owned()
        } else {
            let stderr = String::from_utf8_lossy(&output.stderr);
            format!("{}\n{stdout}{stderr}", output.status)
        };
        let seconds = start.elapsed().as_secs_f64();
        // A broken pipe is not an error.
        let _ = writeln!(io::stdout().lock(), "{seconds:7.1} s  {package} {name}: {shown}");
        if is_passed {
            Ok(())
        } else {
            Err(failed(format_args!("{package} {name}"), output.status))
        }
    }

    /// Returns its position in the order of starts.
    fn place(&self) -> usize {
        let mut long = LONG.iter();
        let is_this = |(package, name): &(&str, &str)| {
            Path::new(package).ends_with(&self.package) && self.name == *name
        };
        long.position(is_this).unwrap_or(LONG.len())
    }
}

/// The test programs of the workspace, and the programs under test.
#[derive(Debug, Default)]
pub(crate) struct Binaries {
    tests: Vec<Binary>,
    programs: Vec<Binary>,
}

impl Binaries {
    /// Builds the tests of the packages, or only the quick tests.
    pub(crate) fn build(root: &Path, packages: &[&str], quick: bool) -> Result<Self, Failure> {
        // All that a manifest does not except, and examples: with `--lib`, cargo would build libraries without tests,
        // too.
        let mut test = cargo_command(root, &["test", "--no-run"]);
        let messages = output_of(
            test.args(packages)
                .args(["--message-format", "json-render-diagnostics"]),
        )?;
        let messages = String::from_utf8_lossy(&messages);
        let all = |is_test| messages.lines().filter_map(move |line| binary(line, is_test));
        let (mut tests, programs): (Vec<Binary>, _) = (all(true).collect(), all(false).collect());
        tests.retain(|test| !(quick && FULL.contains(&&*test.name)));
        tests.sort_by_key(Binary::place);
        Ok(Self { tests, programs })
    }

    /// Leaves out the tests that passed since they were built, unless one of the files that tests may read, or a program
    /// of their package, was changed.
    pub(crate) fn leave_out_passed(&mut self, root: &Path) {
        let mut list = Command::new("git");
        list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let Ok(files) = output_of(list.current_dir(root)) else {
            return;
        };
        let files = String::from_utf8_lossy(&files);
        // Cargo builds tests again if Rust's files that they depend on are changed.
        let read = files.split_terminator('\0').filter(|file| !file.ends_with(".rs"));
        let read = read.map(|file| changed(&root.join(file)));
        let Some(times) = read.collect::<Option<Vec<_>>>() else {
            return;
        };
        let (last, all, programs) = (times.into_iter().max(), self.tests.len(), &self.programs);
        self.tests.retain(|test| {
            let of_package = programs.iter().filter(|program| program.package == test.package);
            let built = of_package
                .map(|program| changed(&program.program))
                .max()
                .flatten();
            !test.passed_since(last.max(built))
        });
        println!(
            "{} of {all} programs passed since they were built",
            all - self.tests.len()
        );
    }

    /// Returns the path of a workspace program that was built for the tests.
    pub(crate) fn program(&self, name: &str) -> Result<&Path, Failure> {
        let found = self.programs.iter().find(|program| program.name == name);
        let found = found.ok_or_else(|| failed("cargo built no program", name))?;
        Ok(&found.program)
    }

    /// Runs the tests for which there are arguments, with these variables, one per processor at a time.
    pub(crate) fn run<'w>(
        &self,
        arguments: impl Fn(&Binary) -> Option<Vec<&'w str>>,
        variables: &[(&str, &str)],
    ) -> Result<(), Failure> {
        let wanted: Vec<(&Binary, Vec<&str>)> = (self.tests.iter())
            .filter_map(|binary| Some((binary, arguments(binary)?)))
            .collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut failures = Vec::new();
            while let Some((binary, arguments)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                let result = match variables {
                    [] => binary.run_marked(arguments),
                    _ => binary.run(arguments, variables),
                };
                failures.extend(result.err().map(|failure| failure.to_string()));
            }
            failures
        };
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let failed: Vec<String> = thread::scope(|scope| {
            let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
            let panicked = |_| vec!["a thread of the suite panicked".to_owned()];
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap_or_else(panicked))
                .collect()
        });
        if failed.is_empty() {
            Ok(())
        } else {
            Err(Failure::internal(failed.join("; ")))
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "times of steps and tests are for people; nothing depends on them"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the test or program that a cargo message reports.
fn binary(message: &str, is_test: bool) -> Option<Binary> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    (message["profile"]["test"] == is_test).then_some(Binary {
        package: folder.file_name()?.to_str()?.to_owned(),
        name: message["target"]["name"].as_str()?.to_owned(),
        program: message["executable"].as_str()?.into(),
        folder: folder.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_distinguished_from_other_artefacts() {
        let found = |is_test: bool, executable: &str| {
            let message = format!(
                "{{\"manifest_path\": \"/a/hashzoo/Cargo.toml\", \"target\": {{\"name\": \"registry\"}}, \
                 \"profile\": {{\"test\": {is_test}}}, \"executable\": {executable}}}"
            );
            [true, false]
                .map(|is_wanted| binary(&message, is_wanted).map(|found| found.package + " " + &found.name))
        };
        let registry = || Some("hashzoo registry".to_owned());
        assert_eq!(found(true, "\"/t/registry-1\""), [registry(), None]);
        assert_eq!(found(false, "\"/t/registry\""), [None, registry()]);
        assert_eq!(found(true, "null"), [None, None]);
    }

    #[test]
    fn a_failure_names_the_tests() {
        let run = |program: &str| {
            let binary = Binary {
                package: "hashzoo".to_owned(),
                name: "registry".to_owned(),
                program: program.into(),
                folder: ".".into(),
            };
            binary.run(&[], &[])
        };
        run("true").unwrap();
        let failure = run("false").unwrap_err();
        assert_eq!(failure.to_string(), "hashzoo registry: exit status: 1");
    }
}

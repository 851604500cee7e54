//! Builds tests with cargo and runs them concurrently. Cargo itself would run the programs one after another, and nextest
//! would run each test in a process of its own, which could not share a cluster of Redis or an installed library.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::Failure;
use crate::cargo::{cargo_command, failed, metadata, output_of};
use serde_json::Value;

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

impl Binary {
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
        let is_this = |&(package, name): &(&str, &str)| self.package == package && self.name == name;
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
    /// Builds the tests of the packages, and fails if one that a manifest of the workspace lists is not among them.
    pub(crate) fn build(root: &Path, packages: &[&str]) -> Result<Self, Failure> {
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
        let missing = not_built(&metadata(root)?, &tests);
        if !missing.is_empty() {
            return Err(failed("cargo built no program of tests", missing.join(", ")));
        }
        tests.sort_by_key(Binary::place);
        Ok(Self { tests, programs })
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
                let failure = binary.run(arguments, variables).err();
                failures.extend(failure.map(|failure| failure.to_string()));
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
    let message: Value = serde_json::from_str(message).ok()?;
    let (folder, package) = package(&message)?;
    (message["profile"]["test"] == is_test).then_some(Binary {
        package: package.to_owned(),
        name: message["target"]["name"].as_str()?.to_owned(),
        program: message["executable"].as_str()?.into(),
        folder: folder.to_owned(),
    })
}

/// Returns the folder of a package that cargo describes, and the folder's name.
fn package(described: &Value) -> Option<(&Path, &str)> {
    let folder = Path::new(described["manifest_path"].as_str()?).parent()?;
    Some((folder, folder.file_name()?.to_str()?))
}

/// Returns the targets with tests, in cargo's metadata of the workspace, of which there is no program.
fn not_built(metadata: &Value, tests: &[Binary]) -> Vec<String> {
    // A library and a program may have the same name.
    let mut built: Vec<_> = tests.iter().map(|test| (&*test.package, &*test.name)).collect();
    let mut missing = Vec::new();
    for described in metadata["packages"].as_array().into_iter().flatten() {
        let package = package(described).map_or("", |(_, package)| package);
        for target in described["targets"].as_array().into_iter().flatten() {
            let name = target["name"].as_str().unwrap_or_default();
            if target["test"] == true {
                match built.iter().position(|&test| test == (package, name)) {
                    Some(found) => _ = built.swap_remove(found),
                    None => missing.push(format!("{package} {name}")),
                }
            }
        }
    }
    missing
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

    fn registry(program: &str) -> Binary {
        Binary {
            package: "hashzoo".to_owned(),
            name: "registry".to_owned(),
            program: program.into(),
            folder: ".".into(),
        }
    }

    #[test]
    fn a_listed_target_without_a_program_is_named() {
        let metadata = serde_json::json!({ "packages": [
            { "manifest_path": "/a/hashzoo/Cargo.toml", "targets": [
                { "name": "registry", "test": true },
                { "name": "registry", "test": true },
                { "name": "an_example", "test": false },
            ] },
            { "manifest_path": "/a/plots/Cargo.toml", "targets": [{ "name": "registry", "test": true }] },
        ] });
        let missing = not_built(&metadata, &[registry("true")]);
        assert_eq!(missing, ["hashzoo registry", "plots registry"]);
    }

    #[test]
    fn a_failure_names_the_tests() {
        registry("true").run(&[], &[]).unwrap();
        let failure = registry("false").run(&[], &[]).unwrap_err();
        assert_eq!(failure.to_string(), "hashzoo registry: exit status: 1");
    }
}

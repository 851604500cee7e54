//! Tests under the compiler's sanitizers, which cost too much time for every run of the suite.

use std::path::Path;
use std::process::Command;

use crate::cargo::{cargo_command, output_of, run_command, words};
use crate::failure::Failure;
use crate::fuzz::HOST;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Sanitizer {
    /// Bytes outside of objects and freed memory: the functions for C, and C and C++ programs that call them
    Address,
    /// Data races: the concurrent filter, parallel builds, and filters that are replaced while threads use them
    Thread,
}

impl Sanitizer {
    /// The compiler's name of it, which is also that of the C compiler.
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }

    /// Commands of cargo's with their arguments.
    fn commands(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // An allocator that fails is put in the place of the sanitizer's.
            Self::Address => &[(
                "test",
                "--package filter-policy-leveldb --all-features --lib --test header -- --skip an_allocator_that_fails",
            )],
            // Clients of Redis share nothing but their connections; of those, tokio's are accused wrongly, since what the kernel
            // tells its threads cannot be seen.
            Self::Thread => &[
                // The program that a test runs.
                (
                    "build",
                    "-Zbuild-std --package guava-bloom --features slot,rayon --example malicious_urls",
                ),
                (
                    "test",
                    "-Zbuild-std --package guava-bloom --features slot,rayon --test all -- \
                     concurrent:: slot:: parallel:: malicious_urls::",
                ),
            ],
        }
    }
}

/// Runs the tests that are for this sanitizer.
pub(crate) fn test(root: &Path, sanitizer: Sanitizer) -> Result<(), String> {
    let mut commands = sanitizer.commands().iter();
    commands.try_for_each(|(command, arguments)| run(root, sanitizer.name(), command, arguments))
}

fn run(root: &Path, name: &str, command: &str, arguments: &str) -> Result<(), String> {
    let mut cargo = cargo_command(root, &[command, "--target", HOST, "--target-dir"]);
    cargo
        .arg(format!("target/sanitize/{name}"))
        .args(words(arguments))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={name}"))
        // For the programs in C and C++ that tests build.
        .env("CFLAGS", format!("-fsanitize={name}"))
        .env("CXXFLAGS", format!("-fsanitize={name}"))
        // Tests ask for more memory than there is, and leak on purpose; the suite looks for leaks with valgrind.
        .env("ASAN_OPTIONS", "allocator_may_return_null=1:detect_leaks=0");
    run_command(&mut cargo)
}

/// Checks that the sources of the standard library are there, after installing them if `install` says so: races are seen
/// only in code that was compiled to show them.
pub(crate) fn require(sanitizers: &[Sanitizer], install: bool) -> Result<(), Failure> {
    let sysroot = output_of(Command::new("rustc").args(["--print", "sysroot"])).map_err(Failure::internal)?;
    let sysroot = String::from_utf8_lossy(&sysroot);
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/Cargo.lock");
    if sources.exists() || !sanitizers.contains(&Sanitizer::Thread) {
        return Ok(());
    }
    if !install {
        return Err(Failure::input(
            "missing: sources of the standard library; run `cargo xtask sanitize --install`, or \
             `rustup component add rust-src`",
        ));
    }
    let mut rustup = Command::new("rustup");
    run_command(rustup.args(["component", "add", "rust-src"])).map_err(Failure::internal)
}

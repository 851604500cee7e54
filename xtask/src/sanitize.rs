//! Tests under the compiler's sanitizers, which take too long for every run of the suite.

use std::path::Path;
use std::process::Command;

use crate::cargo::{cargo_command, output_of, run_command, words};
use crate::failure::Failure;
use crate::fuzz::HOST;

/// A sanitizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Sanitizer {
    /// Bytes outside of objects and freed memory: the functions for C, and C and C++ programs that call them
    Address,
    /// Data races: the concurrent filter, parallel builds, and filters that are replaced while threads use them
    Thread,
}

impl Sanitizer {
    /// Returns the sanitizer's name for the Rust and C compilers.
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }

    /// Returns cargo commands with their arguments.
    fn commands(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // The skipped test replaces the allocator, as the sanitizer does.
            Self::Address => &[(
                "test",
                "--package filter-policy-leveldb --all-features --lib --test header -- --skip an_allocator_that_fails",
            )],
            // Clients of Redis are not tested: they share only connections, and tokio's cause false alarms, because the
            // sanitizer does not see synchronization through the kernel.
            Self::Thread => &[(
                "test",
                "-Zbuild-std --package guava-bloom --features slot,rayon --test all -- concurrent:: slot:: parallel::",
            )],
        }
    }
}

/// Runs the tests of a sanitizer.
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
        // For C and C++ programs that tests build.
        .env("CFLAGS", format!("-fsanitize={name}"))
        .env("CXXFLAGS", format!("-fsanitize={name}"))
        // Tests request more memory than is available, and leak on purpose; the suite looks for leaks with valgrind.
        .env("ASAN_OPTIONS", "allocator_may_return_null=1:detect_leaks=0");
    run_command(&mut cargo)
}

/// Checks that the sources of the standard library are installed; with `install`, installs them first. Races are
/// detected only in code that was compiled for it.
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

//! `cargo xtask sanitize`: tests under the compiler's sanitizers, which take too long for every run of the tests.

use std::path::Path;
use std::process::Command;

use crate::cargo::{cargo_command, output_of, run_command, words};
use crate::fuzz::HOST;
use crate::needs::{self, LIBRARIES, TOOLS};
use crate::{python, steps};
use clap::ValueEnum as _;

/// Run tests under AddressSanitizer and ThreadSanitizer.
///
/// AddressSanitizer watches the C interface, called from Rust and from C and C++ programs with LevelDB, and the module
/// for Python, which reads arrays of other libraries. ThreadSanitizer watches the concurrent filter, parallel builds, and
/// filters that are replaced while threads use them; the standard library is compiled for it from its sources, a
/// component of rustup.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask sanitize --install\n  cargo xtask sanitize address")]
pub(crate) struct Arguments {
    /// The sanitizers to run [default: all]
    #[arg(value_enum, value_name = "SANITIZER")]
    sanitizers: Vec<Sanitizer>,
    /// Install missing system packages and the sources of the standard library first
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let sanitizers = match &arguments.sanitizers[..] {
        [] => Sanitizer::value_variants(),
        sanitizers => sanitizers,
    };
    require(sanitizers, arguments.install)?;
    for &sanitizer in sanitizers {
        println!("\n==> {sanitizer:?}Sanitizer");
        test(&steps::root(), sanitizer)?;
    }
    Ok(())
}

/// A sanitizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sanitizer {
    /// Bytes outside of objects and freed memory: the functions for C, with C and C++ programs that call them, and
    /// arrays that Python gives
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

    /// Returns the arguments of `cargo test`.
    fn arguments(self) -> &'static str {
        match self {
            // The skipped tests replace the allocator, as the sanitizer does.
            Self::Address => {
                "--package filter-policy-leveldb --all-features --lib --test header -- \
                 --skip an_allocator_that_fails --skip valgrind"
            }
            // Clients of Redis are not tested: they share only connections, and tokio's cause false alarms, because the
            // sanitizer does not see synchronization through the kernel.
            Self::Thread => {
                "-Zbuild-std --package membership-filters --features slot --test all -- concurrent:: slot::"
            }
        }
    }
}

/// Runs the tests of a sanitizer.
fn test(root: &Path, sanitizer: Sanitizer) -> Result<(), String> {
    let name = sanitizer.name();
    let folder = format!("target/sanitize/{name}");
    let (rust, c) = (format!("-Zsanitizer={name}"), format!("-fsanitize={name}"));
    let flags = [
        ("RUSTC_BOOTSTRAP", "1"),
        ("RUSTFLAGS", &rust),
        // For the library that tests install: macros, which are of the host, cannot have the sanitizer.
        ("CARGO_BUILD_TARGET", HOST),
        // For C and C++ programs that tests build.
        ("CFLAGS", &c),
        ("CXXFLAGS", &c),
        // Tests request more memory than is available, and leak on purpose; other tests look for leaks with valgrind.
        ("ASAN_OPTIONS", "allocator_may_return_null=1:detect_leaks=0"),
    ];
    let mut cargo = cargo_command(root, &["test", "--target", HOST, "--target-dir", &folder]);
    run_command(cargo.args(words(sanitizer.arguments())).envs(flags))?;
    match sanitizer {
        Sanitizer::Address => python::sanitize(root, &folder, &flags),
        Sanitizer::Thread => Ok(()),
    }
}

/// Checks that what the tests need is installed; with `install`, installs it first. Races are detected only in code
/// that was compiled for it, for which the sources of the standard library are needed.
fn require(sanitizers: &[Sanitizer], install: bool) -> Result<(), String> {
    if sanitizers.contains(&Sanitizer::Address) {
        let needs = [needs::C, needs::LEVELDB, needs::PYTHON].concat();
        needs::require(&needs, install, "sanitize")?;
        needs::require_python(&steps::root(), &[TOOLS, LIBRARIES], install, "sanitize")?;
    }
    let sysroot = output_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = String::from_utf8_lossy(&sysroot);
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/Cargo.lock");
    let is_there = sources.exists() || !sanitizers.contains(&Sanitizer::Thread);
    needs::require_of_rustup(["component", "rust-src"], is_there, install, "sanitize")
}

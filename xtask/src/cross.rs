//! `cargo xtask cross`: runs the libraries' tests on other processors, in emulators.

use std::path::Path;
use std::process::Command;

use crate::cargo::{cargo_command, output_of, run_command, words};
use crate::needs::{self, Need, PYTHON, TOOLS};
use crate::steps;

/// Test the libraries on other processors.
///
/// For each target, compiles the tests of hash functions and kernels, and those on golden data of the crates of
/// filters, and runs them in QEMU, or in Wasmtime. The standard library comes from rustup.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Targets: aarch64, s390x (big-endian), wasm32 (WASI), i686 (32 bits)\n\n\
        Examples:\n  cargo xtask cross --install\n  cargo xtask cross i686"
)]
pub(crate) struct Arguments {
    /// The targets to test, by short name or triple [default: aarch64, s390x and wasm32]
    #[arg(value_name = "TARGET", value_parser = find)]
    targets: Vec<&'static Target>,
    /// Install missing emulators, linkers and standard libraries first (Debian and its relatives)
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let targets = match &arguments.targets[..] {
        [] => usual(),
        targets => targets.to_vec(),
    };
    require(&targets, arguments.install, "cross")?;
    for target in targets {
        println!("\n==> {}", target.triple);
        test(&steps::root(), target)?;
    }
    Ok(())
}

/// A processor under Linux, or WebAssembly.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) triple: &'static str,
    /// GNU's linker for it, if it needs one.
    linker: Option<&'static str>,
    /// The command that runs its programs, in the root.
    emulator: &'static str,
    commands: [&'static str; 2],
    needs: &'static [Need],
    /// Set if the checks test it.
    pub(crate) is_usual: bool,
}

/// A target by what differs: its short name, its triple, GNU's, QEMU's and Debian's names of the processor, and whether
/// the checks test it.
macro_rules! linux {
    ($name:literal, $triple:literal, $gnu:literal, $qemu:literal, $debian:literal, $is_usual:literal) => {
        Target {
            name: $name,
            triple: $triple,
            linker: Some(concat!($gnu, "-gcc")),
            emulator: concat!("qemu-", $qemu, " -L /usr/", $gnu),
            commands: [KERNELS, GOLDEN],
            needs: &[
                (concat!("qemu-", $qemu), "qemu-user"),
                (concat!($gnu, "-gcc"), concat!("gcc-", $gnu)),
                (
                    concat!("/usr/", $gnu, "/lib/libc.so"),
                    concat!("libc6-dev-", $debian, "-cross"),
                ),
            ],
            is_usual: $is_usual,
        }
    };
}

/// WebAssembly, whose programs see files and no threads. Files of tables and of Parquet are not read there.
const WASI: Target = Target {
    name: "wasm32",
    triple: "wasm32-wasip1",
    linker: None,
    // Node.js 20 crashes at the end of programs that had much memory.
    emulator: "python3 xtask/src/wasi.py",
    commands: [
        KERNELS,
        "--package filter-policy --package membership-filters --test all",
    ],
    needs: &[PYTHON[0], PYTHON[1]],
    is_usual: true,
};

/// Arm with NEON, the other order of bytes, WebAssembly, and 32 bits.
#[rustfmt::skip]
const TARGETS: [Target; 4] = [
    linux!("aarch64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "aarch64", "arm64", true),
    linux!("s390x", "s390x-unknown-linux-gnu", "s390x-linux-gnu", "s390x", "s390x", true),
    WASI,
    linux!("i686", "i686-unknown-linux-gnu", "i686-linux-gnu", "i386", "i386", false),
];

/// Returns the targets that are tested by default.
pub(crate) fn usual() -> Vec<&'static Target> {
    TARGETS.iter().filter(|target| target.is_usual).collect()
}

/// Finds a target by name or triple.
pub(crate) fn find(name: &str) -> Result<&'static Target, String> {
    let is_it = |target: &&Target| target.name == name || target.triple == name;
    TARGETS.iter().find(is_it).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("must be one of {}", names.join(", "))
    })
}

/// Returns the system's programs and files that these targets need.
pub(crate) fn needs(targets: &[&Target]) -> Vec<Need> {
    let mut needs: Vec<Need> = targets.iter().flat_map(|target| target.needs).copied().collect();
    needs.dedup();
    needs
}

/// Checks that everything is installed; with `install`, installs missing parts first, for which `command` is suggested.
///
/// # Errors
///
/// If something is missing; the message lists it.
pub(crate) fn require(targets: &[&Target], install: bool, command: &str) -> Result<(), String> {
    needs::require(&needs(targets), install, command)?;
    if targets.iter().any(|target| target.linker.is_none()) {
        needs::require_python(&steps::root(), &[TOOLS], install, command)?;
    }
    let folder = |target: &Target| {
        output_of(Command::new("rustc").args(["--print", "target-libdir", "--target", target.triple]))
    };
    for target in targets {
        let folder = String::from_utf8_lossy(&folder(target)?).into_owned();
        let is_there = Path::new(folder.trim()).is_dir();
        needs::require_of_rustup(["target", target.triple], is_there, install, command)?;
    }
    Ok(())
}

/// The programs of each command: every kernel against the definitions, beside guard pages, and
/// golden data, of which hash functions have the known answers. `cfg(emulated)` leaves out tests that do not depend on
/// the processor.
const KERNELS: &str = "--package hashzoo --package filter-policy --lib --test golden";
const GOLDEN: &str = "--package filter-policy --package filter-tables --package filter-parquet --package membership-filters \
     --features filter-tables/snappy,filter-tables/xxhash --test all";

/// Tests the libraries on a target.
pub(crate) fn test(root: &Path, target: &Target) -> Result<(), String> {
    let triple = target.triple;
    // Cargo runs programs in the folders of their packages.
    let emulator = (target.emulator).replace("xtask/", &format!("{}/xtask/", root.display()));
    for programs in target.commands {
        let mut cargo = cargo_command(root, &["test", "--target", triple]);
        // Compiled quickly. Packages that run long in an emulator have their own optimisation settings.
        cargo.args(words(programs)).args(words(
            "--config profile.dev.opt-level=0 --config profile.dev.debug=0",
        ));
        if let Some(linker) = target.linker {
            cargo.args(["--config", &format!("target.{triple}.linker={linker:?}")]);
        }
        cargo.args(["--config", &format!("target.{triple}.runner={emulator:?}")]);
        cargo.env("PYTHONPATH", needs::target(root).join(TOOLS.0));
        run_command(cargo.env("RUSTFLAGS", "--cfg emulated"))?;
    }
    Ok(())
}

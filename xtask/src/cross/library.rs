//! The standard library of a target: from rustup if its server is reachable, or else built from its sources by Debian's
//! compiler.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Target;
use crate::cargo::{cargo_command, output_of, run_command};
use crate::failure::Failure;
use crate::programs;
use xtask::Need;

/// Debian's compiler, and the sources of its standard library.
const DEBIAN: [Need; 2] = [
    ("/usr/bin/rustc", "rustc-web"),
    ("/usr/lib/rustlib/src/rust/library/Cargo.lock", "rust-web-src"),
];

/// Returns a cargo command with the compiler of the target's library; `None` if something must be installed first. Debian's
/// compiler builds the library first, and has a separate target folder.
pub(super) fn cargo(root: &Path, target: &Target, command: &str) -> Option<Command> {
    let mut cargo = cargo_command(root, &[command]);
    if !is_in_toolchain(target) {
        let [(compiler, _), _] = DEBIAN;
        cargo
            .args(["-Zbuild-std", "--target-dir", "target/cross"])
            .env("RUSTC", compiler)
            .env("RUSTC_BOOTSTRAP", "1");
    }
    is_there(target).then_some(cargo)
}

fn is_there(target: &Target) -> bool {
    is_in_toolchain(target) || xtask::missing(&DEBIAN).is_empty()
}

fn is_in_toolchain(target: &Target) -> bool {
    let mut compiler = Command::new("rustc");
    compiler.args(["--print", "target-libdir", "--target", target.triple]);
    let folder = output_of(&mut compiler).unwrap_or_default();
    let folder = String::from_utf8_lossy(&folder);
    !folder.is_empty() && Path::new(folder.trim()).is_dir()
}

pub(super) fn require(target: &Target, install: bool) -> Result<(), Failure> {
    if is_there(target) {
        return Ok(());
    }
    if !install {
        return Err(Failure::input(format!(
            "missing: Rust's standard library for {}; run `cargo xtask cross --install {}`",
            target.triple, target.name
        )));
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target.triple]).stdin(Stdio::null());
    match run_command(&mut rustup) {
        Ok(()) => Ok(()),
        Err(_) => programs::require(&DEBIAN, true, "cross"),
    }
}

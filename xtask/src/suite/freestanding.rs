//! Checks that the program that proves `no_std` builds, runs, and has no allocator.

use std::path::Path;
use std::process::Command;

use super::lint;
use crate::cargo::{cargo_command, output_of, run_command};

/// The manifest, which is a workspace of its own.
const MANIFEST: &str = "crates/filter-formats/freestanding/Cargo.toml";

/// C functions that allocate.
const C_ALLOCATORS: &str = "malloc calloc realloc free aligned_alloc posix_memalign";

/// Parts of symbols of Rust's allocator, valid with any name mangling.
const RUST_ALLOCATORS: [&str; 4] = ["__rust_alloc", "__rust_realloc", "__rdl_", "__rg_"];

/// Lints, builds and runs the program, and checks its symbols.
pub(super) fn check(root: &Path) -> Result<(), String> {
    let place = ["--release", "--locked", "--manifest-path", MANIFEST];
    lint(root, &place)?;
    let build = [
        &["build"],
        &place[..],
        &["--message-format", "json-render-diagnostics"],
    ]
    .concat();
    let messages = output_of(&mut cargo_command(root, &build))?;
    let program = executable(&messages).ok_or("cargo built no program")?;
    run_command(&mut Command::new(&program))?;
    let symbols = output_of(Command::new("nm").args(["--format=posix", &program]))?;
    let found = allocators(&String::from_utf8_lossy(&symbols));
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("{program} holds an allocator: {}", found.join(", ")))
    }
}

/// Returns the path of the program, from cargo's messages.
fn executable(messages: &[u8]) -> Option<String> {
    String::from_utf8_lossy(messages).lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(message["executable"].as_str()?.to_owned())
    })
}

/// Returns the allocating symbols in the output of `nm --format=posix`, whose lines begin with the name.
fn allocators(symbols: &str) -> Vec<String> {
    symbols
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|symbol| {
            // glibc's symbols carry their version: malloc@GLIBC_2.2.5.
            let name = symbol.split('@').next().unwrap_or(symbol);
            C_ALLOCATORS.split(' ').any(|one| one == name)
                || RUST_ALLOCATORS.iter().any(|part| name.contains(part))
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocators_are_told_from_their_neighbours() {
        let symbols = "main T 1139 10\nmemcpy@GLIBC_2.14 U\nfreestanding_main T 1150 8\n\
                       malloc@GLIBC_2.2.5 U\nfree U\n_RNvCs7_7___rustc12___rust_alloc t 1160 8\n__rdl_alloc T 1170 8\n";
        assert_eq!(
            allocators(symbols),
            [
                "malloc@GLIBC_2.2.5",
                "free",
                "_RNvCs7_7___rustc12___rust_alloc",
                "__rdl_alloc"
            ]
        );
    }

    #[test]
    fn the_program_is_the_one_that_cargo_names() {
        let messages = b"{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
                         {\"reason\":\"compiler-artifact\",\"executable\":\"target/release/a\"}\n";
        assert_eq!(executable(messages).as_deref(), Some("target/release/a"));
        assert_eq!(executable(b"{\"reason\":\"build-finished\"}\n"), None);
    }
}

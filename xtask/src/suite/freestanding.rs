//! Checks that the program that proves `no_std` builds, runs, and has no allocator.

use std::path::Path;
use std::process::Command;

use super::lints;
use crate::cargo::{cargo, output_of, run_command, words};

/// The arguments of cargo for the program, which is a workspace of its own, and the program that cargo builds.
const PLACE: &str = "--release --locked --target-dir target/freestanding \
                     --manifest-path crates/filter-formats/freestanding/Cargo.toml";
const PROGRAM: &str = "target/freestanding/release/filter-policy-freestanding";

/// C functions that allocate.
const C_ALLOCATORS: &str = "malloc calloc realloc free aligned_alloc posix_memalign";

/// Parts of symbols of Rust's allocator, valid with any name mangling.
const RUST_ALLOCATORS: [&str; 4] = ["__rust_alloc", "__rust_realloc", "__rdl_", "__rg_"];

/// Lints, builds and runs the program, and checks its symbols.
pub(super) fn check(root: &Path) -> Result<(), String> {
    lints::check(root, &words(PLACE))?;
    cargo(root, &[&["build"], &words(PLACE)[..]].concat())?;
    let program = root.join(PROGRAM);
    run_command(&mut Command::new(&program))?;
    let symbols = output_of(Command::new("nm").arg("--format=posix").arg(&program))?;
    let found = allocators(&String::from_utf8_lossy(&symbols));
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("{PROGRAM} holds an allocator: {}", found.join(", ")))
    }
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
}

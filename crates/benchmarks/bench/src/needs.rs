//! Checks the system for programs, files and headers that benchmarks need.

use std::process::{Command, Stdio};

use records::failure::Failure;

/// A program on the path, a file, or a header that the C++ compiler finds; and the Debian package that provides it.
pub(crate) type Need = (&'static str, &'static str);

fn is_header(name: &str) -> bool {
    name.ends_with(".h")
}

fn is_met(name: &str) -> bool {
    if is_header(name) {
        let mut compiler = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
        compiler.args(["-fsyntax-only", "-include", name, "-x", "c++", "-"]);
        compiler
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        return compiler.status().is_ok_and(|status| status.success());
    }
    // The path of a file is absolute, so `join` returns it unchanged for any folder.
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Checks that all needs are met.
///
/// # Errors
///
/// If something is missing; the message lists it and says how to install it.
pub(crate) fn require(needs: &[Need]) -> Result<(), Failure> {
    let missing: Vec<Need> = needs.iter().copied().filter(|(name, _)| !is_met(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let named = missing
        .iter()
        .map(|(name, package)| format!("{name} (package {package})"));
    let mut packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    if missing.iter().any(|(name, _)| is_header(name)) {
        packages.insert(0, "g++");
    }
    Err(Failure::Input(format!(
        "missing: {}; run `apt-get install {}`",
        named.collect::<Vec<_>>().join(", "),
        packages.join(" ")
    )))
}

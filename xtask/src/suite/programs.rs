//! System programs that the suite needs, and the Debian packages that bring them.

use std::path::Path;
use std::process::Command;

use super::run_command;
use crate::failure::Failure;

/// A program, and the package that brings it.
struct Program {
    name: &'static str,
    package: &'static str,
}

/// In the order of their names.
const PROGRAMS: [Program; 2] = [
    Program {
        name: "cc",
        package: "gcc",
    },
    Program {
        name: "nm",
        package: "binutils",
    },
];

/// Checks that all are there, after installing what is missing if `install` says so.
///
/// # Errors
///
/// [`Failure::Input`] with the list when something is missing and not to be installed.
pub(crate) fn require(install: bool) -> Result<(), Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let there = |program: &Program| {
        folders
            .iter()
            .any(|folder| is_program(&folder.join(program.name)))
    };
    let missing: Vec<&Program> = PROGRAMS.iter().filter(|program| !there(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !install {
        return Err(Failure::Input(complaint(&missing)));
    }
    let sudo = !is_root() && folders.iter().any(|folder| is_program(&folder.join("sudo")));
    // Through `env`, since sudo keeps no variables.
    let apt: Vec<&str> = if sudo { vec!["sudo", "env"] } else { vec!["env"] };
    let apt = [apt, vec!["DEBIAN_FRONTEND=noninteractive", "apt-get"]].concat();
    for arguments in [
        vec!["update"],
        [vec!["install", "--yes"], packages(&missing)].concat(),
    ] {
        let words = [apt.clone(), arguments].concat();
        run_command(Command::new(words[0]).args(&words[1..])).map_err(Failure::Internal)?;
    }
    let missing: Vec<&Program> = PROGRAMS.iter().filter(|program| !there(program)).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Failure::Internal(complaint(&missing)))
    }
}

fn packages(missing: &[&Program]) -> Vec<&'static str> {
    let mut packages: Vec<_> = missing.iter().map(|program| program.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn complaint(missing: &[&Program]) -> String {
    let names: Vec<String> = missing
        .iter()
        .map(|program| format!("{} (package {})", program.name, program.package))
        .collect();
    format!(
        "missing: {}; run `cargo xtask test --install`, or `apt-get install {}`",
        names.join(", "),
        packages(missing).join(" ")
    )
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Whether this process is root's; where there is no such thing, it is not.
#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_says_what_to_install() {
        let [cc, nm] = &PROGRAMS;
        assert_eq!(
            complaint(&[cc, nm]),
            "missing: cc (package gcc), nm (package binutils); \
             run `cargo xtask test --install`, or `apt-get install binutils gcc`"
        );
    }
}

//! What the suite needs from the system, and where it comes from.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::run_command;
use crate::failure::Failure;

/// Something that must be there.
struct Need {
    /// How people know it.
    name: &'static str,
    source: Source,
    /// Whether it is there.
    probe: Probe,
}

/// What brings it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A package of Debian.
    Debian(&'static str),
    /// A component of the Rust toolchain.
    Rustup(&'static str),
}

enum Probe {
    /// A program on the path.
    Program,
    /// A header that the C compiler finds.
    Header,
    /// A file of this path.
    File,
    /// A command of cargo's.
    Cargo(&'static str),
}

/// In the order in which a probe may need those before it.
const NEEDS: [Need; 14] = [
    Need {
        name: "cargo fmt",
        source: Source::Rustup("rustfmt"),
        probe: Probe::Cargo("fmt"),
    },
    Need {
        name: "cargo clippy",
        source: Source::Rustup("clippy"),
        probe: Probe::Cargo("clippy"),
    },
    Need {
        name: "cc",
        source: Source::Debian("gcc"),
        probe: Probe::Program,
    },
    Need {
        name: "c++",
        source: Source::Debian("g++"),
        probe: Probe::Program,
    },
    Need {
        name: "nm",
        source: Source::Debian("binutils"),
        probe: Probe::Program,
    },
    Need {
        name: "leveldb/c.h",
        source: Source::Debian("libleveldb-dev"),
        probe: Probe::Header,
    },
    Need {
        name: "rocksdb/c.h",
        source: Source::Debian("librocksdb-dev"),
        probe: Probe::Header,
    },
    Need {
        name: "redis-server",
        source: Source::Debian("redis-server"),
        probe: Probe::Program,
    },
    Need {
        name: "redis-benchmark",
        source: Source::Debian("redis-tools"),
        probe: Probe::Program,
    },
    Need {
        name: "valgrind",
        source: Source::Debian("valgrind"),
        probe: Probe::Program,
    },
    Need {
        name: "chromium",
        source: Source::Debian("chromium"),
        probe: Probe::Program,
    },
    Need {
        name: "java",
        source: Source::Debian("default-jre-headless"),
        probe: Probe::Program,
    },
    Need {
        name: "javac",
        source: Source::Debian("default-jdk-headless"),
        probe: Probe::Program,
    },
    Need {
        name: "/usr/share/java/guava.jar",
        source: Source::Debian("libguava-java"),
        probe: Probe::File,
    },
];

impl Need {
    fn is_met(&self, path: &[PathBuf]) -> bool {
        match self.probe {
            Probe::Program => path.iter().any(|folder| is_program(&folder.join(self.name))),
            Probe::Header => has_header(self.name),
            Probe::File => Path::new(self.name).is_file(),
            Probe::Cargo(command) => succeeds(
                Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
                    .args([command, "--version"]),
            ),
        }
    }
}

/// Whether the C compiler finds a header of this name.
fn has_header(name: &str) -> bool {
    // `-include` reads the header as if the empty program had named it.
    succeeds(Command::new("cc").args(["-fsyntax-only", "-include", name, "-x", "c", "/dev/null"]))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The [`NEEDS`] of what runs Guava, by name.
pub(crate) const JAVA: [&str; 3] = ["java", "javac", "/usr/share/java/guava.jar"];

/// The [`NEEDS`] of what measures Redis, by name.
pub(crate) const REDIS: [&str; 2] = ["redis-server", "redis-benchmark"];

/// Checks that those of these names are there.
///
/// # Errors
///
/// [`Failure::Input`] with the list when something is missing.
pub(crate) fn require_these(names: &[&str]) -> Result<(), Failure> {
    let path = path();
    let missing: Vec<&Need> = NEEDS
        .iter()
        .filter(|need| names.contains(&need.name) && !need.is_met(&path))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Failure::Input(complaint(&missing)))
    }
}

/// The folders in which programs are looked for.
fn path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Checks that all are there, after installing what is missing if `install` says so.
///
/// # Errors
///
/// [`Failure::Input`] with the list when something is missing and not to be installed.
pub(crate) fn require(install: bool) -> Result<(), Failure> {
    let path = path();
    let missing = || -> Vec<&Need> { NEEDS.iter().filter(|need| !need.is_met(&path)).collect() };
    let before = missing();
    if before.is_empty() {
        return Ok(());
    }
    if !install {
        return Err(Failure::Input(complaint(&before)));
    }
    let (packages, components) = (packages(&before), components(&before));
    if !packages.is_empty() {
        let sudo = !is_root() && path.iter().any(|folder| is_program(&folder.join("sudo")));
        // Through `env`, since sudo keeps no variables.
        let apt: Vec<&str> = if sudo { vec!["sudo", "env"] } else { vec!["env"] };
        let apt = [apt, vec!["DEBIAN_FRONTEND=noninteractive", "apt-get"]].concat();
        for arguments in [vec!["update"], [vec!["install", "--yes"], packages].concat()] {
            let words = [apt.clone(), arguments].concat();
            run_command(Command::new(words[0]).args(&words[1..])).map_err(Failure::Internal)?;
        }
    }
    if !components.is_empty() {
        let mut rustup = Command::new("rustup");
        run_command(rustup.args(["component", "add"]).args(components)).map_err(Failure::Internal)?;
    }
    let after = missing();
    if after.is_empty() {
        Ok(())
    } else {
        Err(Failure::Internal(complaint(&after)))
    }
}

fn packages(missing: &[&Need]) -> Vec<&'static str> {
    let of = |need: &&Need| match need.source {
        Source::Debian(package) => Some(package),
        Source::Rustup(_) => None,
    };
    missing.iter().filter_map(of).collect()
}

fn components(missing: &[&Need]) -> Vec<&'static str> {
    let of = |need: &&Need| match need.source {
        Source::Debian(_) => None,
        Source::Rustup(component) => Some(component),
    };
    missing.iter().filter_map(of).collect()
}

fn complaint(missing: &[&Need]) -> String {
    let names: Vec<String> = missing
        .iter()
        .map(|need| match need.source {
            Source::Debian(package) => format!("{} (package {package})", need.name),
            Source::Rustup(component) => format!("{} (component {component})", need.name),
        })
        .collect();
    let mut by_hand = Vec::new();
    for (command, words) in [
        ("apt-get install", packages(missing)),
        ("rustup component add", components(missing)),
    ] {
        if !words.is_empty() {
            by_hand.push(format!("`{command} {}`", words.join(" ")));
        }
    }
    format!(
        "missing: {}; run `cargo xtask test --install`, or {}",
        names.join(", "),
        by_hand.join(" and ")
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
        let named = |name: &str| NEEDS.iter().find(|need| need.name == name).unwrap();
        assert_eq!(
            complaint(&[named("nm"), named("leveldb/c.h")]),
            "missing: nm (package binutils), leveldb/c.h (package libleveldb-dev); \
             run `cargo xtask test --install`, or `apt-get install binutils libleveldb-dev`"
        );
        assert_eq!(
            complaint(&[named("cargo clippy"), named("cc")]),
            "missing: cargo clippy (component clippy), cc (package gcc); \
             run `cargo xtask test --install`, or `apt-get install gcc` and `rustup component add clippy`"
        );
    }

    #[test]
    fn names_that_are_asked_for_are_there() {
        for name in JAVA.into_iter().chain(REDIS) {
            assert!(NEEDS.iter().any(|need| need.name == name), "{name}");
        }
    }

    #[test]
    fn probes_tell_what_is_there() {
        assert!(has_header("stdio.h"));
        assert!(!has_header("no/such/header.h"));
        let is_met = |name, probe| {
            let need = Need {
                name,
                source: Source::Debian("none"),
                probe,
            };
            need.is_met(&[PathBuf::from("/usr/bin")])
        };
        assert!(!is_met("no-such-program", Probe::Program));
        assert!(is_met(
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            Probe::File
        ));
        assert!(!is_met("/no/such/file.jar", Probe::File));
    }
}

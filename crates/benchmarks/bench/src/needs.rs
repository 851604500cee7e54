//! Lists what the benchmark programs need from the system.

use std::path::Path;
use std::process::{Command, Stdio};

use filter_tools::failure::Failure;

/// Something that must be there, with the package of Debian that brings it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Need {
    /// A program on the path.
    Program(&'static str, &'static str),
    /// A file of this path.
    File(&'static str, &'static str),
    /// A header that the C++ compiler finds.
    Header(&'static str, &'static str),
}

impl Need {
    const fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Program(name, package) | Self::File(name, package) | Self::Header(name, package) => {
                (name, package)
            }
        }
    }

    fn is_met(self) -> bool {
        match self {
            Self::Program(name, _) => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
            }
            Self::File(path, _) => Path::new(path).is_file(),
            Self::Header(name, _) => {
                let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
                Command::new(compiler)
                    .args(["-fsyntax-only", "-include", name, "-x", "c++", "-"])
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()
                    .is_ok_and(|status| status.success())
            }
        }
    }
}

/// Checks that all are there.
///
/// # Errors
///
/// With the list of what is missing, and how to install it.
pub(crate) fn require(needs: &[Need]) -> Result<(), Failure> {
    let missing: Vec<Need> = needs.iter().copied().filter(|need| !need.is_met()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let named = missing.iter().map(|need| {
        let (name, package) = need.parts();
        format!("{name} (package {package})")
    });
    let mut packages: Vec<&str> = missing.iter().map(|need| need.parts().1).collect();
    if missing.iter().any(|need| matches!(need, Need::Header(..))) {
        packages.insert(0, "g++");
    }
    Err(Failure::Input(format!(
        "missing: {}; run `apt-get install {}`",
        named.collect::<Vec<_>>().join(", "),
        packages.join(" ")
    )))
}

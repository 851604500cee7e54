//! `cargo xtask cross`: the libraries' tests on other processors.

use std::io::{self, Write as _};

use crate::cross::{self, Target};
use crate::failure::Failure;
use crate::workspace;

/// Test the libraries on other processors.
///
/// For each target, compiles the unit tests and the tests on golden data of the crates of filters and hash functions, and
/// runs them in QEMU. The standard library comes from rustup, or is built by Debian's compiler if rustup has no server.
#[derive(Debug, clap::Args)]
#[command(after_help = "Targets: aarch64, s390x (big-endian), i686 (32 bits)\n\n\
        Examples:\n  cargo xtask cross --install\n  cargo xtask cross i686")]
pub(crate) struct Arguments {
    /// The targets to test, by short name or triple [default: aarch64 and s390x]
    #[arg(value_name = "TARGET", value_parser = cross::find)]
    targets: Vec<&'static Target>,
    /// Install missing emulators, linkers and standard libraries first (Debian and its relatives)
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let targets = match &arguments.targets[..] {
        [] => cross::usual(),
        targets => targets.to_vec(),
    };
    cross::require(&targets, arguments.install)?;
    for target in targets {
        writeln!(io::stdout(), "\n==> {}", target.triple)?;
        cross::test(&workspace::root(), target).map_err(Failure::internal)?;
    }
    Ok(())
}

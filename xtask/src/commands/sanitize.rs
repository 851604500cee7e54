//! `cargo xtask sanitize`: tests under AddressSanitizer and ThreadSanitizer.

use std::io::{self, Write as _};

use clap::ValueEnum as _;

use crate::failure::Failure;
use crate::sanitize::{self, Sanitizer};
use crate::workspace;

/// Run tests under AddressSanitizer and ThreadSanitizer.
///
/// AddressSanitizer watches the C interface, called from Rust and from C and C++ programs with LevelDB. ThreadSanitizer
/// watches the concurrent filter, parallel builds, and filters that are replaced while threads use them; the standard
/// library is compiled for it from its sources, a component of rustup.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask sanitize --install\n  cargo xtask sanitize address")]
pub(crate) struct Arguments {
    /// The sanitizers to run [default: all]
    #[arg(value_enum, value_name = "SANITIZER")]
    sanitizers: Vec<Sanitizer>,
    /// Install the sources of the standard library first if they are missing
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let sanitizers = match &arguments.sanitizers[..] {
        [] => Sanitizer::value_variants(),
        sanitizers => sanitizers,
    };
    sanitize::require(sanitizers, arguments.install)?;
    for &sanitizer in sanitizers {
        writeln!(io::stdout(), "\n==> {sanitizer:?}Sanitizer")?;
        sanitize::test(&workspace::root(), sanitizer).map_err(Failure::internal)?;
    }
    Ok(())
}

//! `cargo xtask test`: does everything work here?

use std::path::Path;

use crate::cargo::{JAVA, cargo_command, run_command, words};
use crate::needs::{self, LIBRARIES, Need, TOOLS};
use crate::{guides, python, steps};

/// Build all packages with their tests, and run these on the real systems
///
/// Runs every test of every package, with storage engines, servers of Redis, Java, Spark and a browser, the tests of the
/// documentation, those of the package for Python with the libraries that it reads, those of the comparison as pip installs
/// it, those of files for other readers, and the guides. Without --install it fails at once if a program that it needs is
/// missing, and lists what is missing. `cargo xtask check` has what a change must pass besides.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask test --install\n\n\
        The tests of one package are quick: `cargo test -p PACKAGE`.")]
pub(crate) struct Arguments {
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let needs: Vec<Need> = needs::of_tests();
    needs::require(&needs, arguments.install, "test")?;
    let packages = [TOOLS, LIBRARIES];
    needs::require_python(&steps::root(), &packages, arguments.install, "test")?;
    // The guides use the wheel.
    steps::run(&[
        ("tests", tests),
        ("python", python::test),
        ("readers", python::test_readers),
        ("guides", guides::follow),
    ])?;
    for kernel in kernels_not_tested() {
        println!("not tested: the kernel {kernel}, which this processor lacks");
    }
    Ok(())
}

/// Runs all tests, also those that are ignored because they need a system package.
fn tests(root: &Path) -> Result<(), String> {
    let arguments = words("test --workspace --all-features --locked -- --include-ignored");
    run_command(cargo_command(root, &arguments).envs([JAVA]))
}

/// Returns the kernels that the tests skip here because the processor, or its virtual machine, lacks the instructions.
/// NEON is tested in an emulator, which has neither of these.
fn kernels_not_tested() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::is_x86_feature_detected!("avx2")),
        (
            "avx512",
            std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl"),
        ),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found = [("avx2", false), ("avx512", false)];
    let lacking = found.into_iter().filter(|&(_, found)| !found);
    lacking.map(|(kernel, _)| kernel).collect()
}

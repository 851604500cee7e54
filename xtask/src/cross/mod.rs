//! Runs the libraries' tests on other processors, in emulators.

mod library;

use std::path::Path;

use self::library::Library;
use crate::binaries::Binaries;
use crate::cargo::words;
use crate::failure::Failure;
use crate::programs::{self, Need};

/// A processor and its emulator.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) triple: &'static str,
    linker: Option<&'static str>,
    /// The command that runs its programs. A word that ends with `.mjs` is a file in this folder.
    emulator: &'static str,
    needs: &'static [Need],
    /// Set if `filter-kernels` has a kernel for it.
    has_kernel: bool,
    /// Set if the suite tests it.
    pub(crate) is_usual: bool,
}

const QEMU: &str = "qemu-user";

pub(crate) const TARGETS: [Target; 6] = [
    Target {
        name: "aarch64",
        triple: "aarch64-unknown-linux-gnu",
        linker: Some("aarch64-linux-gnu-gcc"),
        emulator: "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        needs: &[
            ("qemu-aarch64", QEMU),
            ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
            ("/usr/aarch64-linux-gnu/lib/libc.so", "libc6-dev-arm64-cross"),
        ],
        has_kernel: true,
        is_usual: true,
    },
    Target {
        name: "s390x",
        triple: "s390x-unknown-linux-gnu",
        linker: Some("s390x-linux-gnu-gcc"),
        emulator: "qemu-s390x -L /usr/s390x-linux-gnu",
        needs: &[
            ("qemu-s390x", QEMU),
            ("s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu"),
            ("/usr/s390x-linux-gnu/lib/libc.so", "libc6-dev-s390x-cross"),
        ],
        has_kernel: false,
        is_usual: true,
    },
    Target {
        name: "i686",
        triple: "i686-unknown-linux-gnu",
        linker: Some("i686-linux-gnu-gcc"),
        emulator: "qemu-i386 -L /usr/i686-linux-gnu",
        needs: &[
            ("qemu-i386", QEMU),
            ("i686-linux-gnu-gcc", "gcc-i686-linux-gnu"),
            ("/usr/i686-linux-gnu/lib/libc.so", "libc6-dev-i386-cross"),
        ],
        has_kernel: false,
        is_usual: false,
    },
    Target {
        name: "armv7",
        triple: "armv7-unknown-linux-gnueabihf",
        linker: Some("arm-linux-gnueabihf-gcc"),
        emulator: "qemu-arm -L /usr/arm-linux-gnueabihf",
        needs: &[
            ("qemu-arm", QEMU),
            ("arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf"),
            ("/usr/arm-linux-gnueabihf/lib/libc.so", "libc6-dev-armhf-cross"),
        ],
        has_kernel: false,
        is_usual: false,
    },
    Target {
        name: "riscv64gc",
        triple: "riscv64gc-unknown-linux-gnu",
        linker: Some("riscv64-linux-gnu-gcc"),
        emulator: "qemu-riscv64 -L /usr/riscv64-linux-gnu",
        needs: &[
            ("qemu-riscv64", QEMU),
            ("riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu"),
            ("/usr/riscv64-linux-gnu/lib/libc.so", "libc6-dev-riscv64-cross"),
        ],
        has_kernel: false,
        is_usual: false,
    },
    Target {
        name: "wasm32",
        triple: "wasm32-wasip1",
        linker: None,
        emulator: "node --no-warnings wasi.mjs",
        needs: &[("node", "nodejs")],
        has_kernel: false,
        is_usual: false,
    },
];

/// Returns the targets that are tested by default.
pub(crate) fn usual() -> Vec<&'static Target> {
    TARGETS.iter().filter(|target| target.is_usual).collect()
}

/// Finds a target by name or triple.
pub(crate) fn find(name: &str) -> Result<&'static Target, String> {
    let is_it = |target: &&Target| target.name == name || target.triple == name;
    TARGETS.iter().find(is_it).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("must be one of {}", names.join(", "))
    })
}

/// Returns the system's programs and files that these targets need.
pub(crate) fn needs(targets: &[&Target]) -> Vec<Need> {
    let mut needs = targets
        .iter()
        .flat_map(|target| target.needs)
        .copied()
        .collect::<Vec<_>>();
    needs.dedup();
    needs
}

/// Checks that everything is installed; with `install`, installs missing parts first.
///
/// # Errors
///
/// If something is missing; the message lists it.
pub(crate) fn require(targets: &[&Target], install: bool) -> Result<(), Failure> {
    programs::require(&needs(targets), install, "cross")?;
    targets
        .iter()
        .try_for_each(|target| library::require(target, install))
}

/// Tests for other processors.
struct Tests {
    /// Cargo's selection.
    selection: &'static str,
    /// The arguments of the test programs called `all`: of a target without kernels, and what another has too.
    all: [&'static str; 2],
    /// The arguments of other test programs.
    others: &'static str,
}

/// Unit tests, guard pages, golden data, and every kernel against the definitions. Property tests of thousands of
/// random cases would take hours in an emulator and do not depend on the processor; neither do the three skipped
/// searches of sizes, which take ten times as long as all other tests.
const LIBRARIES: Tests = Tests {
    selection: "--package hashzoo --package filter-kernels --package filter-policy --package filter-formats \
                --package filter-tables --package guava-bloom --package membership-filters \
                --features filter-tables/snappy,filter-tables/xxhash \
                --lib --test golden --test guard_pages --test all",
    all: ["golden_ policies:: format:: stored::", " kernels::"],
    others: "--skip the_bits_per_key_found --skip rates_beyond_the_format --skip searches_in_the_newer",
};

/// The tests of the reader of the comparison's records.
const RECORDS: Tests = Tests {
    selection: "--package records --package hash-comparison --lib",
    all: ["", ""],
    others: "table:: record::",
};

/// Tests the libraries and the reader of records on a target.
pub(crate) fn test(root: &Path, target: &Target) -> Result<(), String> {
    test_libraries(root, target)?;
    // The comparison needs an operating system, which WebAssembly lacks.
    match target.linker {
        Some(_) => run(root, target, &RECORDS),
        None => Ok(()),
    }
}

/// Tests only the libraries on a target, in a quarter of the time.
pub(crate) fn test_libraries(root: &Path, target: &Target) -> Result<(), String> {
    run(root, target, &LIBRARIES)
}

fn run(root: &Path, target: &Target, tests: &Tests) -> Result<(), String> {
    let library = Library::of(target).ok_or("its standard library is missing")?;
    let mut cargo = library.cargo(root, "test");
    cargo
        .args(["--target", target.triple])
        .args(words(tests.selection));
    // Compiled quickly. Packages that run long in an emulator have their own optimisation settings.
    cargo.args(words(
        "--config profile.dev.opt-level=0 --config profile.dev.debug=0",
    ));
    if let Some(linker) = target.linker {
        cargo.args([
            "--config".to_owned(),
            format!("target.{}.linker={linker:?}", target.triple),
        ]);
    }
    let [every, with_kernel] = tests.all;
    let all = if target.has_kernel {
        format!("{every}{with_kernel}")
    } else {
        every.to_owned()
    };
    Binaries::built_by(&mut cargo, emulator(root, target))?.run(
        |binary| Some(words(if binary.name == "all" { &all } else { tests.others })),
        &[],
    )
}

/// Returns the words of the emulator's command.
fn emulator(root: &Path, target: &Target) -> Vec<String> {
    let folder = root.join("xtask/src/cross");
    let word = |word: &str| match word.ends_with(".mjs") {
        true => folder.join(word).display().to_string(),
        false => word.to_owned(),
    };
    words(target.emulator).into_iter().map(word).collect()
}

//! Hands the facts of the build to `environment.rs`.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC");
    println!("cargo::rerun-if-env-changed=RUSTFLAGS");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");

    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // A compiler that does not report its version leaves the field empty; the build itself decides whether it works.
    let rustc = Command::new(variable("RUSTC"))
        .arg("--version")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    // Cargo separates the flags by the byte 0x1f, so that a flag may hold spaces.
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=HARNESS_RUSTC={rustc}");
    println!("cargo::rustc-env=HARNESS_RUSTFLAGS={flags}");
    println!("cargo::rustc-env=HARNESS_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=HARNESS_OPT_LEVEL={}", variable("OPT_LEVEL"));
}

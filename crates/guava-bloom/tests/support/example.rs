//! Examples as programs that tests run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program of an example as it is now, built by the cargo that runs this test.
pub(crate) fn program(example: &str) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--package", "guava-bloom", "--example", example])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .find_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            Some(message["executable"].as_str()?.into())
        })
        .unwrap()
}

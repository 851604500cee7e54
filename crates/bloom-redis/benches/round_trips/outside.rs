//! `redis-benchmark`.

use std::process::{Command, Stdio};

/// Commands that it sends.
pub(crate) struct Load<'a> {
    pub(crate) port: u16,
    pub(crate) command: &'a [&'a str],
    /// Commands that are sent together.
    pub(crate) pipeline: usize,
    /// Commands in all, a multiple of `pipeline`.
    pub(crate) commands: usize,
}

/// Time that it says the commands took, nanoseconds.
///
/// # Errors
///
/// When there is no such program, it fails, or what it says is not understood.
pub(crate) fn run(load: &Load<'_>) -> Result<u64, String> {
    let output = Command::new("redis-benchmark")
        .args([
            "-h",
            "127.0.0.1",
            "-p",
            &load.port.to_string(),
            "-c",
            "1",
            "--csv",
        ])
        .args(["-P", &load.pipeline.to_string(), "-n", &load.commands.to_string()])
        .args(load.command)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("redis-benchmark: {error}; it is in the package redis-tools"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    // A header, then the command and its rate among the fields, all in quotes.
    let rate = said
        .lines()
        .last()
        .and_then(|line| line.split("\",\"").nth(1))
        .and_then(|field| field.parse::<f64>().ok())
        .filter(|&rate| output.status.success() && rate.is_finite() && rate > 0.0);
    match rate {
        Some(rate) => Ok((load.commands as f64 / rate * 1e9) as u64),
        None => Err(format!(
            "redis-benchmark: {}{said}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

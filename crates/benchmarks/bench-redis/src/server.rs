//! A server process on a free loopback port, and `redis-benchmark`.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The limit of the server's start, in steps.
const STEPS: u32 = 400;
const STEP: Duration = Duration::from_millis(25);

/// A running server without persistence. Dropping it stops the server.
pub(crate) struct Server {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts the server and waits until it answers.
    ///
    /// # Errors
    ///
    /// If the program is missing or does not answer.
    pub(crate) fn start() -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("redis-server: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        // The port is free now. A server that finds it taken does not answer.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        drop(listener);
        let child = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut server = Self {
            child,
            port,
            _folder: folder,
        };
        for _ in 0..STEPS {
            if redis::Client::open(server.url()).is_ok_and(|client| client.get_connection().is_ok()) {
                return Ok(server);
            }
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!("redis-server: {status}"));
            }
            sleep(STEP);
        }
        Err("redis-server: it does not answer".to_owned())
    }

    /// Returns the URL for clients.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Returns the port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `redis-benchmark`, which sends a number of commands, `pipeline` together, and returns its reported time in
/// nanoseconds.
///
/// # Errors
///
/// If the program is missing, fails, or prints something unexpected.
pub(crate) fn benchmark(
    port: u16,
    command: &[&str],
    commands: usize,
    pipeline: usize,
) -> Result<u64, String> {
    let output = Command::new("redis-benchmark")
        .args(["-h", "127.0.0.1", "-c", "1", "--csv", "-p", &port.to_string()])
        .args(["-P", &pipeline.to_string(), "-n", &commands.to_string()])
        .args(command)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("redis-benchmark: {error}; it is in the package redis-tools"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    // The output is a header and a line of quoted fields: the command, its rate and others.
    let rate = said
        .lines()
        .last()
        .and_then(|line| line.split("\",\"").nth(1))
        .and_then(|field| field.parse::<f64>().ok())
        .filter(|&rate| output.status.success() && rate.is_finite() && rate > 0.0);
    match rate {
        Some(rate) => Ok((commands as f64 / rate * 1e9) as u64),
        None => Err(format!(
            "redis-benchmark: {}{said}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

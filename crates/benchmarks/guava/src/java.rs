//! A Java program of ours on the class path with Guava: compiled, started and asked.

use std::fmt;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use tempfile::TempDir;

use crate::{Reply, Request};

/// Where Debian's `libguava-java` has Guava.
const JAR: &str = "/usr/share/java/guava.jar";
/// What installs everything.
const INSTALL: &str = "apt-get install default-jdk-headless libguava-java";

/// Why Java did not do what was asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum JavaError {
    /// A program or a file is not there, or cannot be used.
    Missing {
        /// Which.
        what: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program's source does not compile.
    Compiler(String),
    /// The pipes to the child process failed, as they do when it has ended.
    Pipe(io::Error),
    /// The request threw: class and message.
    Thrown(String),
}

impl fmt::Display for JavaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { what, source } => {
                write!(f, "{}: {source}; needed: `{INSTALL}`", what.display())
            }
            Self::Compiler(output) => write!(f, "javac: {output}"),
            Self::Pipe(error) => write!(f, "the Java process: {error}"),
            Self::Thrown(text) => write!(f, "Java threw {text}"),
        }
    }
}

impl std::error::Error for JavaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Missing { source, .. } | Self::Pipe(source) => Some(source),
            Self::Compiler(_) | Self::Thrown(_) => None,
        }
    }
}

/// A running program; ended when dropped.
#[derive(Debug)]
pub struct Java {
    child: Child,
    input: ChildStdin,
    output: Reply,
    /// Holds the compiled classes.
    _classes: TempDir,
}

impl Java {
    /// Compiles `java/SOURCE` of this package, and starts the class `main` with these options of the `java` command.
    ///
    /// # Errors
    ///
    /// [`JavaError::Missing`] without a JDK or Guava; [`JavaError::Compiler`].
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
            let output = String::from_utf8_lossy(&compiled.stderr).into_owned();
            return Err(JavaError::Compiler(output));
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
        let pipe = || JavaError::Pipe(io::ErrorKind::BrokenPipe.into());
        let input = child.stdin.take().ok_or_else(pipe)?;
        let output = Reply(BufReader::new(child.stdout.take().ok_or_else(pipe)?));
        Ok(Self {
            child,
            input,
            output,
            _classes: classes,
        })
    }

    /// Sends a request, and reads the answer by `read`.
    ///
    /// # Errors
    ///
    /// [`JavaError::Thrown`] when the program answered that something was thrown; [`JavaError::Pipe`].
    pub fn ask<T>(
        &mut self,
        request: &Request,
        read: impl FnOnce(&mut Reply) -> io::Result<T>,
    ) -> Result<T, JavaError> {
        self.input
            .write_all(request.as_bytes())
            .map_err(JavaError::Pipe)?;
        let reply = &mut self.output;
        if reply.bool().map_err(JavaError::Pipe)? {
            let text = reply.bytes().map_err(JavaError::Pipe)?;
            return Err(JavaError::Thrown(String::from_utf8_lossy(&text).into_owned()));
        }
        read(reply).map_err(JavaError::Pipe)
    }
}

impl Drop for Java {
    fn drop(&mut self) {
        // It holds nothing that must be kept. Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn missing(what: &str) -> impl FnOnce(io::Error) -> JavaError {
    let what = PathBuf::from(what);
    |source| JavaError::Missing { what, source }
}

//! Compiles, starts and queries a Java program with Guava on its class path.

use std::io::{self, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bytes::Bytes;
use tempfile::TempDir;
use terminal::failure::Failure;

use crate::peers::missing;

/// The path of Guava in Debian's `libguava-java`.
const JAR: &str = "/usr/share/java/guava.jar";

/// A running program. Dropping it ends the program.
#[derive(Debug)]
pub(super) struct Java {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Contains the compiled classes.
    _classes: TempDir,
}

impl Java {
    /// Compiles a source of this package and starts the class `main` with the given options of `java`.
    ///
    /// # Errors
    ///
    /// If the JDK or Guava is missing.
    pub(super) fn start(source: &str, main: &str, options: &[&str]) -> Result<Self, Failure> {
        std::fs::metadata(JAR).map_err(missing(JAR))?;
        let classes = tempfile::tempdir().map_err(Failure::internal)?;
        let compiled = Command::new("javac")
            .args(["-encoding", "UTF-8", "--class-path", JAR, "-d"])
            .arg(classes.path())
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(source))
            .output()
            .map_err(missing("javac"))?;
        if !compiled.status.success() {
            return Err(Failure::internal(String::from_utf8_lossy(&compiled.stderr)));
        }
        let mut child = Command::new("java")
            .args(options)
            .arg("--class-path")
            .arg(format!("{}:{JAR}", classes.path().display()))
            .arg(main)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(missing("java"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.expect("both are pipes");
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            _classes: classes,
        })
    }

    /// Sends a request in parts, numbers big-endian, and returns the answer.
    ///
    /// # Errors
    ///
    /// If a pipe fails, because the program has ended.
    pub(super) fn request(&mut self, parts: &[&[u8]]) -> Result<Bytes, Failure> {
        let mut answer = || -> io::Result<Bytes> {
            parts.iter().try_for_each(|part| self.input.write_all(part))?;
            let mut len = [0; 4];
            self.output.read_exact(&mut len)?;
            let mut bytes = vec![0; u32::from_be_bytes(len) as usize];
            self.output.read_exact(&mut bytes)?;
            Ok(bytes.into())
        };
        answer().map_err(|error| Failure::Internal(format!("the Java process: {error}")))
    }
}

impl Drop for Java {
    fn drop(&mut self) {
        // The process keeps nothing of value. Both calls fail only if it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

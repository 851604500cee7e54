//! Compiles, starts and queries a Java program with Guava on its class path.

use std::io::{self, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bytes::{Buf as _, Bytes};
use tempfile::TempDir;

/// The path of Guava in Debian's `libguava-java`.
const JAR: &str = "/usr/share/java/guava.jar";
fn missing(what: &str) -> impl FnOnce(io::Error) -> String {
    move |error| format!("{what}: {error}; `cargo xtask test --install` installs a JDK and Guava")
}

/// A running program. Dropping it ends the program.
#[derive(Debug)]
pub struct Java {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Holds the compiled classes.
    _classes: TempDir,
}

impl Java {
    /// Compiles `java/SOURCE` of this package and starts the class `main` with the given options of `java`.
    ///
    /// # Errors
    ///
    /// If the JDK or Guava is missing.
    pub fn start(source: &str, main: &str, options: &[&str]) -> Result<Self, String> {
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
            return Err(format!("javac: {}", String::from_utf8_lossy(&compiled.stderr)));
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
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("java: no pipes")?;
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
    /// The class and message of an exception that the program reports, or the reason why a pipe failed.
    pub fn ask(&mut self, request: &[&[u8]]) -> Result<Bytes, String> {
        let mut answer = || -> io::Result<(bool, Bytes)> {
            for part in request {
                self.input.write_all(part)?;
            }
            let mut head = [0; 5];
            self.output.read_exact(&mut head)?;
            let mut head = &head[..];
            let has_thrown = head.get_u8() != 0;
            let mut bytes = vec![0; head.get_u32() as usize];
            self.output.read_exact(&mut bytes)?;
            Ok((has_thrown, bytes.into()))
        };
        match answer().map_err(|error| format!("the Java process: {error}"))? {
            (false, bytes) => Ok(bytes),
            (true, text) => Err(String::from_utf8_lossy(&text).into_owned()),
        }
    }
}

impl Drop for Java {
    fn drop(&mut self) {
        // The process keeps nothing of value. Both calls fail only if it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

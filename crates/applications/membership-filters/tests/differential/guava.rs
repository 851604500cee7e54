//! A Java process with Guava.

use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The path of Guava in Debian's `libguava-java`.
const JAR: &str = "/usr/share/java/guava.jar";

/// A running `Trial.java`, which lives in Guava's package. Dropping this ends the process.
pub(crate) struct Guava {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Guava {
    /// Compiles and starts the program.
    pub(crate) fn start() -> Self {
        let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guava");
        let compiled = Command::new("javac")
            .args(["-encoding", "UTF-8", "--class-path", JAR, "-d"])
            .arg(&classes)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/Trial.java"))
            .output()
            .expect("a JDK is installed");
        let errors = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "Trial.java with {JAR}: {errors}");
        let mut child = Command::new("java")
            .args([
                "-Xmx1g",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--class-path",
            ])
            .arg(format!("{}:{JAR}", classes.display()))
            .arg("com.google.common.hash.Trial")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Sends a trial in parts, numbers big-endian. Returns the answer, or the text of an exception.
    pub(crate) fn request(&mut self, parts: &[&[u8]]) -> Result<Vec<u8>, String> {
        self.input.write_all(&parts.concat()).unwrap();
        let mut head = [0; 5];
        self.output.read_exact(&mut head).unwrap();
        let [has_thrown, len @ ..] = head;
        let mut answer = vec![0; u32::from_be_bytes(len) as usize];
        self.output.read_exact(&mut answer).unwrap();
        match has_thrown {
            0 => Ok(answer),
            _ => Err(String::from_utf8_lossy(&answer).into_owned()),
        }
    }
}

impl Drop for Guava {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

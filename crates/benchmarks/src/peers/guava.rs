//! The real Guava in a Java process, which times its own loops and waits while others are measured.

use std::io::{self, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bytes::{Buf as _, Bytes};
use tempfile::TempDir;
use terminal::failure::Failure;

use super::missing;
use crate::ours::filters;
use crate::suites::membership::{Contender, FPP, Plan, Work};
use crate::turns::Timed;

/// The path of Guava in Debian's `libguava-java`.
const JAR: &str = "/usr/share/java/guava.jar";

/// Options of `java`: a garbage collector without threads, and a heap that holds the largest filter and never grows.
const OPTIONS: [&str; 4] = ["-XX:+UseSerialGC", "-Xms1g", "-Xmx1g", "-Xmn256m"];

/// Compiles and starts the program.
///
/// # Errors
///
/// If Java or Guava is missing.
pub fn membership() -> Result<Contender, Failure> {
    let mut java = Java::start()?;
    let text = java.request(&[b"V"])?;
    let text = String::from_utf8_lossy(&text);
    let (version, runtime) = text.split_once('\n').unwrap_or_default();
    Ok(Contender {
        name: "guava",
        version: version.to_owned(),
        setup: format!("{runtime} {}", OPTIONS.join(" ")),
        work: Box::new(java),
    })
}

/// The running program `Membership.java`. Dropping it ends the program.
struct Java {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Contains the compiled classes.
    _classes: TempDir,
}

impl Java {
    fn start() -> Result<Self, Failure> {
        std::fs::metadata(JAR).map_err(missing(JAR))?;
        let classes = tempfile::tempdir().map_err(Failure::internal)?;
        let compiled = Command::new("javac")
            .args(["-encoding", "UTF-8", "--class-path", JAR, "-d"])
            .arg(classes.path())
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/java/Membership.java"))
            .output()
            .map_err(missing("javac"))?;
        if !compiled.status.success() {
            return Err(Failure::internal(String::from_utf8_lossy(&compiled.stderr)));
        }
        let mut child = Command::new("java")
            .args(OPTIONS)
            .arg("--class-path")
            .arg(format!("{}:{JAR}", classes.path().display()))
            .arg("Membership")
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
    fn request(&mut self, parts: &[&[u8]]) -> Result<Bytes, Failure> {
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

impl Work for Java {
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), Failure> {
        let [insertions, rate] = [plan.insertions.to_be_bytes(), FPP.to_be_bytes()];
        if plan.has_random_words {
            self.request(&[b"L", &filters::guavas(plan).to_guava()])?;
        } else {
            self.request(&[b"C", &insertions, &rate])?;
        }
        let parameters = plan.parameters();
        // The size of our filter; equal answers show that Guava's is the same.
        Ok((parameters.bits(), parameters.probe_count()))
    }

    fn run(&mut self, is_insert: bool, keys: &[String]) -> Result<Timed, Failure> {
        let kind = if is_insert { b"P" } else { b"Q" };
        let count = (keys.len() as u32).to_be_bytes();
        let mut answer = self.request(&[kind, &count, keys.concat().as_bytes()])?;
        let (ns, yes) = (answer.get_u64(), answer.get_u64());
        Ok(Timed { ns, yes })
    }
}

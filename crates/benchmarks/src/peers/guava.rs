//! The real Guava in a Java process, which times its own loops and waits while others are measured.

mod java;

use bytes::Buf as _;
use java::Java;
use terminal::failure::Failure;

use crate::ours::filters;
use crate::suites::membership::{Contender, FPP, Plan, Work};
use crate::turns::Timed;

/// Options of `java`: a garbage collector without threads, and a heap that holds the largest filter and never grows.
const OPTIONS: [&str; 4] = ["-XX:+UseSerialGC", "-Xms1g", "-Xmx1g", "-Xmn256m"];

/// Starts Guava in a Java process, which times itself.
///
/// # Errors
///
/// If Java or Guava is missing.
pub fn membership() -> Result<Contender, Failure> {
    let mut java = Java::start("java/Membership.java", "Membership", &OPTIONS)?;
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

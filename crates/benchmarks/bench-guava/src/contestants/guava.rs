//! Guava in a Java process, which times itself.

use bench_guava::Java;
use bench_kit::turns::Timed;
use bytes::Buf as _;

use super::{Contestant, Description, local};
use crate::keys::Keys;
use crate::plan::{FPP, Plan};

/// A garbage collector without threads, and a heap that holds the largest filter and never grows.
const OPTIONS: [&str; 4] = ["-XX:+UseSerialGC", "-Xms1g", "-Xmx1g", "-Xmn256m"];

pub(crate) struct Guava {
    java: Java,
    description: Description,
}

impl Guava {
    /// Starts the process.
    ///
    /// # Errors
    ///
    /// If Java or Guava is missing.
    pub(crate) fn start() -> Result<Self, String> {
        let mut java = Java::start("Membership.java", "Membership", &OPTIONS)?;
        let text = java.ask(&[b"V"])?;
        let text = String::from_utf8_lossy(&text);
        let (version, runtime) = text.split_once('\n').ok_or("java: no version")?;
        Ok(Self {
            java,
            description: Description {
                filter: "guava",
                version: version.to_owned(),
                setup: format!("{runtime} {}", OPTIONS.join(" ")),
            },
        })
    }
}

impl Contestant for Guava {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), String> {
        if plan.has_random_words {
            self.java.ask(&[b"L", &local::filter(plan).to_guava()])?;
        } else {
            self.java
                .ask(&[b"C", &plan.insertions.to_be_bytes(), &FPP.to_be_bytes()])?;
        }
        let parameters = local::parameters(plan);
        // The size of our filter; equal answers show that Guava's is the same.
        Ok((parameters.bits(), parameters.probe_count()))
    }

    fn run(&mut self, is_insert: bool, keys: Keys) -> Result<Timed, String> {
        let kind = if is_insert { b"P" } else { b"Q" };
        let [first, count] = [keys.first, keys.count].map(u64::to_be_bytes);
        let mut answer = self.java.ask(&[kind, &first, &count])?;
        Ok(Timed {
            ns: answer.get_u64(),
            yes: answer.get_u64(),
        })
    }
}

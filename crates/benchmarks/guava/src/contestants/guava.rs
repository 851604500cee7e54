//! Guava in a Java process, which times itself.

use bench_guava::Java;
use bytes::Buf as _;

use super::{Call, Contestant, Description, Timed, local};
use crate::keys::{AT_ONCE, Keys, WORD_SEED};
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
        let [insertions, at_once] = [plan.insertions.to_be_bytes(), (AT_ONCE as u64).to_be_bytes()];
        self.java
            .ask(&[b"C", &insertions, &FPP.to_be_bytes(), &at_once])?;
        let parameters = local::parameters(plan);
        if plan.has_random_words {
            let header = [parameters.strategy().ordinal(), parameters.probe_count()];
            let words = (parameters.word_count() as u32).to_be_bytes();
            self.java
                .ask(&[b"L", &header, &words, &WORD_SEED.to_be_bytes()])?;
        }
        // The size of our filter; equal answers show that Guava's is the same.
        Ok((parameters.bits(), parameters.probe_count().into()))
    }

    fn run(&mut self, call: Call, keys: Keys, times: u32) -> Result<Timed, String> {
        let kind: &[u8] = match call {
            Call::Build => b"B",
            Call::Insert => b"P",
            Call::Ask => b"Q",
        };
        let [first, count] = [keys.first, keys.count].map(u64::to_be_bytes);
        let mut answer = self.java.ask(&[kind, &first, &count, &times.to_be_bytes()])?;
        Ok(Timed {
            ns: answer.get_u64(),
            yes: answer.get_u64(),
        })
    }
}

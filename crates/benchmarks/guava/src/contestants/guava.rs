//! Guava in a Java process, which times itself.

use bench_guava::{Java, JavaError, Request};

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
    pub(crate) fn start() -> Result<Self, JavaError> {
        let mut java = Java::start("Membership.java", "Membership", &OPTIONS)?;
        let (version, runtime) =
            java.ask(&Request::new(b'V'), |reply| Ok((reply.bytes()?, reply.bytes()?)))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Self {
            java,
            description: Description {
                filter: "guava",
                version: text(&version),
                setup: format!("{} {}", text(&runtime), OPTIONS.join(" ")),
            },
        })
    }
}

impl Contestant for Guava {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), JavaError> {
        let request = Request::new(b'C')
            .i64(plan.insertions.cast_signed())
            .f64(FPP)
            .i32(AT_ONCE as i32);
        self.java.ask(&request, |_| Ok(()))?;
        let parameters = local::parameters(plan);
        if plan.has_random_words {
            let request = Request::new(b'L')
                .u8(parameters.strategy().ordinal())
                .u8(parameters.probe_count())
                .i32(parameters.word_count() as i32)
                .i64(WORD_SEED.cast_signed());
            self.java.ask(&request, |_| Ok(()))?;
        }
        // The size of our filter; equal answers show that Guava's is the same.
        Ok((parameters.bits(), parameters.probe_count().into()))
    }

    fn run(&mut self, call: Call, keys: Keys, times: u32) -> Result<Timed, JavaError> {
        let request = |kind| {
            Request::new(kind)
                .i64(keys.first.cast_signed())
                .i64(keys.count.cast_signed())
        };
        let request = match call {
            Call::Build => request(b'B').i32(times.cast_signed()),
            Call::Insert => request(b'P'),
            Call::Ask => request(b'Q').i32(times.cast_signed()),
        };
        let (ns, yes) = self
            .java
            .ask(&request, |reply| Ok((reply.i64()?, reply.i64()?)))?;
        // Neither number is negative.
        Ok(Timed {
            ns: ns.unsigned_abs(),
            yes: yes.unsigned_abs(),
        })
    }
}

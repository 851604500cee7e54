//! The filters in the comparison: all have the same rate, and all except the blocked filter the same size and probe
//! count.

mod local;

use bench_guava::Java;
use bench_kit::turns::Timed;
use bytes::Buf as _;
use terminal::failure::Failure;

use crate::keys::Keys;
use crate::plan::{FPP, Plan};

/// Options of `java`: a garbage collector without threads, and a heap that holds the largest filter and never grows.
const OPTIONS: [&str; 4] = ["-XX:+UseSerialGC", "-Xms1g", "-Xmx1g", "-Xmn256m"];

/// A filter in the comparison, and its description in the records.
pub(crate) struct Contestant {
    pub(crate) filter: &'static str,
    pub(crate) version: String,
    pub(crate) setup: String,
    pub(crate) work: Box<dyn Work>,
}

/// The operations of a filter that are measured.
pub(crate) trait Work {
    /// Creates a filter, empty or of random words, in place of the old one. Returns its bits and its probe count.
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), Failure>;

    /// Inserts the keys, or queries them.
    fn run(&mut self, is_insert: bool, keys: Keys) -> Result<Timed, Failure>;
}

/// Returns all contestants, Guava first.
///
/// # Errors
///
/// If Java or Guava is missing.
pub(crate) fn all() -> Result<Vec<Contestant>, Failure> {
    Ok([guava()?].into_iter().chain(local::all()).collect())
}

/// Starts Guava in a Java process, which times itself.
fn guava() -> Result<Contestant, Failure> {
    let mut java = Java::start("java/Membership.java", "Membership", &OPTIONS)?;
    let text = java.request(&[b"V"])?;
    let text = String::from_utf8_lossy(&text);
    let (version, runtime) = text.split_once('\n').unwrap_or_default();
    Ok(Contestant {
        filter: "guava",
        version: version.to_owned(),
        setup: format!("{runtime} {}", OPTIONS.join(" ")),
        work: Box::new(java),
    })
}

impl Work for Java {
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), Failure> {
        let [insertions, rate] = [plan.insertions.to_be_bytes(), FPP.to_be_bytes()];
        if plan.has_random_words {
            self.request(&[b"L", &local::filter(plan).to_guava()])?;
        } else {
            self.request(&[b"C", &insertions, &rate])?;
        }
        let parameters = local::parameters(plan);
        // The size of our filter; equal answers show that Guava's is the same.
        Ok((parameters.bits(), parameters.probe_count()))
    }

    fn run(&mut self, is_insert: bool, keys: Keys) -> Result<Timed, Failure> {
        let kind = if is_insert { b"P" } else { b"Q" };
        let [first, count] = [keys.first, keys.count].map(u64::to_be_bytes);
        let mut answer = self.request(&[kind, &first, &count])?;
        let (ns, yes) = (answer.get_u64(), answer.get_u64());
        Ok(Timed { ns, yes })
    }
}

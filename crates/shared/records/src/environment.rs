//! The machine, the build and the date of a run. No other module reads the date.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The machine and the build behind the times.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// CPU model as the CPU reports it, with the numbers of its family and model where Linux reports them: virtual
    /// machines often name a brand alone.
    pub cpu: String,
    /// Number of logical processors.
    pub logical_cpus: u64,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Commit of the workspace, for a run of the workspace's own command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Operating system and version.
    pub os: String,
    /// Target triple of the build.
    pub target: String,
    /// Compiler version.
    pub rustc: String,
    /// Flags beyond the defaults (`RUSTFLAGS`); empty if there are none.
    pub rustflags: String,
    /// Optimisation level and whether debug assertions were on.
    pub profile: String,
    /// CPU features that the build or the measured crates may use, as detected.
    pub cpu_features: Vec<String>,
    /// Frequency governor of the first CPU, if the system reports it.
    pub governor: Option<String>,
    /// The threads of this process, before or after it measured times: the larger number.
    pub threads_while_timing: Option<u64>,
    /// The logical processor to which the timing was pinned, if the system allows that.
    pub pinned_cpu: Option<u64>,
    /// Duration of all timing, lengths and places included, with warm-up and preparations, seconds.
    pub timing_seconds: Option<f64>,
    /// Duration of the whole run up to its report, seconds, if it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_seconds: Option<f64>,
    /// Involuntary context switches of the timing thread within `timing_seconds`.
    pub involuntary_switches_while_timing: Option<u64>,
    /// Time within `timing_seconds` that the timing thread was ready without a processor, seconds.
    pub seconds_waited_while_timing: Option<f64>,
}

impl Environment {
    /// The share of the timing without a processor above which the times are probably too high.
    ///
    /// Medians of interleaved rounds bear such waits well if other programs run evenly. If they come and go, a third or more of
    /// the medians of the next run lie outside the ranges of a run that waited for so long.
    pub const DISTURBED_WAITING_SHARE: f64 = 0.1;

    /// Returns true if other programs probably disturbed the timing, or `None` if the system does not report it.
    pub fn timing_disturbed(&self) -> Option<bool> {
        let seconds = self.timing_seconds?.max(1.0);
        Some(self.seconds_waited_while_timing? > Self::DISTURBED_WAITING_SHARE * seconds)
    }
}

/// Collects the facts about system and build. The timing fills in the facts about the time of measuring.
pub fn collect() -> Environment {
    let system = System::new_with_specifics(
        RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let cpu = system.cpus().first().map_or("", |cpu| cpu.brand()).trim();
    let cpu = if cpu.is_empty() {
        format!("unnamed {}", std::env::consts::ARCH)
    } else {
        cpu.to_owned()
    };
    let numbers = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Environment {
        cpu: cpu + &model_numbers(&numbers),
        logical_cpus: system.cpus().len() as u64,
        memory_bytes: system.total_memory(),
        commit: None,
        os: System::long_os_version().unwrap_or_else(|| std::env::consts::OS.to_owned()),
        target: env!("HARNESS_TARGET").to_owned(),
        rustc: env!("HARNESS_RUSTC").to_owned(),
        rustflags: env!("HARNESS_RUSTFLAGS").to_owned(),
        profile: format!(
            "opt-level {}, debug assertions {}",
            env!("HARNESS_OPT_LEVEL"),
            if cfg!(debug_assertions) { "on" } else { "off" }
        ),
        cpu_features: cpu_features(),
        governor: governor(),
        ..Environment::default()
    }
}

/// The system's figures for this process. On Linux they come from `/proc/thread-self/status` (proc_pid_status(5)), with
/// the switches of the calling thread only, and the second number of its `schedstat` (the kernel's
/// Documentation/scheduler/sched-stats).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessStatus {
    /// Number of threads.
    pub threads: Option<u64>,
    /// Times that the processor was taken from this thread since its start, except by its own waiting.
    pub involuntary_switches: Option<u64>,
    /// Time that this thread was ready to run without a processor since its start, nanoseconds.
    pub waited_ns: Option<u64>,
}

impl ProcessStatus {
    /// Queries the system.
    pub fn now() -> Self {
        let read = |name| std::fs::read_to_string(format!("/proc/thread-self/{name}")).unwrap_or_default();
        Self::parse(&read("status"), &read("schedstat"))
    }

    fn parse(text: &str, schedstat: &str) -> Self {
        let number = |label: &str| {
            let mut lines = text.lines();
            lines
                .find_map(|line| line.strip_prefix(label))?
                .trim()
                .parse()
                .ok()
        };
        Self {
            threads: number("Threads:"),
            involuntary_switches: number("nonvoluntary_ctxt_switches:"),
            waited_ns: schedstat
                .split_whitespace()
                .nth(1)
                .and_then(|waited| waited.parse().ok()),
        }
    }

    /// Returns what has come since `before`, and the larger number of threads.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        let difference = |after: Option<u64>, before: Option<u64>| after?.checked_sub(before?);
        Self {
            threads: before.threads.max(self.threads),
            involuntary_switches: difference(self.involuntary_switches, before.involuntary_switches),
            waited_ns: difference(self.waited_ns, before.waited_ns),
        }
    }
}

/// Returns the family and model of the first processor in the text of Linux's `/proc/cpuinfo`; nothing where it has none.
fn model_numbers(text: &str) -> String {
    let number = |label: &str| {
        let fields = text.lines().filter_map(|line| line.split_once(':'));
        let mut named = fields.filter(|(name, _)| name.trim() == label);
        named.next()?.1.trim().parse::<u32>().ok()
    };
    number("cpu family")
        .zip(number("model"))
        .map_or_else(String::new, |(family, model)| {
            format!(" (family {family}, model {model})")
        })
}

fn governor() -> Option<String> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    Some(text.trim().to_owned())
}

/// Lists the given features that the processor has.
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! detected {
    ($is_detected:ident: $($feature:tt)*) => {{
        let all = [$(($feature, std::arch::$is_detected!($feature))),*];
        all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name.to_owned()).collect()
    }};
}

/// Returns the features by which the measured crates choose their code.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpu_features() -> Vec<String> {
    detected!(is_x86_feature_detected: "sse2" "sse4.1" "sse4.2" "pclmulqdq" "aes" "bmi2" "avx2" "avx512f" "avx512bw"
        "avx512vl" "vpclmulqdq")
}

/// Returns the features by which the measured crates choose their code.
#[cfg(target_arch = "aarch64")]
fn cpu_features() -> Vec<String> {
    detected!(is_aarch64_feature_detected: "neon" "aes" "crc" "sve")
}

/// Returns no features: other processors are not probed.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features() -> Vec<String> {
    Vec::new()
}

/// Returns the current date and time, UTC, RFC 3339 to the second.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the date"
)]
pub fn now_utc() -> String {
    // A clock set before 1970 shows as 1970.
    humantime::format_rfc3339_seconds(SystemTime::now().max(UNIX_EPOCH)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_process_is_read_where_there_is_one() {
        let status = |threads, involuntary_switches, waited_ns| ProcessStatus {
            threads,
            involuntary_switches,
            waited_ns,
        };
        let text = "Name:\tx\nThreads:\t3\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        let early = ProcessStatus::parse(text, "900 70 1\n");
        assert_eq!(early, status(Some(3), Some(545), Some(70)));
        let late = ProcessStatus::parse("Threads: many\n", "950 1000000070 2\n");
        assert_eq!(late.since(early), status(Some(3), None, Some(1_000_000_000)));
        assert_eq!(early.since(late), status(Some(3), None, None));
    }

    #[test]
    fn a_processor_has_its_numbers_where_linux_reports_them() {
        let text = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\ncpu family\t: 9\n";
        assert_eq!(model_numbers(text), " (family 25, model 17)");
        assert_eq!(model_numbers("processor : 0\nmodel name : ARM\n"), "");
    }

    #[test]
    fn the_build_names_itself() {
        let environment = collect();
        assert!(environment.rustc.starts_with("rustc "), "{}", environment.rustc);
        assert!(
            environment.target.contains(std::env::consts::ARCH),
            "{}",
            environment.target
        );
        assert!(environment.logical_cpus > 0);
        assert!(environment.memory_bytes > 0);
    }

    #[test]
    fn long_waits_mean_a_disturbed_timing() {
        let disturbed = |waited| {
            let environment = Environment {
                timing_seconds: Some(30.0),
                seconds_waited_while_timing: waited,
                ..Environment::default()
            };
            environment.timing_disturbed()
        };
        let expected = [Some(false), Some(true), None];
        assert_eq!([Some(3.0), Some(3.1), None].map(disturbed), expected);
    }
}

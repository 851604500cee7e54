//! The machine, the build and the date behind a run; the only module that asks what day it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::record::Environment;

/// What the system and the build tell. What happened while times were measured is left for the timing to fill in.
pub fn collect() -> Environment {
    let system = System::new_with_specifics(
        RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let cpu = system.cpus().first().map_or("", |cpu| cpu.brand()).trim();
    Environment {
        cpu: if cpu.is_empty() {
            format!("unnamed {}", std::env::consts::ARCH)
        } else {
            cpu.to_owned()
        },
        logical_cpus: system.cpus().len() as u64,
        memory_bytes: system.total_memory(),
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
        threads_while_timing: None,
        pinned_cpu: None,
        timing_seconds: None,
        involuntary_switches_while_timing: None,
        seconds_waited_while_timing: None,
    }
}

/// What the system tells of this process; on Linux, lines of `/proc/thread-self/status` (proc_pid_status(5)), whose
/// switches are those of the calling thread alone, and the second number of its `schedstat` (the kernel's
/// Documentation/scheduler/sched-stats).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProcessStatus {
    /// Threads.
    pub(crate) threads: Option<u64>,
    /// Times that the processor was taken from this thread since it began, other than by its own waiting.
    involuntary_switches: Option<u64>,
    /// How long this thread has been ready to run without a processor since it began, nanoseconds.
    waited_ns: Option<u64>,
}

impl ProcessStatus {
    pub(crate) fn now() -> Self {
        let read = |name| std::fs::read_to_string(format!("/proc/thread-self/{name}")).unwrap_or_default();
        Self::parse(&read("status"), &read("schedstat"))
    }

    fn parse(text: &str, schedstat: &str) -> Self {
        let number = |label: &str| {
            text.lines()
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
}

/// How often the processor was taken away between `before` and `after`.
pub(crate) fn involuntary_switches(before: ProcessStatus, after: ProcessStatus) -> Option<u64> {
    after
        .involuntary_switches?
        .checked_sub(before.involuntary_switches?)
}

/// How long the thread waited for a processor between `before` and `after`.
pub(crate) fn waited(before: ProcessStatus, after: ProcessStatus) -> Option<Duration> {
    after
        .waited_ns?
        .checked_sub(before.waited_ns?)
        .map(Duration::from_nanos)
}

fn governor() -> Option<String> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    Some(text.trim().to_owned())
}

/// Those that the measured crates choose their code by.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpu_features() -> Vec<String> {
    let detected = [
        ("sse2", is_x86_feature_detected!("sse2")),
        ("sse4.1", is_x86_feature_detected!("sse4.1")),
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("aes", is_x86_feature_detected!("aes")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512vl", is_x86_feature_detected!("avx512vl")),
        ("vpclmulqdq", is_x86_feature_detected!("vpclmulqdq")),
    ];
    names(&detected)
}

/// Those that the measured crates choose their code by.
#[cfg(target_arch = "aarch64")]
fn cpu_features() -> Vec<String> {
    let detected = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("aes", std::arch::is_aarch64_feature_detected!("aes")),
        ("crc", std::arch::is_aarch64_feature_detected!("crc")),
        ("sve", std::arch::is_aarch64_feature_detected!("sve")),
    ];
    names(&detected)
}

/// Nothing is known of other processors.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features() -> Vec<String> {
    names(&[])
}

fn names(detected: &[(&str, bool)]) -> Vec<String> {
    detected
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| (*name).to_owned())
        .collect()
}

/// Date and time now, UTC, RFC 3339 to the second.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that asks for the date"
)]
pub fn now_utc() -> String {
    // A clock set before 1970 shows as 1970.
    rfc3339(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO)
            .as_secs(),
    )
}

/// `seconds` since 1970 as a date and time in the Gregorian calendar.
fn rfc3339(seconds: u64) -> String {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the leap day is the last of its year; eras of 400 years begin in year 0.
    // 1970-01-01 is day 719,468 from 0000-03-01.
    let days = days + 719_468;
    let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Five months from March have 153 days, whichever five.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected values from `date -u -d @SECONDS +%FT%TZ` (GNU coreutils).
    #[test]
    fn dates_are_gregorian() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (68_169_599, "1972-02-28T23:59:59Z"),
            (68_169_600, "1972-02-29T00:00:00Z"),
            (68_256_000, "1972-03-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (978_307_199, "2000-12-31T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn the_status_of_a_process_is_read_where_there_is_one() {
        let status = |threads, involuntary_switches| ProcessStatus {
            threads,
            involuntary_switches,
            waited_ns: None,
        };
        let text = "Name:\tx\nThreads:\t3\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        assert_eq!(ProcessStatus::parse(text, ""), status(Some(3), Some(545)));
        assert_eq!(ProcessStatus::parse("Threads: many\n", "1"), status(None, None));
        let [early, late] = ["900 70 1\n", "950 1000000070 2\n"].map(|text| ProcessStatus::parse("", text));
        assert_eq!(waited(early, late), Some(Duration::from_secs(1)));
        assert_eq!(waited(late, early), None);
        assert_eq!(waited(early, status(None, None)), None);
        assert_eq!(
            involuntary_switches(status(None, Some(5)), status(None, Some(7))),
            Some(2)
        );
        assert_eq!(
            involuntary_switches(status(None, None), status(None, Some(7))),
            None
        );
        assert_eq!(
            involuntary_switches(status(None, Some(7)), status(None, Some(5))),
            None
        );
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
    #[cfg(target_os = "linux")]
    fn threads_are_counted() {
        let threads = || ProcessStatus::now().threads;
        let before = threads().unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || held.recv());
        // Other tests come and go meanwhile; ours is one more than none.
        assert!(threads().unwrap() >= 2, "{before} before");
        drop(release);
        assert!(thread.join().unwrap().is_err());
    }
}

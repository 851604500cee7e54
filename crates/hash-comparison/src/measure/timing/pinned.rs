//! One processor for all of the timing, where the system allows that.

/// While this lives, the thread that made it stays on one processor; so do the threads that it starts meanwhile.
#[derive(Debug)]
pub struct Pinned {
    cpu: u64,
    #[cfg(target_os = "linux")]
    before: rustix::thread::CpuSet,
}

impl Pinned {
    /// Keeps this thread where it is now; `None` where the system does not allow it or this program does not know how.
    #[cfg(target_os = "linux")]
    pub fn here() -> Option<Self> {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

        let before = sched_getaffinity(None).ok()?;
        let cpu = sched_getcpu();
        if cpu >= CpuSet::MAX_CPU {
            return None;
        }
        let mut one = CpuSet::new();
        one.set(cpu);
        sched_setaffinity(None, &one).ok()?;
        Some(Self {
            cpu: cpu as u64,
            before,
        })
    }

    /// Keeps this thread where it is now; `None` where the system does not allow it or this program does not know how.
    #[cfg(not(target_os = "linux"))]
    pub fn here() -> Option<Self> {
        None
    }

    /// Number of the logical processor, as the system counts.
    pub fn cpu(&self) -> u64 {
        self.cpu
    }
}

#[cfg(target_os = "linux")]
impl Drop for Pinned {
    fn drop(&mut self) {
        // The set was the system's own; should it be refused now, the thread goes on where it is.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::{sched_getaffinity, sched_getcpu};

    use super::*;

    #[test]
    fn afterwards_every_processor_is_allowed_again() {
        let before = sched_getaffinity(None).unwrap();
        let pinned = Pinned::here().unwrap();
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        assert_eq!(sched_getcpu() as u64, pinned.cpu());
        drop(pinned);
        assert!(sched_getaffinity(None).unwrap() == before);
    }
}

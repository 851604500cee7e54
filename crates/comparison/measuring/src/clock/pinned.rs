//! Pins the timing to one processor, if the system allows it.

/// A guard that keeps its creating thread, and the threads which that thread starts meanwhile, on one processor.
#[derive(Debug)]
pub struct Pinned {
    cpu: u64,
    #[cfg(target_os = "linux")]
    before: rustix::thread::CpuSet,
}

impl Pinned {
    /// Pins this thread to its current processor. Returns `None` if the system does not allow or support pinning.
    pub fn here() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

            let before = sched_getaffinity(None).ok()?;
            let cpu = sched_getcpu();
            let mut one = CpuSet::new();
            (cpu < CpuSet::MAX_CPU).then(|| one.set(cpu))?;
            sched_setaffinity(None, &one).ok()?;
            let cpu = cpu as u64;
            Some(Self { cpu, before })
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Returns the number of the logical processor, as the system counts.
    pub fn cpu(&self) -> u64 {
        self.cpu
    }
}

#[cfg(target_os = "linux")]
impl Drop for Pinned {
    fn drop(&mut self) {
        // The system gave this set. If it refuses the set now, the thread stays on its processor.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}

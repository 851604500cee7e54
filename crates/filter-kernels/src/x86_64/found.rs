//! Detection of instruction sets.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::Kernel;

cpufeatures::new!(avx2, "avx2", "bmi1", "bmi2", "popcnt");

// With AVX-512 F the compiler assumes FMA and F16C. F16C cannot be detected here, but it is older than AVX2, and both
// only concern floating-point numbers, which are not used here.
cpufeatures::new!(
    avx512, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "fma", "popcnt"
);

/// The instruction sets that the processor and the operating system support, in one byte, so that a single load reads
/// them all. Detection is the only source of a value.
#[derive(Clone, Copy)]
pub(crate) struct Found(u8);

/// [`Found`], or 0 before detection.
static FOUND: AtomicU8 = AtomicU8::new(0);

impl Found {
    /// Set in all values.
    const LOOKED: u8 = 1;
    pub(crate) const AVX2: u8 = 2;
    pub(crate) const AVX512: u8 = 4;

    /// Returns the result of an earlier detection, if there was one.
    #[inline(always)]
    pub(crate) fn before() -> Option<Self> {
        // Relaxed: no other memory depends on the value.
        let found = FOUND.load(Ordering::Relaxed);
        (found != 0).then_some(Self(found))
    }

    /// Detects the instruction sets and remembers them.
    #[cold]
    #[inline(never)]
    pub(crate) fn now() -> Self {
        let most = most_wanted();
        let mut found = Self::LOOKED;
        if most != Kernel::Scalar && avx2::get() {
            found |= Self::AVX2;
        }
        if most == Kernel::Avx512 && avx512::get() {
            found |= Self::AVX512;
        }
        FOUND.store(found, Ordering::Relaxed);
        Self(found)
    }

    /// Returns true if these instructions were found.
    #[inline(always)]
    pub(crate) const fn has(self, instructions: u8) -> bool {
        self.0 & instructions != 0
    }

    /// Limits the instruction sets to those that a kernel may use; without a kernel, keeps all.
    #[inline(always)]
    pub(crate) fn only_for(self, kernel: Option<Kernel>) -> Self {
        let wanted = match kernel {
            None => Self::AVX2 | Self::AVX512,
            Some(Kernel::Scalar | Kernel::Neon) => 0,
            Some(Kernel::Avx2) => Self::AVX2,
            Some(Kernel::Avx512) => Self::AVX512,
        };
        Self(self.0 & wanted)
    }
}

/// Returns the fastest kernel that the environment allows; see [`Kernel`].
fn most_wanted() -> Kernel {
    #[cfg(feature = "std")]
    if let Some(name) = std::env::var_os("FILTER_POLICY_KERNEL")
        && let Some(kernel) = [Kernel::Scalar, Kernel::Avx2]
            .into_iter()
            .find(|kernel| name == kernel.name())
    {
        return kernel;
    }
    Kernel::Avx512
}

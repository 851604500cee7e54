//! Which instructions there are.

use core::sync::atomic::{AtomicU8, Ordering};

use super::super::kernel::Kernel;

cpufeatures::new!(avx2, "avx2", "bmi1", "bmi2", "popcnt");

// With AVX-512 F the compiler takes FMA and F16C for given. The latter cannot be asked for here; it came before AVX2, and
// is, as the other, for floating-point numbers, of which there are none.
cpufeatures::new!(
    avx512, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "fma", "popcnt"
);

/// The instruction sets that the processor and the operating system have: all of them in one byte, so that it takes one
/// load to know. There is no other way to a value than to look for them.
#[derive(Clone, Copy)]
pub(crate) struct Found(u8);

/// [`Found`], or 0 before anyone has looked.
static FOUND: AtomicU8 = AtomicU8::new(0);

impl Found {
    /// Set in all values.
    const LOOKED: u8 = 1;
    pub(super) const AVX2: u8 = 2;
    pub(super) const AVX512: u8 = 4;

    /// What was found, if it has been looked for.
    #[inline(always)]
    pub(crate) fn before() -> Option<Self> {
        // Nothing else is read that depends on it.
        let found = FOUND.load(Ordering::Relaxed);
        (found != 0).then_some(Self(found))
    }

    /// Looks for them, and remembers it.
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

    /// Whether these instructions are among them.
    #[inline(always)]
    pub(super) const fn has(self, instructions: u8) -> bool {
        self.0 & instructions != 0
    }

    /// Those of them that may be used for a kernel; for none in particular, all.
    #[inline(always)]
    pub(crate) fn only_for(self, kernel: Option<Kernel>) -> Self {
        let wanted = match kernel {
            None => Self::AVX2 | Self::AVX512,
            Some(Kernel::Scalar) => 0,
            Some(Kernel::Avx2) => Self::AVX2,
            Some(Kernel::Avx512) => Self::AVX512,
        };
        Self(self.0 & wanted)
    }
}

/// The fastest kernel that the environment allows, see [`Kernel`].
fn most_wanted() -> Kernel {
    #[cfg(feature = "std")]
    if let Some(name) = std::env::var_os("FILTER_POLICY_KERNEL")
        && let Some(&kernel) = Kernel::ALL.iter().find(|kernel| name == kernel.name())
    {
        return kernel;
    }
    Kernel::Avx512
}

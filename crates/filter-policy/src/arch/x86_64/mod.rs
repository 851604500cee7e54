//! The instructions of x86-64.
#![expect(
    unsafe_code,
    reason = "instructions that not every processor has, and loads of parts of vectors"
)]

mod avx2;
mod avx512;
mod entries;
mod single;

use core::sync::atomic::{AtomicU8, Ordering};

use super::Kernel;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;

/// The instruction sets that the processor and the operating system have: all of them in one byte, so that it takes one
/// load to know. There is no other way to a value than to look for them.
#[derive(Clone, Copy)]
pub(crate) struct Found(u8);

/// [`Found`], or 0 before anyone has looked.
static FOUND: AtomicU8 = AtomicU8::new(0);

impl Found {
    /// Set in all values.
    const LOOKED: u8 = 1;
    const AVX2: u8 = 2;
    const AVX512: u8 = 4;

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
        if most != Kernel::Scalar && avx2::are_there() {
            found |= Self::AVX2;
        }
        if most == Kernel::Avx512 && avx512::are_there() {
            found |= Self::AVX512;
        }
        FOUND.store(found, Ordering::Relaxed);
        Self(found)
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
        && let Some(kernel) = Kernel::ALL.into_iter().find(|kernel| name == kernel.name())
    {
        return kernel;
    }
    Kernel::Avx512
}

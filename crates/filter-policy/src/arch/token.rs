//! The only place that selects a kernel.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use super::aarch64::Neon;
use super::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{Avx2, Avx512, Found};

impl Kernel {
    /// Returns the kernels that this processor and its operating system can run, slowest first. The answer does not
    /// change while the program runs.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kernel| kernel.is_available())
    }

    /// Returns whether this processor and its operating system can run the kernel and the environment allows it.
    pub fn is_available(self) -> bool {
        KernelToken::of(self).kernel() == self
    }

    /// Returns the fastest kernel that is available.
    pub fn best() -> Self {
        KernelToken::best().kernel()
    }
}

/// A kernel that was found to be available; a value is the proof.
#[derive(Debug, Clone, Copy)]
pub enum KernelToken {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Neon(Neon),
}

impl KernelToken {
    /// [`Kernel::best`].
    #[inline]
    pub(crate) fn best() -> Self {
        Self::given(None)
    }

    /// Returns this kernel, or the portable one if it is not available.
    #[inline]
    pub(crate) fn of(kernel: Kernel) -> Self {
        Self::given(Some(kernel))
    }

    /// Returns [`of`](Self::of) the given kernel, or [`best`](Self::best) if none is given.
    #[inline]
    pub(crate) fn given(kernel: Option<Kernel>) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            Self::among(Found::before().unwrap_or_else(Found::now), kernel)
        }
        #[cfg(not(target_arch = "x86_64"))]
        match kernel {
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            None | Some(Kernel::Neon) => Self::Neon(Neon::new()),
            _ => Self::Scalar,
        }
    }

    /// Returns the fastest kernel that was found and that `kernel` allows.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn among(found: Found, kernel: Option<Kernel>) -> Self {
        let found = found.only_for(kernel);
        if let Some(lanes) = Avx512::of(found) {
            Self::Avx512(lanes)
        } else if let Some(lanes) = Avx2::of(found) {
            Self::Avx2(lanes)
        } else {
            Self::Scalar
        }
    }

    pub(crate) const fn kernel(self) -> Kernel {
        match self {
            Self::Scalar => Kernel::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Kernel::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Kernel::Avx512,
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Self::Neon(_) => Kernel::Neon,
        }
    }
}

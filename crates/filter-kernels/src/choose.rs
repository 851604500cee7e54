//! The only place that selects a kernel.

use crate::Kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::aarch64::Neon;
use crate::lanes::Portable;
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{Avx2, Avx512, Found};

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
    /// Portable code.
    Scalar,
    /// Code for AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Code for AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// Code for NEON.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Neon(Neon),
    /// Arrays of 8 lanes.
    #[cfg(test)]
    Plain8(crate::tests::plain::Plain8),
    /// Arrays of 16 lanes.
    #[cfg(test)]
    Plain16(crate::tests::plain::Plain16),
}

impl KernelToken {
    /// [`Kernel::best`].
    #[inline]
    pub fn best() -> Self {
        Self::given(None)
    }

    /// Returns this kernel, or the portable one if it is not available.
    #[inline]
    pub fn of(kernel: Kernel) -> Self {
        Self::given(Some(kernel))
    }

    /// Returns [`of`](Self::of) the given kernel, or [`best`](Self::best) if none is given.
    #[inline]
    pub fn given(kernel: Option<Kernel>) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            Self::among(Found::before().unwrap_or_else(Found::now), kernel)
        }
        #[cfg(not(target_arch = "x86_64"))]
        match kernel {
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            // SAFETY: all code may use NEON.
            None | Some(Kernel::Neon) => Self::Neon(unsafe { Neon::assumed() }),
            _ => Self::Scalar,
        }
    }

    /// Returns [`given`](Self::given); `None` on the cold path where CPU features have not been detected yet.
    #[inline(always)]
    pub(crate) fn known(kernel: Option<Kernel>) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            Some(Self::among(Found::before()?, kernel))
        }
        #[cfg(not(target_arch = "x86_64"))]
        Some(Self::given(kernel))
    }

    /// Returns the fastest kernel that was found and that `kernel` allows.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn among(found: Found, kernel: Option<Kernel>) -> Self {
        let found = found.only_for(kernel);
        if let Some(lanes) = Avx512::of(found) {
            Self::Avx512(lanes)
        } else if let Some(lanes) = Avx2::of(found) {
            Self::Avx2(lanes)
        } else {
            Self::Scalar
        }
    }

    /// Returns the name of the kernel.
    pub const fn kernel(self) -> Kernel {
        match self {
            Self::Scalar => Kernel::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Kernel::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Kernel::Avx512,
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Self::Neon(_) => Kernel::Neon,
            // The kernels of as many lanes.
            #[cfg(test)]
            Self::Plain8(_) => Kernel::Avx2,
            #[cfg(test)]
            Self::Plain16(_) => Kernel::Avx512,
        }
    }
}

impl From<Portable> for KernelToken {
    #[inline(always)]
    fn from(_: Portable) -> Self {
        Self::Scalar
    }
}

#[cfg(target_arch = "x86_64")]
impl From<Avx2> for KernelToken {
    #[inline(always)]
    fn from(lanes: Avx2) -> Self {
        Self::Avx2(lanes)
    }
}

#[cfg(target_arch = "x86_64")]
impl From<Avx512> for KernelToken {
    #[inline(always)]
    fn from(lanes: Avx512) -> Self {
        Self::Avx512(lanes)
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
impl From<Neon> for KernelToken {
    #[inline(always)]
    fn from(lanes: Neon) -> Self {
        Self::Neon(lanes)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cpufeatures_is_for_x86_64_alone() {
        // It refuses to compile for processors that it does not know. A packed manifest has a table for each dependency.
        let tables = include_str!("../Cargo.toml").split("\n[");
        let tables = tables
            .filter(|table| table.lines().any(|line| line.contains("cpufeatures")))
            .filter_map(|table| table.split("dependencies").next());
        assert!(tables.eq(["target.'cfg(target_arch = \"x86_64\")'."]));
    }
}

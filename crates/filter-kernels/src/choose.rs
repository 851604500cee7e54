//! The only place that selects a kernel.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::aarch64::Neon;
use crate::kernel::Kernel;
use crate::lanes::{Lanes, Target};
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{Avx2, Avx512, found};

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
    /// Arrays of 8 lanes of 32 bits, without others.
    #[cfg(test)]
    Narrow8(crate::tests::plain::Narrow8),
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
        let found = found::before().unwrap_or_else(found::now);
        #[cfg(not(target_arch = "x86_64"))]
        let found = 0;
        Self::among(found, kernel)
    }

    /// Returns [`given`](Self::given); `None` on the cold path where CPU features have not been detected yet.
    #[inline(always)]
    pub(crate) fn known(kernel: Option<Kernel>) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let found = found::before()?;
        #[cfg(not(target_arch = "x86_64"))]
        let found = 0;
        Some(Self::among(found, kernel))
    }

    /// Returns the fastest kernel that was found and that `kernel` allows.
    #[inline(always)]
    fn among(found: u8, kernel: Option<Kernel>) -> Self {
        #[cfg(target_arch = "x86_64")]
        let kernel = {
            let wanted = match kernel {
                None => found::AVX2 | found::AVX512,
                Some(Kernel::Scalar | Kernel::Neon) => 0,
                Some(Kernel::Avx2) => found::AVX2,
                Some(Kernel::Avx512) => found::AVX512,
            };
            match found & wanted {
                found if found & found::AVX512 != 0 => Kernel::Avx512,
                found if found & found::AVX2 != 0 => Kernel::Avx2,
                _ => Kernel::Scalar,
            }
        };
        #[cfg(not(target_arch = "x86_64"))]
        let kernel = kernel.unwrap_or(Kernel::Neon);
        // SAFETY: the instructions were found, or all code may use them.
        unsafe { Self::assumed(kernel) }
    }

    /// Returns the kernel with these lanes.
    #[inline(always)]
    pub(crate) fn with<T: Target>(_: T) -> Self {
        // SAFETY: the value proves that the processor has the instructions.
        unsafe { Self::assumed(T::KERNEL) }
    }

    /// Returns this kernel, or the portable one if it is for another kind of processors.
    ///
    /// # Safety
    ///
    /// The processor and the operating system support the instructions if they are of this kind.
    #[inline(always)]
    unsafe fn assumed(kernel: Kernel) -> Self {
        match kernel {
            // SAFETY: guaranteed by the caller.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Self::Avx2(unsafe { Avx2::assumed() }),
            // SAFETY: guaranteed by the caller.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Self::Avx512(unsafe { Avx512::assumed() }),
            // SAFETY: guaranteed by the caller.
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Kernel::Neon => Self::Neon(unsafe { Neon::assumed() }),
            _ => Self::Scalar,
        }
    }

    /// Returns the name of the kernel.
    pub const fn kernel(self) -> Kernel {
        self.facts().0
    }

    /// Returns the number of lanes in a vector, 1 for portable code: layouts choose among vectors by this fact, never by the
    /// name.
    #[inline(always)]
    pub(crate) const fn lanes(self) -> usize {
        self.facts().1
    }

    #[inline(always)]
    const fn facts(self) -> (Kernel, usize) {
        match self {
            Self::Scalar => (Kernel::Scalar, 1),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => (Kernel::Avx2, Avx2::LANES),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => (Kernel::Avx512, Avx512::LANES),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Self::Neon(_) => (Kernel::Neon, Neon::LANES),
            #[cfg(test)]
            Self::Plain8(_) | Self::Narrow8(_) => (Kernel::Scalar, 8),
            #[cfg(test)]
            Self::Plain16(_) => (Kernel::Scalar, 16),
        }
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

//! The only place that selects a kernel.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::simd::aarch64::Neon;
use crate::simd::kernel::Kernel;
use crate::simd::lanes::{Lanes, Target};
#[cfg(target_arch = "x86_64")]
use crate::simd::x86_64::{Avx2, Avx512, found};

impl Kernel {
    /// Returns the kernels that this processor and its operating system can run, slowest first. The answer does not
    /// change while the program runs.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kernel| kernel.is_available())
    }

    /// Returns true if this processor and its operating system can run the kernel and the environment allows it.
    pub(crate) fn is_available(self) -> bool {
        KernelToken::of(self).kernel() == self
    }
}

/// Returns the bits of the kernels that are available.
#[inline]
fn found() -> u8 {
    #[cfg(target_arch = "x86_64")]
    match found::before() {
        0 => found::now(),
        found => found,
    }
    #[cfg(not(target_arch = "x86_64"))]
    u8::MAX
}

/// A kernel that this processor can run: a value is the proof. Formats pass it on to code with SIMD instructions;
/// portable code ignores it.
#[derive(Debug, Clone, Copy)]
pub struct KernelToken(pub(crate) Token);

/// The kernels, with the proof that the processor has their instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token {
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
    Plain8(crate::simd::tests::plain::Plain8),
    /// Arrays of 8 lanes of 32 bits, without others.
    #[cfg(test)]
    Narrow8(crate::simd::tests::plain::Narrow8),
    /// Arrays of 16 lanes.
    #[cfg(test)]
    Plain16(crate::simd::tests::plain::Plain16),
}

impl KernelToken {
    /// Portable code.
    pub(crate) const SCALAR: Self = Self(Token::Scalar);

    /// Returns the token of the fastest kernel that is available.
    #[inline]
    pub fn best() -> Self {
        Self::fastest(found())
    }

    /// Returns this kernel, or the portable one if it is not available.
    #[inline]
    pub(crate) fn of(kernel: Kernel) -> Self {
        Self::fastest(found() & kernel as u8)
    }

    /// Calls `then` with [`best`](Self::best), or `at_first` if CPU features have not been detected yet. There is a
    /// branch to each kernel's code; compilers would first compute a value, and then branch on it.
    #[inline(always)]
    pub(crate) fn dispatch<R>(then: impl Fn(Self) -> R, at_first: impl FnOnce() -> R) -> R {
        #[cfg(target_arch = "x86_64")]
        match found::before() {
            // SAFETY: the instructions were found.
            bits if bits >= found::AVX512 => then(unsafe { Self::assumed(Kernel::Avx512) }),
            // SAFETY: the instructions were found.
            bits if bits >= found::AVX2 => then(unsafe { Self::assumed(Kernel::Avx2) }),
            0 => at_first(),
            _ => then(Self::SCALAR),
        }
        #[cfg(not(target_arch = "x86_64"))]
        then(Self::best())
    }

    /// Returns the fastest of the kernels whose bits are set, which were found.
    #[inline(always)]
    fn fastest(found: u8) -> Self {
        let is = |kernel: Kernel| found & kernel as u8 != 0;
        #[cfg(target_arch = "x86_64")]
        let kernel = if is(Kernel::Avx512) {
            Kernel::Avx512
        } else if is(Kernel::Avx2) {
            Kernel::Avx2
        } else {
            Kernel::Scalar
        };
        #[cfg(not(target_arch = "x86_64"))]
        let kernel = if is(Kernel::Neon) {
            Kernel::Neon
        } else {
            Kernel::Scalar
        };
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
        Self(match kernel {
            // SAFETY: guaranteed by the caller.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Token::Avx2(unsafe { Avx2::assumed() }),
            // SAFETY: guaranteed by the caller.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Token::Avx512(unsafe { Avx512::assumed() }),
            // SAFETY: guaranteed by the caller.
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Kernel::Neon => Token::Neon(unsafe { Neon::assumed() }),
            _ => Token::Scalar,
        })
    }

    /// Returns the name of the kernel.
    pub(crate) const fn kernel(self) -> Kernel {
        self.facts().0
    }

    /// Returns true for portable code.
    #[inline(always)]
    pub(crate) const fn is_scalar(self) -> bool {
        matches!(self.0, Token::Scalar)
    }

    /// Returns the number of lanes in a vector, 1 for portable code: formats choose among vectors by this fact, never
    /// by the name.
    #[inline(always)]
    pub(crate) const fn lanes(self) -> usize {
        self.facts().1
    }

    #[inline(always)]
    const fn facts(self) -> (Kernel, usize) {
        match self.0 {
            Token::Scalar => (Kernel::Scalar, 1),
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(_) => (Kernel::Avx2, Avx2::LANES),
            #[cfg(target_arch = "x86_64")]
            Token::Avx512(_) => (Kernel::Avx512, Avx512::LANES),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Token::Neon(_) => (Kernel::Neon, Neon::LANES),
            #[cfg(test)]
            Token::Plain8(_) | Token::Narrow8(_) => (Kernel::Scalar, 8),
            #[cfg(test)]
            Token::Plain16(_) => (Kernel::Scalar, 16),
        }
    }
}

#[cfg(test)]
mod tests {
    /// The best kernel is the fastest that the processor has and the environment allows.
    #[cfg(feature = "alloc")]
    #[test]
    fn kernels_are_chosen() {
        use alloc::format;
        use alloc::vec::Vec;

        use super::{Kernel, KernelToken};

        let available: Vec<Kernel> = Kernel::available().collect();
        assert_eq!(available.first(), Some(&Kernel::Scalar));
        assert_eq!(available.last(), Some(&KernelToken::best().kernel()));
        if let Ok(allowed) = std::env::var("FILTER_POLICY_KERNEL") {
            let most = Kernel::ALL.iter().position(|kernel| kernel.name() == allowed);
            let most =
                most.unwrap_or_else(|| panic!("FILTER_POLICY_KERNEL is {allowed:?}, which is no kernel"));
            if cfg!(feature = "std") {
                assert!(
                    available
                        .iter()
                        .all(|kernel| Kernel::ALL[..=most].contains(kernel))
                );
            }
        }
        assert_eq!(
            Kernel::ALL
                .iter()
                .map(|kernel| format!("{kernel:>7}"))
                .collect::<Vec<_>>(),
            [" scalar", "   avx2", " avx512", "   neon"]
        );
    }

    #[test]
    fn cpufeatures_is_for_x86_64_alone() {
        // It refuses to compile for processors that it does not know. A packed manifest has a table for each
        // dependency.
        let tables = include_str!("../../Cargo.toml").split("\n[");
        let tables = tables
            .filter(|table| table.lines().any(|line| line.contains("cpufeatures")))
            .filter_map(|table| table.split("dependencies").next());
        assert!(tables.eq(["target.'cfg(target_arch = \"x86_64\")'."]));
    }
}

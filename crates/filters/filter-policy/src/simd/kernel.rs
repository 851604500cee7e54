//! The names of the kernels.

use core::fmt;

/// A SIMD kernel, or the portable code. Output is identical for all of them.
///
/// Policies use the fastest that is [available](Kernel::available) unless `on_kernel`, which is for tests and benchmarks,
/// selects another kernel.
///
/// On x86-64, with the feature `std`, the environment variable `FILTER_POLICY_KERNEL` names the fastest kernel that the
/// program may use, `scalar` or `avx2`. The variable is read once, before the first filter is built or queried; other
/// values have no effect.
///
/// ```
/// use filter_policy::kernels::Kernel;
///
/// assert_eq!(Kernel::available().next(), Some(Kernel::Scalar));
/// ```
// The numbers are bits of what was found, since each query looks the kernel up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// Portable code, one key at a time; available on every processor.
    Scalar = 1,
    /// 8 keys at a time: x86-64 with AVX2, BMI1, BMI2 and POPCNT (Intel Haswell of 2013, AMD Zen).
    Avx2 = 2,
    /// 16 keys at a time: x86-64 with the instructions of `Avx2` and AVX-512 F, BW, DQ and VL (Intel Skylake-SP of
    /// 2017, AMD Zen 4).
    Avx512 = 4,
    /// 8 keys at a time: 64-bit Arm with NEON, which every such application processor has, so neither the processor nor
    /// the environment is checked.
    Neon = 8,
}

impl Kernel {
    /// All kernels of the crate, for any processor, slowest first.
    pub(crate) const ALL: &[Self] = &[Self::Scalar, Self::Avx2, Self::Avx512, Self::Neon];

    /// Returns the name in lower case: `scalar`, `avx2`, `avx512`, `neon`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

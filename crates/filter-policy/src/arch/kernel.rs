//! The names of the kernels.

use core::fmt;

/// A SIMD kernel, or the portable code. Output is identical for all of them.
///
/// Policies use [`Kernel::best`] unless they are told otherwise by
/// [`BloomFilterPolicy::on_kernel`](crate::BloomFilterPolicy::on_kernel), which is for tests and benchmarks.
///
/// With the feature `std` the environment variable `FILTER_POLICY_KERNEL` names the fastest kernel that the
/// program may use, `scalar` or `avx2`. It is read once, before the first filter is
/// built or asked; another value changes nothing.
///
/// ```
/// use filter_policy::kernels::Kernel;
///
/// assert!(Kernel::available().any(|kernel| kernel == Kernel::best()));
/// assert!(Kernel::Scalar.is_available());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// Portable code, one key at a time; on every processor.
    Scalar,
    /// 8 keys at a time: x86-64 with AVX2, BMI1, BMI2 and POPCNT (Intel Haswell of 2013, AMD Zen).
    Avx2,
    /// 16 keys at a time: x86-64 with AVX-512 F, BW, DQ and VL besides (Intel Skylake-SP of 2017, AMD Zen 4).
    Avx512,
}

impl Kernel {
    /// All kernels of the crate, for whatever processor, slowest first.
    pub const ALL: &[Self] = &[Self::Scalar, Self::Avx2, Self::Avx512];

    /// Returns the name in lower case: `scalar`, `avx2`, `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

//! Detection of instruction sets.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::simd::kernel::Kernel;

cpufeatures::new!(avx2, "avx2", "bmi1", "bmi2", "popcnt");

// With AVX-512 F the compiler assumes FMA and F16C. F16C cannot be detected here, but it is older than AVX2, and both
// only concern floating-point numbers, which are not used here.
cpufeatures::new!(
    avx512, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "fma", "popcnt"
);

/// The instruction sets that the processor and the operating system support, in one byte, so that a single load reads
/// them all; 0 before detection.
static FOUND: AtomicU8 = AtomicU8::new(0);

/// Set in all values of [`FOUND`].
const LOOKED: u8 = Kernel::Scalar as u8;
pub(crate) const AVX2: u8 = Kernel::Avx2 as u8;
pub(crate) const AVX512: u8 = Kernel::Avx512 as u8;

/// Returns what an earlier detection found; 0 if there was none.
#[inline(always)]
pub(crate) fn before() -> u8 {
    // Relaxed: no other memory depends on the value.
    FOUND.load(Ordering::Relaxed)
}

/// Detects the instruction sets, and remembers them.
#[cold]
#[inline(never)]
pub(crate) fn now() -> u8 {
    let most = most_wanted();
    let mut found = LOOKED;
    if most != Kernel::Scalar && avx2::get() {
        found |= AVX2;
    }
    if most == Kernel::Avx512 && avx512::get() {
        found |= AVX512;
    }
    FOUND.store(found, Ordering::Relaxed);
    found
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

//! Questions to one filter that was prepared: a function for each kernel, so that a question makes no choice.

/// A function that answers for one key: gets the numbers that the layout computed when the filter was prepared, the
/// filter's bits, and the key.
pub type Asker = fn(&[u64; 3], &[u8], &[u8]) -> bool;

/// Returns the [`Asker`] of a kernel. In the last expression, `$lanes` is the kernel's lanes or `$portable`, and `$token`
/// the kernel.
macro_rules! asker {
    ($kernel:expr, $portable:expr, |$lanes:ident, $token:ident, $numbers:ident, $bits:ident, $key:ident| $answer:expr) => {{
        #[cfg(target_arch = "x86_64")]
        macro_rules! of_lanes {
            ($variant:ident, $type:ty, $features:literal) => {{
                #[target_feature(enable = $features)]
                fn ask($numbers: &[u64; 3], $bits: &[u8], $key: &[u8]) -> bool {
                    // SAFETY: the function is only returned for a token of these lanes, see below.
                    let $lanes = unsafe { <$type>::assumed() };
                    let $token = KernelToken::$variant($lanes);
                    $answer
                }
                let ask: unsafe fn(&[u64; 3], &[u8], &[u8]) -> bool = ask;
                // SAFETY: the type differs only in that the processor must have the instructions, and the token proves
                // that it has them.
                unsafe { core::mem::transmute::<unsafe fn(&[u64; 3], &[u8], &[u8]) -> bool, $crate::Asker>(ask) }
            }};
        }
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            KernelToken::Avx512(_) => of_lanes!(
                Avx512,
                $crate::x86_64::Avx512,
                "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt"
            ),
            #[cfg(target_arch = "x86_64")]
            KernelToken::Avx2(_) => of_lanes!(Avx2, $crate::x86_64::Avx2, "avx2,bmi1,bmi2,popcnt"),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            KernelToken::Neon(_) => |$numbers, $bits, $key| {
                let $lanes = $crate::aarch64::Neon::new();
                let $token = KernelToken::Neon($lanes);
                $answer
            },
            KernelToken::Scalar => |$numbers, $bits, $key| {
                let ($lanes, $token) = ($portable, KernelToken::Scalar);
                $answer
            },
        }
    }};
}

pub(crate) use asker;

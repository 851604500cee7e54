//! The one way into a kernel: functions compiled for its instructions.

/// A function that answers for one key: gets the numbers that the layout computed when the filter was prepared, the
/// filter's bits, and the key.
pub type Asker = fn(&[u64; 3], &[u8], &[u8]) -> bool;

/// Calls a function of lanes, compiled for the kernel's instructions, with these arguments; generics are in brackets.
/// Where a condition of `apart` is true, and that of `unless` is not, another function is called instead, out of line, so
/// that the first one need not save registers. The portable code is the last expression, or the same function of
/// [`Portable`](crate::lanes::Portable).
macro_rules! by_kernel {
    ($kernel:expr, $function:path, $([$($generic:tt)*])? ($($argument:ident: $type:ty),+) $(-> $result:ty)?
        $(, apart $(unless $usual:expr,)? { $($condition:expr => $other:path),+ })?) => {
        by_kernel!(
            $kernel, $function, $([$($generic)*])? ($($argument: $type),+) $(-> $result)?
            $(, apart $(unless $usual,)? { $($condition => $other),+ })?, else $function($crate::lanes::Portable, $($argument),+)
        )
    };
    ($kernel:expr, $function:path, $([$($generic:tt)*])? ($($argument:ident: $type:ty),+) $(-> $result:ty)?
        $(, apart $(unless $usual:expr,)? { $($condition:expr => $other:path),+ })?, else $portable:expr) => {
        by_kernel!(@ choose $kernel, $portable, {
            $function, (lanes, $($argument),+), ($($(&& !$usual)?)?), ($($($condition => $other),+)?),
            { lanes, ($(<$($generic)*>)?), ($($argument: $type),+), ($(-> $result)?) }
        })
    };
    (@ choose $kernel:expr, $portable:expr, $work:tt) => {
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx512(lanes) => by_kernel!(@ run avx512, lanes, $crate::x86_64::Avx512, $work),
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx2(lanes) => by_kernel!(@ run avx2, lanes, $crate::x86_64::Avx2, $work),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::choose::KernelToken::Neon(lanes) => by_kernel!(@ run neon, lanes, $crate::aarch64::Neon, $work),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain8(lanes) => by_kernel!(@ run portable, lanes, $crate::tests::plain::Plain8, $work),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain16(lanes) => by_kernel!(@ run portable, lanes, $crate::tests::plain::Plain16, $work),
            $crate::choose::KernelToken::Scalar => $portable,
        }
    };
    // The arguments of a call, and what both functions are declared by, are one token tree each, which can be repeated.
    (@ run $features:ident, $lanes:ident, $of:ty, {
        $function:path, $call:tt, ($($rare:tt)*), ($($condition:expr => $other:path),*), $declared:tt
    }) => {{
        by_kernel!(@ function () $features, run, $of, $declared, {
            if true $($rare)* {
                $(if $condition {
                    by_kernel!(@ function (#[inline(never)]) $features, apart, $of, $declared, { $other $call });
                    return apart $call;
                })*
            }
            $function $call
        });
        #[allow(unused_unsafe, reason = "all code may use NEON")]
        // SAFETY: the lanes prove that the processor has the instructions.
        unsafe { by_kernel!(@ call $lanes, run $call) }
    }};
    (@ call $of_kernel:ident, $run:ident ($lanes:ident, $($argument:ident),+)) => { $run($of_kernel, $($argument),+) };
    (@ function ($($attribute:tt)*) $features:ident, $name:ident, $of:ty,
        { $lanes:ident, ($($generic:tt)*), ($($parameter:tt)+), ($($result:tt)*) }, $body:block) => {
        $crate::lanes::compiled! { $features
            $($attribute)*
            fn $name $($generic)* ($lanes: $of, $($parameter)+) $($result)* $body
        }
    };
}

/// Returns the [`Asker`] of a kernel: in the expression, `$lanes` is the kernel's lanes, and `$token` the kernel. A
/// question then makes no choice. `apart` is that of [`by_kernel`].
macro_rules! asker {
    (@ $features:ident, $of:ty, {
        |$lanes:ident, $token:ident, $numbers:ident, $bits:ident, $key:ident| $answer:expr
        $(, apart $(unless $usual:expr,)? { $($condition:expr => $other:expr),+ })?
    }) => {{
        $crate::lanes::compiled! { $features
            fn ask($numbers: &[u64; 3], $bits: &[u8], $key: &[u8]) -> bool {
                // SAFETY: the function is only returned for a token of these lanes, see below.
                let $lanes = unsafe { <$of>::assumed() };
                let $token = $crate::choose::KernelToken::from($lanes);
                $(if true $(&& !$usual)? {
                    $(if $condition {
                        $crate::lanes::compiled! { $features
                            #[inline(never)]
                            fn apart($numbers: &[u64; 3], $bits: &[u8], $key: &[u8]) -> bool {
                                // SAFETY: the calling function has the lanes.
                                let $lanes = unsafe { <$of>::assumed() };
                                $other
                            }
                        }
                        return apart($numbers, $bits, $key);
                    })+
                })?
                $answer
            }
        }
        let ask: unsafe fn(&[u64; 3], &[u8], &[u8]) -> bool = ask;
        // SAFETY: the type differs only in that the processor must have the instructions, and the token proves
        // that it has them.
        unsafe { core::mem::transmute::<unsafe fn(&[u64; 3], &[u8], &[u8]) -> bool, $crate::Asker>(ask) }
    }};
    ($kernel:expr, $($question:tt)+) => {
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx512(_) => asker!(@ avx512, $crate::x86_64::Avx512, { $($question)+ }),
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx2(_) => asker!(@ avx2, $crate::x86_64::Avx2, { $($question)+ }),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::choose::KernelToken::Neon(_) => asker!(@ neon, $crate::aarch64::Neon, { $($question)+ }),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain8(_) => asker!(@ portable, $crate::tests::plain::Plain8, { $($question)+ }),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain16(_) => asker!(@ portable, $crate::tests::plain::Plain16, { $($question)+ }),
            $crate::choose::KernelToken::Scalar => asker!(@ portable, $crate::lanes::Portable, { $($question)+ }),
        }
    };
}

pub(crate) use {asker, by_kernel};

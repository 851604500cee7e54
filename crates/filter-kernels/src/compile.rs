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
        by_kernel!(
            @ lanes, (lanes, $($argument),+), $kernel, $function, ($(<$($generic)*>)?) ($($argument: $type),+)
            ($(-> $result)?) ($($(&& !$usual)?)?) ($($($condition => $other),+)?) $portable
        )
    };
    // All arguments of a call are one token tree, which can be repeated for each condition.
    (@ $of_kernel:ident, $call:tt, $kernel:expr, $function:path, ($($generic:tt)*) ($($parameter:tt)+)
        ($($result:tt)*) ($($rare:tt)*) ($($condition:expr => $other:path),*) $portable:expr) => {{
        #[allow(unused_macros, reason = "without `apart`, or without lanes")]
        macro_rules! apart {
            ($features:ident, $of:ty, $apart:path) => {
                $crate::lanes::compiled! { $features
                    #[inline(never)]
                    fn apart $($generic)* ($of_kernel: $of, $($parameter)+) $($result)* {
                        $apart $call
                    }
                }
            };
        }
        #[allow(unused_macros, reason = "without lanes")]
        macro_rules! run {
            ($features:ident, $lanes:ident, $of:ty) => {{
                $crate::lanes::compiled! { $features
                    fn run $($generic)* ($of_kernel: $of, $($parameter)+) $($result)* {
                        if true $($rare)* {
                            $(if $condition {
                                apart!($features, $of, $other);
                                return apart $call;
                            })*
                        }
                        $function $call
                    }
                }
                let $of_kernel = $lanes;
                #[allow(unused_unsafe, reason = "all code may use NEON")]
                // SAFETY: the lanes prove that the processor has the instructions.
                unsafe { run $call }
            }};
        }
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx512(lanes) => run!(avx512, lanes, $crate::x86_64::Avx512),
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx2(lanes) => run!(avx2, lanes, $crate::x86_64::Avx2),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::choose::KernelToken::Neon(lanes) => run!(neon, lanes, $crate::aarch64::Neon),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain8(lanes) => run!(portable, lanes, $crate::tests::plain::Plain8),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain16(lanes) => run!(portable, lanes, $crate::tests::plain::Plain16),
            $crate::choose::KernelToken::Scalar => $portable,
        }
    }};
}

/// Returns the [`Asker`] of a kernel: in the expression, `$lanes` is the kernel's lanes, and `$token` the kernel. A
/// question then makes no choice. `apart` is that of [`by_kernel`].
macro_rules! asker {
    ($kernel:expr, |$lanes:ident, $token:ident, $numbers:ident, $bits:ident, $key:ident| $answer:expr
        $(, apart $(unless $usual:expr,)? { $($condition:expr => $other:expr),+ })?) => {{
        #[allow(unused_macros, reason = "without lanes")]
        macro_rules! of_lanes {
            ($features:ident, $of:ty) => {{
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
        }
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx512(_) => of_lanes!(avx512, $crate::x86_64::Avx512),
            #[cfg(target_arch = "x86_64")]
            $crate::choose::KernelToken::Avx2(_) => of_lanes!(avx2, $crate::x86_64::Avx2),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::choose::KernelToken::Neon(_) => of_lanes!(neon, $crate::aarch64::Neon),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain8(_) => of_lanes!(portable, $crate::tests::plain::Plain8),
            #[cfg(test)]
            $crate::choose::KernelToken::Plain16(_) => of_lanes!(portable, $crate::tests::plain::Plain16),
            $crate::choose::KernelToken::Scalar => of_lanes!(portable, $crate::lanes::Portable),
        }
    }};
}

pub(crate) use {asker, by_kernel};

//! The one way into a kernel: code that is compiled for its instructions.

/// A function that answers for one key: gets the numbers that the format computed when the filter was prepared, the
/// filter's bits, and the key.
pub type Lookup = fn(&[u64; 3], &[u8], &[u8]) -> bool;

/// Compiles a function for the instructions of a kernel: the only place with their names. It is an item, or has
/// generics in brackets.
macro_rules! compiled {
    ($features:ident $(#[$attribute:meta])* fn $name:ident [$($generic:tt)*] $parameters:tt -> $result:ty $body:block) => {
        $crate::simd::compile::compiled! { $features $(#[$attribute])* fn $name <$($generic)*> $parameters -> $result $body }
    };
    (avx2 $function:item) => {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        $function
    };
    (avx512 $function:item) => {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        $function
    };
    // All code may use NEON.
    ($other:ident $function:item) => {
        $function
    };
}

/// Runs a closure, compiled for a kernel's instructions, with the variables of its parameters' names. It captures
/// nothing, and its first parameter is the kernel's lanes: [`Portable`](crate::simd::lanes::Portable) for portable code,
/// unless an expression after the kernel takes its place. Generics are in brackets before the closure.
///
/// `apart` names what is unusual, and cases of it: the block of the first case that holds then runs out of line, so
/// that the closure need not save registers.
///
/// Code for lanes must not be in a closure inside: it would have the instructions, but iterators that call it would
/// not.
macro_rules! by_kernel {
    ($([$($generic:tt)*],)? |$lanes:ident, $($argument:ident: $type:ty),+| -> $result:ty $body:block
        $(apart ($unusual:expr) { $($case:expr => $other:block)+ })?, $kernel:expr $(, $portable:expr)? $(,)?) => {
        by_kernel!(@ choose $kernel, run($($argument),+), [$($portable)?], {
            $lanes, [$($($generic)*)?] ($($argument: $type),+) -> $result, $body,
            ($($argument),+), false $(|| $unusual)? => { $($($case => $other)+)? }
        })
    };
    (@ choose $kernel:expr, $result:expr, $portable:tt, $function:tt) => {
        match $kernel.0 {
            #[cfg(target_arch = "x86_64")]
            $crate::simd::choose::Token::Avx512(_) => by_kernel!(@ avx512 $crate::simd::x86_64::Avx512, $result, $function),
            #[cfg(target_arch = "x86_64")]
            $crate::simd::choose::Token::Avx2(_) => by_kernel!(@ avx2 $crate::simd::x86_64::Avx2, $result, $function),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::simd::choose::Token::Neon(_) => by_kernel!(@ neon #[inline] $crate::simd::aarch64::Neon, $result, $function),
            #[cfg(test)]
            $crate::simd::choose::Token::Plain8(_) => by_kernel!(@ portable $crate::simd::tests::plain::Plain8, $result, $function),
            #[cfg(test)]
            $crate::simd::choose::Token::Narrow8(_) => by_kernel!(@ portable $crate::simd::tests::plain::Narrow8, $result, $function),
            #[cfg(test)]
            $crate::simd::choose::Token::Plain16(_) => by_kernel!(@ portable $crate::simd::tests::plain::Plain16, $result, $function),
            $crate::simd::choose::Token::Scalar => by_kernel!(@ $portable $result, $function),
        }
    };
    (@ [] $result:expr, $function:tt) => { by_kernel!(@ portable #[inline(always)] $crate::simd::lanes::Portable, $result, $function) };
    (@ out_of_line $result:expr, $function:tt) => { by_kernel!(@ portable $crate::simd::lanes::Portable, $result, $function) };
    (@ [$portable:expr] $result:expr, $function:tt) => { $portable };
    // The result is that of `run`, or `run` itself.
    (@ $features:ident $(#[$inline:meta])? $of:ty, $result_of_run:expr, {
        $lanes:ident, $generic:tt $parameters:tt -> $result:ty, $body:block,
        $arguments:tt, $unusual:expr => { $($case:expr => $other:block)* }
    }) => {{
        $crate::simd::compile::compiled! { $features $(#[$inline])? fn run $generic $parameters -> $result {
            #[allow(unsafe_code, reason = "see below")]
            // SAFETY: the function is for kernels with these lanes alone.
            let $lanes = unsafe { <$of as $crate::simd::lanes::Target>::assumed() };
            if $unusual {
                $(if $case {
                    $crate::simd::compile::compiled! { $features #[inline(never)] fn apart $generic $parameters -> $result {
                        #[allow(unsafe_code, reason = "see below")]
                        // SAFETY: the calling function has the lanes.
                        let $lanes = unsafe { <$of as $crate::simd::lanes::Target>::assumed() };
                        $other
                    } }
                    return apart $arguments;
                })*
            }
            $body
        } }
        #[allow(unsafe_code, unused_unsafe, reason = "of the kernel's own instructions; all code may use NEON")]
        // SAFETY: the kernel is one of these lanes, which prove that the processor has the instructions.
        unsafe { $result_of_run }
    }};
}

/// Returns the [`Lookup`] of a kernel: a query then makes no choice. The closure is like that of [`by_kernel`], and its
/// last three parameters are those of the prepared query.
macro_rules! lookup {
    ($kernel:expr, |$lanes:ident, $numbers:ident, $bits:ident, $key:ident| $body:block
        $(apart ($unusual:expr) { $($case:expr => $other:block)+ })? $(,)?) => {
        $crate::simd::compile::by_kernel!(@ choose $kernel, {
            let look_up: unsafe fn(&[u64; 3], &[u8], &[u8]) -> bool = run;
            // The type differs only in that the processor must have the instructions.
            core::mem::transmute::<unsafe fn(&[u64; 3], &[u8], &[u8]) -> bool, $crate::simd::compile::Lookup>(look_up)
        }, out_of_line, {
            $lanes, [] ($numbers: &[u64; 3], $bits: &[u8], $key: &[u8]) -> bool, $body,
            ($numbers, $bits, $key), false $(|| $unusual)? => { $($($case => $other)+)? }
        })
    };
}

pub(crate) use {by_kernel, compiled, lookup};

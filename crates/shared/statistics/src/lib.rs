#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod binomial;
pub mod buckets;
pub mod chi_square;
pub mod collisions;
pub mod correction;
pub mod normal;
pub mod occupancy;
pub mod poisson;
pub mod probes;
pub mod robust;
pub mod root;
pub mod significant;
mod special;

#[cfg(test)]
pub(crate) mod test_support {
    /// Returns true if two numbers agree to `relative`, or if both are negligible.
    pub(crate) fn close(a: f64, b: f64, relative: f64) -> bool {
        (a - b).abs() <= relative * a.abs().max(b.abs()) || (a.abs() < 1e-290 && b.abs() < 1e-290)
    }

    /// Asserts that two numbers agree to `relative`.
    macro_rules! assert_close {
        ($got:expr, $expected:expr, $relative:expr $(, $($context:tt)+)?) => {{
            let (got, expected): (f64, f64) = ($got, $expected);
            assert!(
                $crate::test_support::close(got, expected, $relative),
                "got {got:e}, expected {expected:e} {}",
                String::new() $(+ &format!($($context)+))?
            );
        }};
    }
    pub(crate) use assert_close;
}

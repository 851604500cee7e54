//! The only place that selects a kernel.

use crate::Kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{Avx2, Avx512, Found};

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
        {
            Self::among(Found::before().unwrap_or_else(Found::now), kernel)
        }
        #[cfg(not(target_arch = "x86_64"))]
        match kernel {
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            None | Some(Kernel::Neon) => Self::Neon(Neon::new()),
            _ => Self::Scalar,
        }
    }

    /// Returns the fastest kernel that was found and that `kernel` allows.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn among(found: Found, kernel: Option<Kernel>) -> Self {
        let found = found.only_for(kernel);
        if let Some(lanes) = Avx512::of(found) {
            Self::Avx512(lanes)
        } else if let Some(lanes) = Avx2::of(found) {
            Self::Avx2(lanes)
        } else {
            Self::Scalar
        }
    }

    /// Returns the name of the kernel.
    pub const fn kernel(self) -> Kernel {
        match self {
            Self::Scalar => Kernel::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Kernel::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Kernel::Avx512,
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Self::Neon(_) => Kernel::Neon,
        }
    }
}

/// Calls a function of lanes, compiled for the kernel's instructions, with these arguments. Without lanes, its lanes are
/// `Portable` of the calling module, unless there is another expression.
macro_rules! by_kernel {
    ($kernel:expr, $function:path, ($($argument:ident: $type:ty),+) $(-> $result:ty)?) => {
        by_kernel!(
            $kernel, $function, ($($argument: $type),+) $(-> $result)?, else $function(Portable, $($argument),+)
        )
    };
    ($kernel:expr, $function:path, ($($argument:ident: $type:ty),+) $(-> $result:ty)?, else $portable:expr) => {{
        #[cfg(target_arch = "x86_64")]
        macro_rules! compiled {
            ($lanes:expr, $of:ty, $features:literal) => {{
                #[target_feature(enable = $features)]
                fn run(lanes: $of, $($argument: $type),+) $(-> $result)? {
                    $function(lanes, $($argument),+)
                }
                // SAFETY: the lanes prove that the processor has the instructions.
                unsafe { run($lanes, $($argument),+) }
            }};
        }
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            KernelToken::Avx512(lanes) => compiled!(
                lanes,
                $crate::x86_64::Avx512,
                "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt"
            ),
            #[cfg(target_arch = "x86_64")]
            KernelToken::Avx2(lanes) => compiled!(lanes, $crate::x86_64::Avx2, "avx2,bmi1,bmi2,popcnt"),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            // All code may use these instructions, so no separate functions are needed.
            KernelToken::Neon(lanes) => $function(lanes, $($argument),+),
            KernelToken::Scalar => $portable,
        }
    }};
}

pub(crate) use by_kernel;

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

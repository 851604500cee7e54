//! The kernel that a policy uses: the fastest, or one to which it is pinned.

use crate::simd::KernelToken;

/// Selects the fastest kernel that the processor has, for every filter and query. Policies do so unless
/// [`Policy::on_kernel`](super::Policy::on_kernel) pins a kernel. Uses no memory.
#[derive(Debug, Clone, Copy)]
pub struct BestKernel;

/// Selects the kernel of a policy: [`BestKernel`], or a [`KernelToken`], to which
/// [`Policy::on_kernel`](super::Policy::on_kernel) pins it.
pub(crate) trait KernelChoice: Copy {
    /// Returns the kernel.
    #[doc(hidden)]
    fn token(self) -> KernelToken;

    /// Calls `then` with the kernel, or `at_first` if CPU features have not been detected yet.
    #[doc(hidden)]
    fn dispatch<R>(self, then: impl Fn(KernelToken) -> R, at_first: impl FnOnce() -> R) -> R;
}

impl KernelChoice for BestKernel {
    #[inline(always)]
    fn token(self) -> KernelToken {
        KernelToken::best()
    }

    #[inline(always)]
    fn dispatch<R>(self, then: impl Fn(KernelToken) -> R, at_first: impl FnOnce() -> R) -> R {
        KernelToken::dispatch(then, at_first)
    }
}

/// A pinned kernel.
impl KernelChoice for KernelToken {
    #[inline(always)]
    fn token(self) -> Self {
        self
    }

    #[inline(always)]
    fn dispatch<R>(self, then: impl Fn(Self) -> R, _: impl FnOnce() -> R) -> R {
        then(self)
    }
}

//! The methods that all policies of this crate have alike.

/// Writes `bits_per_key`, `on_kernel` and the chosen kernel of a policy with the fields `bits_per_key` and `kernel`.
macro_rules! configured {
    () => {
        /// Returns the bits per key.
        pub const fn bits_per_key(&self) -> BitsPerKey {
            self.bits_per_key
        }

        /// Returns this policy pinned to a kernel, for tests and benchmarks. Bytes, answers and name do not change. If the
        /// processor lacks the kernel, [`Kernel::Scalar`] is used.
        pub const fn on_kernel(mut self, kernel: Kernel) -> Self {
            self.kernel = Some(kernel);
            self
        }

        #[inline]
        fn token(&self) -> KernelToken {
            KernelToken::given(self.kernel)
        }
    };
}

/// Writes the methods of `FilterPolicy` that answer by the contents of stored bytes, and those of
/// [`hashed_methods`](filter_policy::hashed_methods).
///
/// `$kind` are the usual contents, which the functions `key_may_match` and `may_match` of the module answer without a
/// plan: one would cost a tenth of the instructions. A policy may have a `key_may_match` of its own.
macro_rules! answers {
    (|$policy:ident, $filter:ident| $contents:expr, $kernel:expr, $kind:pat => $module:ident($($part:ident),+)) => {
        #[inline]
        fn key_may_match(&self, key: &[u8], $filter: &[u8]) -> bool {
            let $policy = self;
            match $contents {
                $kind => $module::key_may_match($kernel, $($part,)+ key),
                Contents::Empty => false,
                Contents::Reserved => true,
                contents => contents.plan($kernel).may_match($filter, key),
            }
        }

        answers!(|$policy, $filter| $contents, $kernel, $kind => $module($($part),+), but key_may_match);
    };
    (
        |$policy:ident, $filter:ident| $contents:expr, $kernel:expr, $kind:pat => $module:ident($($part:ident),+),
        but key_may_match
    ) => {
        #[inline]
        fn prepare<'a>(&'a self, $filter: &'a [u8]) -> filter_policy::PreparedFilter<'a> {
            let $policy = self;
            filter_policy::PreparedFilter::new(self, $filter, $contents.plan($kernel))
        }

        #[inline]
        fn hashed_may_match(&self, key: &[u8], hash: filter_policy::KeyHash, $filter: &[u8]) -> bool {
            let $policy = self;
            match ($contents, filter_policy::HashValue::of(hash)) {
                ($kind, Some(hash)) => $module::may_match($kernel, $($part,)+ hash),
                (contents, _) => contents.hashed_may_match($kernel, key, hash, $filter),
            }
        }

        filter_policy::hashed_methods!();
    };
}

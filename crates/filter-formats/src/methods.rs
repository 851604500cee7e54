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

/// Writes the methods of `FilterPolicy` that answer by the [`Contents`](crate::contents::Contents) of stored bytes, which
/// `$contents` returns, and those of [`hashed_methods`](filter_policy::hashed_methods). A policy that has a faster way to
/// `key_may_match` says so.
macro_rules! answers_by_contents {
    (|$policy:ident, $filter:ident| $contents:expr, $kernel:expr) => {
        #[inline]
        fn key_may_match(&self, key: &[u8], $filter: &[u8]) -> bool {
            let $policy = self;
            $contents.may_match($kernel, key)
        }

        answers_by_contents!(|$policy, $filter| $contents, $kernel, but key_may_match);
    };
    (|$policy:ident, $filter:ident| $contents:expr, $kernel:expr, but key_may_match) => {
        #[inline]
        fn prepare<'a>(&'a self, $filter: &'a [u8]) -> filter_policy::PreparedFilter<'a> {
            let $policy = self;
            filter_policy::PreparedFilter::new(self, $filter, $contents.plan($kernel))
        }

        #[inline]
        fn hashed_may_match(&self, key: &[u8], hash: filter_policy::KeyHash, $filter: &[u8]) -> bool {
            let $policy = self;
            let answer = $contents.may_match_hash($kernel, hash);
            answer.unwrap_or_else(|| self.key_may_match(key, $filter))
        }

        filter_policy::hashed_methods!();
    };
}

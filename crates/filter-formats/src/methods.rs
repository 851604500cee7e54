//! The macros that the layouts and policies of this crate share.

/// Writes `on_kernel` and the chosen kernel of a policy with the field `kernel`.
macro_rules! configured {
    () => {
        /// Returns this policy pinned to a kernel, for tests and benchmarks. Bytes, answers and name do not change. If the
        /// processor lacks the kernel, [`Kernel::Scalar`] is used.
        pub const fn on_kernel(mut self, kernel: Kernel) -> Self {
            self.kernel = Some(kernel);
            self
        }

        #[inline]
        pub(crate) fn token(&self) -> KernelToken {
            KernelToken::given(self.kernel)
        }
    };
}

/// Writes the methods of `FilterPolicy` that answer by the contents of stored bytes, and those of
/// [`hashed_methods`](filter_policy::hashed_methods).
///
/// `$kind` are the usual filters, which the functions `key_may_match` and `may_match` of the module answer without a
/// plan: one would cost a tenth of the instructions. A policy may have a `key_may_match` of its own.
macro_rules! answers {
    (|$policy:ident, $filter:ident| $contents:expr, $kernel:expr, $kind:pat => $module:ident($($part:ident),+)) => {
        #[inline]
        fn key_may_match(&self, key: &[u8], $filter: &[u8]) -> bool {
            use crate::contents::Contents;

            let $policy = self;
            #[allow(unreachable_patterns, reason = "most layouts have one kind of filter")]
            match $contents {
                Contents::Filter($kind) => $module::key_may_match($kernel, $($part,)+ key),
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
            filter_policy::PreparedFilter::planned(self, $filter, $contents.plan($kernel))
        }

        #[inline]
        fn hashed_may_match(&self, key: &[u8], hash: filter_policy::KeyHash, $filter: &[u8]) -> bool {
            let $policy = self;
            let own = hash.of(filter_policy::HashedPolicy::hash_function(self));
            match ($contents, own) {
                (crate::contents::Contents::Filter($kind), Some(hash)) => {
                    $module::may_match($kernel, $($part,)+ hash)
                }
                (contents, _) => contents.hashed_may_match($kernel, key, hash, $filter),
            }
        }

        filter_policy::hashed_methods!();
    };
}

/// Defines the reader of a kind of filters with kernels: `$bits` and `$plan` give the arguments between the kernel and
/// what is asked.
macro_rules! kernel_reader {
    ($reader:ident, $kind:ident, $kernels:ident, |$bits:ident, $plan:ident| $($argument:expr),*) => {
        static $reader: filter_policy::prepared::Reader = filter_policy::prepared::Reader {
            name: crate::view::Format::$kind.name,
            keys: Some(|$plan, $bits, keys, answers| {
                let source = filter_kernels::WideSource::Keys(keys);
                filter_kernels::$kernels::may_match_many($plan.kernel, $($argument,)* source, answers);
            }),
            hash: |$plan, $bits, hash| filter_kernels::$kernels::may_match($plan.kernel, $($argument,)* hash),
            hashes: |$plan, $bits, hashes, answers| match hashes.values() {
                Some(hashes) => {
                    let source = filter_kernels::WideSource::Hashes(hashes);
                    filter_kernels::$kernels::may_match_many($plan.kernel, $($argument,)* source, answers);
                }
                None => filter_policy::answers::fill(true, hashes.len(), answers),
            },
        };
    };
}

/// Makes rows for the list of policies. Each has the name, the short names, the format, the bytes of memory for each key
/// that building takes beside the hash values and the filter, and the constructor.
macro_rules! named {
    ($($row:ident: $name:expr, [$($short:literal),+], $format:ident, $building:literal, $new:expr;)+) => {$(
        #[cfg(feature = "alloc")]
        pub(crate) const $row: crate::named::NamedPolicy = crate::named::NamedPolicy {
            name: $name,
            short_names: &[$($short),+],
            format: crate::view::Format::$format,
            building: $building,
            new: |bits| alloc::boxed::Box::new($new(bits)),
        };
    )+};
}

//! The methods that the sequential and the concurrent filter share.

/// Implements them; the latter inserts through `&self`.
macro_rules! common {
    ($filter:ident $(, $mutable:tt)?) => {
        crate::stored::filter!([F] $filter<F>, F, |hash: crate::hash::Hash128| hash.h1, bool, () $(, $mutable)?);
        crate::stored::stored!([F: crate::funnel::Hashing] $filter<F>, b"MFblocks", F, (funnel: F), funnel);

        crate::stored::with_capacity!([] $filter, (), |capacity, rate| {
            Self::new(crate::hash::Xxph3, &crate::blocked::Parameters::new(capacity, rate)?)
        });

        impl<F> $filter<F> {
            /// Returns the parameters that the filter was made with.
            pub const fn parameters(&self) -> &crate::blocked::Parameters {
                &self.parameters
            }

            /// Returns the number of bits, a multiple of 256.
            pub const fn bits(&self) -> u64 {
                self.parameters.memory_bytes() * 8
            }

            /// Returns the number of bits that a key sets: 8.
            pub const fn probe_count(&self) -> u32 {
                self.parameters.probe_count()
            }

            /// Returns an estimate of the number of different keys, from the shares of set bits. `None` if too few bits are left
            /// for an estimate. Reads the whole filter.
            pub fn estimated_len(&self) -> Option<u64> {
                self.stats().len
            }

            /// Returns the state of the filter. Reads the whole filter.
            pub fn stats(&self) -> crate::stats::Stats {
                self.with_bytes(crate::blocked::stats)
            }

            /// Checks that the filters can be merged: equal numbers of blocks and funnels.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Incompatible`](crate::ErrorKind::Incompatible) names the first difference and both values.
            pub fn check_compatible(&self, other: &Self) -> Result<(), crate::error::Error>
            where
                F: PartialEq + core::fmt::Debug,
            {
                let (ours, theirs) = (self.parameters.blocks(), other.parameters.blocks());
                crate::error::Error::check_equal("numbers of blocks", &ours, &theirs)?;
                crate::error::Error::check_equal("funnels", &self.funnel, &other.funnel)
            }
        }

        impl<F> $filter<F> {
            const fn form_len(&self) -> u64 {
                self.parameters.stored_len()
            }

            fn put<E>(&self, writer: &mut crate::envelope::Writer<'_, E>) -> Result<(), E> {
                writer.bytes(&self.parameters.blocks().to_le_bytes())?;
                writer.bytes(&[0; 4])?;
                self.with_bytes(|bytes| writer.bytes(bytes))
            }
        }
    };
}
pub(crate) use common;

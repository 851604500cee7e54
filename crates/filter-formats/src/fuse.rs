//! Binary fuse filters, as Pebble stores them.

#[cfg(feature = "alloc")]
mod forms;
#[cfg(feature = "alloc")]
mod policy;
pub(crate) mod sizes;

#[cfg(feature = "alloc")]
pub use forms::BinaryFuseForm;
#[cfg(feature = "alloc")]
pub use policy::BinaryFusePolicy;

#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;
#[cfg(feature = "add")]
extern crate std;

#[cfg(feature = "add")]
pub mod add;
mod column;
mod error;
mod file;
mod footer;
mod schema;
mod value;

pub use column::{ColumnChunk, ColumnType, Levels, LogicalType, PhysicalType};
pub use error::{Error, FooterError};
pub use file::{ColumnFilter, ENCRYPTED_MAGIC, MAGIC, ParquetFile};
#[doc(no_inline)]
pub use filter_tables::{PastEnd, ReadAt};
pub use footer::Footer;
pub use value::{Typed, Value, ValueError, ValueForm};

//! From a comparison to its report: the order in which things are measured, judged, told and written.

mod comparison;
pub(crate) mod measured;
pub mod quality;
pub(crate) mod report;
pub mod summary;

pub use self::comparison::Comparison;
pub use self::report::Report;

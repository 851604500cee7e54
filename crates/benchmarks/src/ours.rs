//! The filters of this project.

pub mod filters;
pub mod policies;
pub mod series;
#[cfg(test)]
mod tests;

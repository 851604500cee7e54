//! The measurements, one file each.

pub mod timing;

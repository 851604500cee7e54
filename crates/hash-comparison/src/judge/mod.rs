//! Interpretation of measurements: verdicts, findings, recommendations, changes since earlier runs, false alarms.

pub mod baseline;
pub mod calibration;
pub mod collisions;
pub mod costs;
pub mod findings;
pub(crate) mod high_bits;
pub mod joined;
pub mod mechanisms;
pub mod medians;
pub mod mixing;
pub mod occupancy;
pub mod published;
pub mod recommend;
pub mod structured;
pub mod times;
pub mod vocabulary;
pub mod windows;
mod words;

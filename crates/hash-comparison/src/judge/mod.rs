//! What the measurements mean: findings, recommendations, comparison with an earlier run, false alarms of the tests.

pub mod baseline;
pub mod calibration;
pub mod findings;
pub mod published;
pub mod recommend;

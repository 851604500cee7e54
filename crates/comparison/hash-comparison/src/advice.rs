//! Conclusions from all questions: findings, costs by purpose, recommendations, several runs together, false alarms.

pub mod calibration;
pub mod costs;
pub mod figures;
pub mod findings;
pub mod joined;
pub mod over_sets;
pub mod published;
pub mod recommend;
pub mod times;
pub mod weakness;

//! The charts of the suites.

pub(crate) mod membership;
pub(crate) mod memory;
pub(crate) mod point_reads;
pub(crate) mod policy;
pub(crate) mod rates;
pub(crate) mod redis;
pub(crate) mod which;

use plots::scene::Scene;

use crate::folder::Chart;

/// The chart of this name, where there is something to draw.
pub(crate) fn one(name: &'static str, scene: Option<Scene>) -> Vec<Chart> {
    scene.into_iter().map(|scene| Chart { name, scene }).collect()
}

//! The mark of each verdict: a shape and a colour of the Okabe-Ito palette, so that neither is needed alone.

use plotters::style::RGBColor;

use super::scene::{Anchor, Font, PAPER, Scene};
use crate::record::Verdict;

/// Most welcome first.
pub(crate) const VERDICTS: [Verdict; 4] = [
    Verdict::FewerThanChance,
    Verdict::InBand,
    Verdict::MeasurablyWorse,
    Verdict::Unusable,
];

/// Marks that carry no verdict: the colour of none.
pub(crate) const NEUTRAL: RGBColor = RGBColor(0x5a, 0x63, 0x6e);

/// Half the height of a mark in a row of a chart.
pub(crate) const RADIUS: f64 = 4.5;

/// The verdict in words.
pub(crate) fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "fewer than chance",
        Verdict::InBand => "no difference from chance seen",
        Verdict::MeasurablyWorse => "measurably worse",
        Verdict::Unusable => "unusable",
    }
}

/// The verdict's colour.
pub(crate) fn color(verdict: Verdict) -> RGBColor {
    match verdict {
        Verdict::FewerThanChance => RGBColor(0x00, 0x9e, 0x73),
        Verdict::InBand => RGBColor(0x00, 0x72, 0xb2),
        Verdict::MeasurablyWorse => RGBColor(0xe6, 0x9f, 0x00),
        Verdict::Unusable => RGBColor(0xd5, 0x5e, 0x00),
    }
}

/// Width of the rim of a hollow mark.
const RIM: f64 = 1.5;

/// A filled mark without a verdict.
pub(crate) fn neutral(scene: &mut Scene, at: (f64, f64), radius: f64) {
    scene.circle(at, radius, NEUTRAL);
}

/// A hollow mark without a verdict.
pub(crate) fn neutral_hollow(scene: &mut Scene, at: (f64, f64), radius: f64) {
    neutral(scene, at, radius);
    scene.circle(at, radius - RIM, PAPER);
}

/// A filled mark.
pub(crate) fn filled(scene: &mut Scene, verdict: Verdict, at: (f64, f64), radius: f64) {
    shape(scene, verdict, at, radius, color(verdict));
}

/// A hollow mark of the same size.
pub(crate) fn hollow(scene: &mut Scene, verdict: Verdict, at: (f64, f64), radius: f64) {
    filled(scene, verdict, at, radius);
    // The rim of a triangle is thinner across its sides than at its height: leave it more room.
    let inner = if verdict == Verdict::MeasurablyWorse {
        radius - 2.0 * RIM
    } else {
        radius - RIM
    };
    shape(scene, verdict, at, inner, PAPER);
}

fn shape(scene: &mut Scene, verdict: Verdict, (x, y): (f64, f64), r: f64, color: RGBColor) {
    match verdict {
        Verdict::InBand => scene.circle((x, y), r, color),
        Verdict::FewerThanChance => {
            let r = r * 1.2;
            scene.polygon(vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)], color);
        }
        Verdict::MeasurablyWorse => {
            // An equilateral triangle about its centre.
            let (r, side) = (r * 1.25, r * 1.25 * 0.866);
            scene.polygon(
                vec![(x, y - r), (x + side, y + r / 2.0), (x - side, y + r / 2.0)],
                color,
            );
        }
        Verdict::Unusable => {
            let r = r * 0.9;
            scene.polygon(
                vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
                color,
            );
        }
    }
}

/// Writes the meaning of the marks that `used` holds, ending at `right`; returns its left end.
pub(crate) fn key(scene: &mut Scene, used: &[Verdict], right: f64, y: f64) -> f64 {
    let mut x = right;
    for verdict in VERDICTS.into_iter().rev().filter(|v| used.contains(v)) {
        scene.text_middle((x, y), Anchor::End, Font::VALUE, words(verdict));
        x -= Font::VALUE.width(words(verdict)) + 9.0;
        filled(scene, verdict, (x, y), RADIUS);
        x -= 18.0;
    }
    x
}

//! Tests that page and charts are readable in both colour schemes. Charts are drawn for white paper; a filter of the page's
//! style sheet turns them for the dark scheme.

use std::collections::{BTreeMap, BTreeSet};

use hash_comparison::page::drawing;
use hash_comparison::questions::shades::Heat;
use plots::scene::{Color, INK, MUTED, PAPER, STRIPE};

use crate::fixtures::committed;

const CSS: &str = include_str!("../../../src/page/style.css");

/// Returns the custom properties that hold colours in the first `:root` of a text.
fn variables(css: &str) -> BTreeMap<&str, Color> {
    let (_, rest) = css.split_once(":root {").unwrap();
    let (block, _) = rest.split_once('}').unwrap();
    let declared = block.split(';').filter_map(|line| line.trim().split_once(": "));
    declared
        .filter_map(|(name, value)| Some((name.strip_prefix("--")?, color(value)?)))
        .collect()
}

fn color(text: &str) -> Option<Color> {
    let digits = text.trim().strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let part = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some(Color(part(0)?, part(2)?, part(4)?))
}

/// Returns the WCAG 2 contrast of two colours, from 1 to 21.
fn contrast(a: Color, b: Color) -> f64 {
    let linear = |part: u8| {
        let share = f64::from(part) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            libm::pow((share + 0.055) / 1.055, 2.4)
        }
    };
    let luminance = |Color(r, g, b): Color| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn dark() -> &'static str {
    CSS.split_once("(prefers-color-scheme: dark)").unwrap().1
}

/// Returns a chart's colour under the filter of the dark scheme, as the Filter Effects specification computes it.
fn in_the_dark(light: Color) -> Color {
    assert!(CSS.contains("filter: invert(1) hue-rotate(180deg) contrast(1.03);"));
    let [r, g, b] = [light.0, light.1, light.2].map(|part| 1.0 - f64::from(part) / 255.0);
    // The rotation by half a circle, which keeps the luminance.
    let grey = 2.0 * (0.213 * r + 0.715 * g + 0.072 * b);
    let [r, g, b] = [r, g, b].map(|part| {
        let turned = (grey - part).clamp(0.0, 1.0);
        (255.0 * ((turned - 0.5) * 1.03 + 0.5).clamp(0.0, 1.0)).round() as u8
    });
    Color(r, g, b)
}

#[test]
fn texts_of_the_page_stand_out_in_both_schemes() {
    // Published example: #777777 on white is 4.48.
    let published = contrast(Color(0x77, 0x77, 0x77), Color(255, 255, 255));
    assert!((published - 4.48).abs() < 0.005);
    for (scheme, css) in [("light", CSS), ("dark", dark())] {
        let named = variables(css);
        for text in ["ink", "muted", "accent", "mine"] {
            for ground in ["paper", "shade"] {
                let found = contrast(named[text], named[ground]);
                assert!(found >= 4.5, "{scheme}: {text} on {ground}: {found:.2}");
            }
        }
    }
}

#[test]
fn texts_of_charts_stand_out_in_both_schemes() {
    let grounds = [PAPER, STRIPE].into_iter();
    let on_sheet = grounds.flat_map(|ground| [INK, MUTED].map(|ink| (ground, ink)));
    let in_cells = [Heat::Chance, Heat::Above(1), Heat::Above(2), Heat::Above(4)]
        .map(|shade| (shade.fill(), shade.ink()));
    for (ground, ink) in on_sheet.chain(in_cells) {
        let light = contrast(ground, ink);
        let dark = contrast(in_the_dark(ground), in_the_dark(ink));
        assert!(
            light >= 4.5 && dark >= 4.5,
            "{ink:?} on {ground:?}: {light:.2}, {dark:.2} in the dark"
        );
    }
}

#[test]
fn every_colour_of_a_chart_has_a_place_in_the_dark() {
    let charts = drawing::all(&committed());
    let drawn: Vec<String> = charts.iter().map(|chart| plots::svg(&chart.scene)).collect();
    let used: BTreeSet<&str> = drawn
        .iter()
        .flat_map(|svg| svg.split(" color=\"#").skip(1))
        .map(|rest| &rest[..6])
        .collect();
    assert!(used.len() > 5, "{used:?}");
    for digits in used {
        let light = color(&format!("#{digits}")).unwrap();
        // Colours that are pale on white are pale in the dark, others must be visible.
        let found = contrast(in_the_dark(light), in_the_dark(PAPER));
        assert!(
            found >= 3.0 || contrast(light, PAPER) < 3.0,
            "#{digits}: {found:.2}"
        );
    }
}

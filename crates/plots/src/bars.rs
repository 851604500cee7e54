//! Ratios to a peer as bars: groups of contenders, one a row, and a panel for each thing that was measured.

use super::mark::NEUTRAL;
use super::number;
use super::panel::{AXIS, MARGIN, Panel, Rows};
use super::scale::Scale;
use super::scene::{Anchor, Dash, Font, INK, MUTED, PAPER, STRIPE, Scene};

const WIDTH: f64 = 1080.0;
const HEAD: f64 = 64.0;
const ROW: f64 = 22.0;
/// Half the height of a bar.
const BAR: f64 = 6.0;

/// What a chart of bars shows; a line is drawn at the peer's 1.
pub struct Bars<'a> {
    /// What the chart shows, for those who cannot see it.
    pub description: &'a str,
    /// Above the chart.
    pub title: &'a str,
    /// Below every panel.
    pub axis: &'a str,
    /// The panels' titles.
    pub panels: &'a [&'a str],
    /// Room for the names, for each panel's axis, and right of it for the longest bar's values.
    pub room: Room,
    /// From the top.
    pub groups: Vec<Group>,
}

/// Widths in pixels.
pub struct Room {
    pub names: f64,
    pub panel: f64,
    pub values: f64,
}

/// Contenders under a heading.
pub struct Group {
    pub name: String,
    /// Behind the name, smaller.
    pub note: String,
    pub contenders: Vec<Contender>,
}

/// A row of bars.
pub struct Contender {
    pub name: &'static str,
    /// Whether it is this project's: full bars, hollow ones for others.
    pub ours: bool,
    /// By the index of their panel.
    pub bars: Vec<(usize, Bar)>,
}

/// A ratio with its interval.
pub struct Bar {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// Behind the bar.
    pub text: String,
}

impl Bars<'_> {
    /// The chart, or `None` without groups.
    pub fn scene(&self) -> Option<Scene> {
        if self.groups.is_empty() {
            return None;
        }
        let grid = Rows {
            top: HEAD,
            height: ROW,
            count: self.groups.iter().map(|group| 1 + group.contenders.len()).sum(),
        };
        let mut scene = Scene::new(WIDTH, (grid.bottom() + AXIS).ceil(), self.description);
        grid.stripes(&mut scene);
        scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, self.title);
        let panels = self.panels();
        for panel in &panels {
            panel.frame(&mut scene, &grid, 50.0);
            let one = panel.scale.at(1.0);
            scene.dashed(one, grid.top, grid.bottom(), Dash::DASHED, MUTED);
        }
        let mut index = 0;
        for group in &self.groups {
            heading(&mut scene, grid.middle(index), &group.name, &group.note);
            index += 1;
            for contender in &group.contenders {
                self.contender(&mut scene, &grid, index, contender, &panels);
                index += 1;
            }
        }
        Some(scene)
    }

    /// All on one scale.
    fn panels(&self) -> Vec<Panel<'_>> {
        let highest = self
            .groups
            .iter()
            .flat_map(|group| &group.contenders)
            .flat_map(|contender| &contender.bars)
            .map(|(_, bar)| bar.high)
            .filter(|high| high.is_finite())
            .fold(1.0, f64::max);
        (self.panels.iter().enumerate())
            .map(|(index, title)| {
                let left = self.room.names + index as f64 * (self.room.panel + self.room.values);
                Panel {
                    title,
                    axis: self.axis,
                    scale: Scale::linear(highest, left, left + self.room.panel),
                    tick: number::tick,
                }
            })
            .collect()
    }

    fn contender(
        &self,
        scene: &mut Scene,
        grid: &Rows,
        index: usize,
        contender: &Contender,
        panels: &[Panel<'_>],
    ) {
        let y = grid.middle(index);
        let name = Font::NAME.fit(contender.name, self.room.names - 6.0 - MARGIN);
        scene.text_middle((MARGIN, y), Anchor::Start, Font::NAME, &name);
        for (panel, bar) in &contender.bars {
            let Some(panel) = panels.get(*panel) else { continue };
            let end = panel.scale.at(bar.ratio);
            body(scene, panel.scale.start(), end, y, contender.ours);
            panel.interval(scene, y, bar.low, bar.high, INK);
            let x = end.max(panel.scale.at(bar.high)) + 5.0;
            // Over grid lines, which would run through the number.
            let behind = if index.is_multiple_of(2) { STRIPE } else { PAPER };
            let right = x + Font::VALUE.width(&bar.text) + 2.0;
            scene.rect(x - 2.0, y - BAR - 1.0, right, y + BAR + 1.0, behind);
            scene.text_middle((x, y), Anchor::Start, Font::VALUE, &bar.text);
        }
    }
}

/// A row that names those below it.
pub fn heading(scene: &mut Scene, y: f64, name: &str, note: &str) {
    // Over grid lines, which would run through the words.
    scene.rect(0.0, y - ROW / 2.0, WIDTH, y + ROW / 2.0, PAPER);
    scene.text_middle((MARGIN, y), Anchor::Start, Font::HEAD, name);
    let x = MARGIN + Font::HEAD.width(name) + 14.0;
    scene.text_middle((x, y), Anchor::Start, Font::NOTE, note);
}

/// A bar, or only its outline.
pub fn body(scene: &mut Scene, left: f64, right: f64, y: f64, full: bool) {
    scene.rect(left, y - BAR, right, y + BAR, NEUTRAL);
    if !full && right - left > 2.0 {
        scene.rect(left + 1.0, y - BAR + 1.0, right - 1.0, y + BAR - 1.0, PAPER);
    }
}

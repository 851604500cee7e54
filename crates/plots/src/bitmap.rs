//! Paints a [`Scene`] as a PNG file with two pixels per scene pixel in each direction and antialiased edges.
//!
//! The bytes are the same on every machine: single-precision sums and products in a fixed order, no fused operations.
//! The rasteriser is that of the font's crate; plotters' own has no smooth edges.

use core::cmp::Reverse;
use std::collections::BTreeMap;

use ab_glyph::{Font as _, PxScale, point};
use ab_glyph_rasterizer::Rasterizer;

use super::scene::{Anchor, Color, Font, PAPER, RIM, Scene, Shape, UNITS, straight, unit, whole};

/// Corners of the polygon that approximates a circle: a mark differs from its circle by at most 1/50 of a pixel.
const CIRCLE: u32 = 48;

/// Number of coverage steps of an edge pixel.
const EDGES: f32 = 16.0;

/// Paints the scene as a PNG file.
pub fn png(scene: &Scene) -> Vec<u8> {
    let [width, height] = [scene.width, scene.height].map(|size| unit(size).max(1) as usize);
    let pixels = vec![rgb(PAPER); width * height];
    let mut sheet = Sheet {
        width,
        height,
        pixels,
    };
    scene.shapes.iter().for_each(|shape| sheet.paint(shape));
    // Writing to memory cannot fail, and a sheet has pixels.
    sheet.encode().expect("a sheet can be written to memory")
}

fn rgb(Color(red, green, blue): Color) -> [u8; 3] {
    [red, green, blue]
}

struct Sheet {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Sheet {
    fn paint(&mut self, shape: &Shape) {
        match shape {
            Shape::Rect(corners, color) => self.fill(whole(*corners), *color),
            Shape::Circle((x, y), radius, color) => {
                let angles =
                    (0..CIRCLE).map(|index| f64::from(index) * (core::f64::consts::TAU / f64::from(CIRCLE)));
                let corner = |angle| (x + radius * libm::cos(angle), y + radius * libm::sin(angle));
                self.polygon(&angles.map(corner).collect::<Vec<_>>(), *color);
            }
            Shape::Polygon(corners, color) => self.polygon(corners, *color),
            Shape::Line(points, width, color) => match straight(points, *width) {
                Some(corners) => self.fill(corners, *color),
                None => points
                    .windows(2)
                    .for_each(|ends| self.line(ends[0], ends[1], *width, *color)),
            },
            Shape::Text(at, anchor, text, font) => self.text(*at, *anchor, text, *font),
            Shape::Frame([left, top, right, bottom], color, rim) => {
                for (by, color) in [(RIM / 2.0, rim), (-RIM / 2.0, color)] {
                    self.fill(whole([left - by, top - by, right + by, bottom + by]), *color);
                }
            }
            Shape::Row(_) => {}
        }
    }

    /// Fills whole pixels; pixels outside the sheet are ignored.
    fn fill(&mut self, [left, top, right, bottom]: [i64; 4], color: Color) {
        let [left, right] = [left, right].map(|x| x.clamp(0, self.width as i64) as usize);
        let [top, bottom] = [top, bottom].map(|y| y.clamp(0, self.height as i64) as usize);
        for row in self.pixels.chunks_exact_mut(self.width).take(bottom).skip(top) {
            row[left..right].fill(rgb(color));
        }
    }

    /// Covers a share of the pixel `x`, `y` beside `corner`; pixels outside the sheet are ignored.
    fn blend(&mut self, corner: (f64, f64), x: u32, y: u32, color: Color, share: f32) {
        let (x, y) = (corner.0 as i64 + i64::from(x), corner.1 as i64 + i64::from(y));
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        // Rounded to steps, so that edges have few colours.
        let steps = (share.clamp(0.0, 1.0) * EDGES + 0.5) as u8;
        if inside && steps > 0 {
            let share = f32::from(steps) / EDGES;
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            for (part, color) in pixel.iter_mut().zip(rgb(color)) {
                let below = f32::from(*part);
                *part = (below + (f32::from(color) - below) * share + 0.5) as u8;
            }
        }
    }

    fn polygon(&mut self, corners: &[(f64, f64)], color: Color) {
        let ends = |of: fn(&(f64, f64)) -> f64| {
            let beyond = (f64::INFINITY, f64::NEG_INFINITY);
            let (low, high) = corners
                .iter()
                .map(of)
                .fold(beyond, |ends, at| (ends.0.min(at), ends.1.max(at)));
            (libm::floor(low * UNITS), high * UNITS)
        };
        let ((left, right), (top, bottom)) = (ends(|at| at.0), ends(|at| at.1));
        // The rasterizer writes one pixel past the last covered pixel.
        let mut area = Rasterizer::new((right - left) as usize + 3, (bottom - top) as usize + 1);
        let place = |&(x, y): &(f64, f64)| point((x * UNITS - left) as f32, (y * UNITS - top) as f32);
        for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            area.draw_line(place(from), place(to));
        }
        area.for_each_pixel_2d(|x, y, share| self.blend((left, top), x, y, color, share));
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, color: Color) {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let length = 2.0 * libm::hypot(x, y) / width;
        if length > 0.0 {
            let (x, y) = (x / length, y / length);
            // Half a width longer at both ends, so that joined lines leave no notch.
            let corner = |at: (f64, f64), along: f64, across: f64| {
                (at.0 + along * x - across * y, at.1 + along * y + across * x)
            };
            let start = [corner(from, -1.0, -1.0), corner(from, -1.0, 1.0)];
            let end = [corner(to, 1.0, 1.0), corner(to, 1.0, -1.0)];
            self.polygon(&[start, end].concat(), color);
        }
    }

    fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str, font: Font) {
        let (size, face) = (font.size * UNITS, font.face());
        let left = (at.0 - anchor.before(font.width(text))) * UNITS;
        let base = libm::round(at.1 * UNITS);
        // A `PxScale` is the height from the highest to the lowest part of a font.
        let per_em = face
            .units_per_em()
            .map_or(1.0, |units| face.height_unscaled() / units);
        let scale = PxScale::from(size as f32 * per_em);
        font.layout(text, |glyph, x| {
            let position = point((left + x * size) as f32, base as f32);
            if let Some(outline) = face.outline_glyph(glyph.with_scale_and_position(scale, position)) {
                let corner = outline.px_bounds().min;
                let corner = (f64::from(corner.x), f64::from(corner.y));
                outline.draw(|x, y, share| self.blend(corner, x, y, font.color, share));
            }
        });
    }

    /// Encodes with a palette, for a third of the size of three bytes per pixel. Edges of overlapping shapes can have more
    /// colours than a palette holds; rare ones become the nearest.
    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        // Most of a sheet is long runs of one colour.
        let runs = || self.pixels.chunk_by(|a, b| a == b);
        runs().for_each(|run| *counts.entry(run[0]).or_default() += run.len());
        let mut palette: Vec<[u8; 3]> = counts.keys().copied().collect();
        palette.sort_by_key(|color| Reverse(counts[color]));
        palette.truncate(256);
        let distance = |a: &[u8; 3], b: &[u8; 3]| -> u32 {
            a.iter()
                .zip(b)
                .map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2))
                .sum()
        };
        for (color, index) in &mut counts {
            *index = (0..palette.len())
                .min_by_key(|&at| distance(&palette[at], color))
                .unwrap_or(0);
        }
        let mut indices = Vec::with_capacity(self.pixels.len());
        runs().for_each(|run| indices.resize(indices.len() + run.len(), counts[&run[0]] as u8));
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette.concat());
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::NoFilter);
        // Viewers show the file at the size of the scene: 96 dots per inch times the density.
        let (xppu, unit) = (3780 * UNITS as u32, png::Unit::Meter);
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu,
            yppu: xppu,
            unit,
        }));
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&indices)?;
        writer.finish()?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::INK;

    #[test]
    fn a_shape_beyond_an_edge_does_not_come_back_at_the_other() {
        let mut scene = Scene::new(40.0, 20.0, "");
        let empty = png(&scene);
        for (x, y) in [(50.0, 10.0), (-10.0, 10.0), (20.0, 30.0), (20.0, -10.0)] {
            scene.rect(x - 8.0, y - 8.0, x + 8.0, y + 8.0, INK);
            scene.shapes.push(Shape::Circle((x, y), 8.0, INK));
        }
        assert!(png(&scene) == empty);
        scene.shapes.push(Shape::Circle((40.0, 10.0), 8.0, INK));
        assert!(png(&scene) != empty);
    }
}

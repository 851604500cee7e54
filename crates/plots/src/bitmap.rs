//! Paints a [`Scene`] as a PNG file with two pixels per scene pixel in each direction and antialiased edges.
//!
//! The bytes are the same on every machine: single-precision sums and products in a fixed order, no fused operations.

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::{BTreeMap, HashMap};

use ab_glyph::{Font as _, PxScale, point};
use ab_glyph_rasterizer::Rasterizer;

use super::font;
use super::scene::{Anchor, Color, Font, PAPER, RIM, Scene, Shape, UNITS, unit};

/// Corners of the polygon that approximates a circle: a mark differs from its circle by at most 1/50 of a pixel.
const CIRCLE: u32 = 48;

/// Number of coverage steps of an edge pixel.
const EDGES: f32 = 16.0;

/// Paints the scene as a PNG file.
pub fn png(scene: &Scene) -> Vec<u8> {
    let mut sheet = Sheet::new(
        unit(scene.width).max(1) as usize,
        unit(scene.height).max(1) as usize,
    );
    for shape in &scene.shapes {
        match shape {
            Shape::Rect { color, .. } => {
                let [left, top, right, bottom] = shape.corners().unwrap_or_default();
                sheet.fill(left..right, top..bottom, *color);
            }
            Shape::Circle { at, radius, color } => {
                let corner = |index: u32| {
                    let angle = f64::from(index) * (core::f64::consts::TAU / f64::from(CIRCLE));
                    (at.0 + radius * libm::cos(angle), at.1 + radius * libm::sin(angle))
                };
                sheet.polygon(&(0..CIRCLE).map(corner).collect::<Vec<_>>(), *color);
            }
            Shape::Polygon { corners, color } => sheet.polygon(corners, *color),
            Shape::Line { from, to, color } => sheet.line(*from, *to, *color),
            Shape::Text {
                at,
                anchor,
                font,
                text,
            } => sheet.text(*at, *anchor, *font, text),
            Shape::Frame { corners, rim, color } => {
                let half = RIM / 2.0;
                for (by, color) in [(half, *rim), (-half, *color)] {
                    let [left, top, right, bottom] = *corners;
                    let [left, top, right, bottom] = [left - by, top - by, right + by, bottom + by].map(unit);
                    sheet.fill(left..right, top..bottom, color);
                }
            }
            Shape::Row(_) => {}
        }
    }
    // Writing to memory cannot fail, and a sheet has pixels.
    sheet.encode().expect("a sheet can be written to memory")
}

struct Sheet {
    width: usize,
    height: usize,
    /// Red, green, blue.
    pixels: Vec<u8>,
}

impl Sheet {
    fn new(width: usize, height: usize) -> Self {
        let Color(red, green, blue) = PAPER;
        Self {
            width,
            height,
            pixels: [red, green, blue].repeat(width * height),
        }
    }

    /// Fills whole pixels; pixels outside the sheet are ignored.
    fn fill(&mut self, x: Range<i64>, y: Range<i64>, Color(red, green, blue): Color) {
        let inside = |span: Range<i64>, size: usize| {
            let within = |at: i64| at.clamp(0, size as i64) as usize;
            within(span.start)..within(span.end.max(span.start))
        };
        let (x, y) = (inside(x, self.width), inside(y, self.height));
        for row in self
            .pixels
            .chunks_exact_mut(3 * self.width)
            .take(y.end)
            .skip(y.start)
        {
            for pixel in row.as_chunks_mut().0[x.clone()].iter_mut() {
                *pixel = [red, green, blue];
            }
        }
    }

    /// Covers a share of a pixel; pixels outside the sheet are ignored.
    fn blend(&mut self, x: i64, y: i64, Color(red, green, blue): Color, share: f32) {
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        if !inside || share <= 0.0 {
            return;
        }
        let start = (y as usize * self.width + x as usize) * 3;
        // Rounded to steps, so that edges have few colours.
        let steps = (share.min(1.0) * EDGES + 0.5) as u8;
        if steps == 0 {
            return;
        }
        let share = f32::from(steps) / EDGES;
        for (part, color) in self.pixels[start..start + 3].iter_mut().zip([red, green, blue]) {
            let below = f32::from(*part);
            *part = (below + (f32::from(color) - below) * share + 0.5) as u8;
        }
    }

    fn polygon(&mut self, corners: &[(f64, f64)], color: Color) {
        let beyond = (f64::INFINITY, f64::NEG_INFINITY);
        let span = |(low, high): (f64, f64), value: f64| (low.min(value * UNITS), high.max(value * UNITS));
        let (left, right) = corners.iter().map(|corner| corner.0).fold(beyond, span);
        let (top, bottom) = corners.iter().map(|corner| corner.1).fold(beyond, span);
        let (left, top) = (libm::floor(left), libm::floor(top));
        // The rasterizer writes one pixel past the last covered pixel.
        let mut area = Rasterizer::new((right - left) as usize + 3, (bottom - top) as usize + 1);
        let place = |&(x, y): &(f64, f64)| point((x * UNITS - left) as f32, (y * UNITS - top) as f32);
        for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            area.draw_line(place(from), place(to));
        }
        area.for_each_pixel_2d(|x, y, share| {
            self.blend(
                left as i64 + i64::from(x),
                top as i64 + i64::from(y),
                color,
                share,
            );
        });
    }

    /// Draws a line one scene pixel wide.
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let length = libm::hypot(x, y);
        if length > 0.0 {
            let (x, y) = (x / length / 2.0, y / length / 2.0);
            // Half a width longer at both ends, so that joined lines leave no notch.
            let corner = |at: (f64, f64), along: f64, across: f64| {
                (at.0 + along * x - across * y, at.1 + along * y + across * x)
            };
            let corners = [
                (from, -1.0, 1.0),
                (to, 1.0, 1.0),
                (to, 1.0, -1.0),
                (from, -1.0, -1.0),
            ];
            self.polygon(
                &corners.map(|(at, along, across)| corner(at, along, across)),
                color,
            );
        }
    }

    fn text(&mut self, at: (f64, f64), anchor: Anchor, font: Font, text: &str) {
        let size = font.size * UNITS;
        let face = font.weight.face();
        let start = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => font.width(text) / 2.0,
            Anchor::End => font.width(text),
        };
        let (left, base) = ((at.0 - start) * UNITS, libm::round(at.1 * UNITS));
        // A `PxScale` is the height from the highest to the lowest part of a font.
        let per_em = face
            .units_per_em()
            .map_or(1.0, |units| face.height_unscaled() / units);
        let scale = PxScale::from(size as f32 * per_em);
        font::layout(text, font.weight, |glyph, x| {
            let position = point((left + x * size) as f32, base as f32);
            if let Some(outline) = face.outline_glyph(glyph.with_scale_and_position(scale, position)) {
                let corner = outline.px_bounds().min;
                outline.draw(|x, y, share| {
                    self.blend(
                        corner.x as i64 + i64::from(x),
                        corner.y as i64 + i64::from(y),
                        font.color,
                        share,
                    );
                });
            }
        });
    }

    /// Encodes with a palette, for a third of the size of three bytes per pixel.
    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let (palette, indices) = self.palette();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::NoFilter);
        // Viewers show the file at the size of the scene: 96 dots per inch times the density.
        let per_metre = 3780 * UNITS as u32;
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit: png::Unit::Meter,
        }));
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&indices)?;
        writer.finish()?;
        Ok(file)
    }

    /// Returns the most frequent colours, and for each pixel the index of the nearest one. Edges of overlapping shapes
    /// can have more colours than a palette holds.
    fn palette(&self) -> (Vec<u8>, Vec<u8>) {
        let (pixels, _) = self.pixels.as_chunks::<3>();
        // Most of a sheet is long runs of one colour.
        let chunks = pixels.chunk_by(|a, b| a == b);
        let runs: Vec<([u8; 3], usize)> = chunks.map(|run| (run[0], run.len())).collect();
        let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        for &(color, length) in &runs {
            *counts.entry(color).or_default() += length;
        }
        let mut colors: Vec<[u8; 3]> = counts.keys().copied().collect();
        colors.sort_by_key(|color| Reverse(counts[color]));
        let palette = &colors[..colors.len().min(256)];
        let distance = |a: &[u8; 3], b: &[u8; 3]| -> u32 {
            a.iter()
                .zip(b)
                .map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2))
                .sum()
        };
        let nearest = |color: &[u8; 3]| {
            (0..palette.len())
                .min_by_key(|&index| distance(&palette[index], color))
                .unwrap_or(0) as u8
        };
        let index: HashMap<[u8; 3], u8> = colors.iter().map(|color| (*color, nearest(color))).collect();
        let mut indices = Vec::with_capacity(pixels.len());
        for (color, length) in runs {
            indices.resize(indices.len() + length, index[&color]);
        }
        (palette.concat(), indices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::INK;

    /// Returns the darkness of each pixel of a 40 by 20 sheet, from 0 to 1.
    fn darkness(draw: impl FnOnce(&mut Scene)) -> Vec<f64> {
        let mut scene = Scene::new(40.0, 20.0, "");
        draw(&mut scene);
        let file = png(&scene);
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (80, 40));
        let full = f64::from(255 - INK.0);
        let reds = pixels.chunks(3).map(|pixel| f64::from(255 - pixel[0]) / full);
        reds.collect()
    }

    #[test]
    fn rectangles_have_sharp_edges() {
        let dark = darkness(|scene| scene.rect(1.0, 2.0, 3.0, 3.0, INK));
        for (index, share) in dark.into_iter().enumerate() {
            let (x, y) = (index % 80, index / 80);
            let inside = (2..6).contains(&x) && (4..6).contains(&y);
            assert_eq!(share, f64::from(u8::from(inside)), "{x} {y}");
        }
    }

    #[test]
    fn smoothed_shapes_cover_their_area() {
        let covered = |draw: fn(&mut Scene)| darkness(draw).into_iter().sum::<f64>() / (UNITS * UNITS);
        let circle = covered(|scene| scene.circle((20.0, 10.0), 6.3, INK));
        assert!(
            (circle - core::f64::consts::PI * 6.3 * 6.3).abs() < 0.6,
            "{circle}"
        );
        let triangle = covered(|scene| scene.polygon(vec![(3.2, 4.1), (30.2, 4.1), (3.2, 14.1)], INK));
        assert!((triangle - 135.0).abs() < 0.5, "{triangle}");
        // Half a width longer at both ends.
        let line = covered(|scene| scene.line((5.0, 5.0), (17.0, 10.0), INK));
        assert!((line - 14.0).abs() < 0.2, "{line}");
        // Clipped shapes do not wrap around to the other side.
        let outside = covered(|scene| scene.circle((40.0, 10.0), 5.0, INK));
        assert!((outside - core::f64::consts::PI * 12.5).abs() < 0.5, "{outside}");
    }

    #[test]
    fn texts_stand_where_their_anchor_says() {
        for (anchor, left) in [(Anchor::Start, 10.0), (Anchor::Middle, 10.0), (Anchor::End, 10.0)] {
            let width = Font::HEAD.width("Hello");
            let at = match anchor {
                Anchor::Start => left,
                Anchor::Middle => left + width / 2.0,
                Anchor::End => left + width,
            };
            let dark = darkness(|scene| scene.text((at, 15.0), anchor, Font::HEAD, "Hello"));
            let columns = || (0..80).filter(|x| (0..40).any(|y| dark[y * 80 + x] > 0.3));
            let rows = || (0..40).filter(|y| (0..80).any(|x| dark[y * 80 + x] > 0.3));
            let (first, last) = (
                columns().next().unwrap() as f64 / 2.0,
                columns().next_back().unwrap() as f64 / 2.0,
            );
            assert!((left..left + 2.0).contains(&first), "{anchor:?} {first}");
            assert!(
                (left + width - 2.0..left + width).contains(&last),
                "{anchor:?} {last}"
            );
            // Only round letters reach below the base line; capitals are 0.71 em high.
            assert!((29..=30).contains(&rows().next_back().unwrap()), "{anchor:?}");
            assert!((11..=13).contains(&rows().next().unwrap()), "{anchor:?}");
        }
    }
}

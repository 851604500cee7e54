//! Paints a [`Scene`] as a PNG file, two pixels for each of the scene's, edges smoothed.
//!
//! The same bytes on every machine: single-precision sums and products in a fixed order, no fused operations.

use std::io::Write as _;

use ab_glyph::{Font as _, PxScale, point};
use ab_glyph_rasterizer::Rasterizer;

use super::font;
use super::scene::{Anchor, Color, Font, PAPER, Scene, Shape, UNITS, unit};

/// Corners of the polygon that a circle is painted as: it departs from the circle by a fiftieth of a pixel at most.
const CIRCLE: u32 = 48;

/// The scene as a PNG file.
pub fn png(scene: &Scene) -> Vec<u8> {
    let mut sheet = Sheet::new(
        unit(scene.width).max(1) as usize,
        unit(scene.height).max(1) as usize,
    );
    for shape in &scene.shapes {
        match shape {
            Shape::Rect { color, .. } => {
                let [left, top, right, bottom] = shape.corners().unwrap_or_default();
                for y in top..bottom {
                    for x in left..right {
                        sheet.blend(x, y, *color, 1.0);
                    }
                }
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

    /// Covers a share of a pixel; those beside the sheet are left out.
    fn blend(&mut self, x: i64, y: i64, Color(red, green, blue): Color, share: f32) {
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        if !inside || share <= 0.0 {
            return;
        }
        let start = (y as usize * self.width + x as usize) * 3;
        for (part, color) in self.pixels[start..start + 3].iter_mut().zip([red, green, blue]) {
            let below = f32::from(*part);
            *part = (below + (f32::from(color) - below) * share.min(1.0) + 0.5) as u8;
        }
    }

    fn polygon(&mut self, corners: &[(f64, f64)], color: Color) {
        let beyond = (f64::INFINITY, f64::NEG_INFINITY);
        let span = |(low, high): (f64, f64), value: f64| (low.min(value * UNITS), high.max(value * UNITS));
        let (left, right) = corners.iter().map(|corner| corner.0).fold(beyond, span);
        let (top, bottom) = corners.iter().map(|corner| corner.1).fold(beyond, span);
        let (left, top) = (libm::floor(left), libm::floor(top));
        // The rasterizer writes one pixel past the last that is covered.
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

    /// A line a pixel of the scene wide.
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let length = libm::hypot(x, y);
        if length > 0.0 {
            let (x, y) = (x / length / 2.0, y / length / 2.0);
            // Half a width longer at both ends, so that lines that meet leave no notch.
            let corner = |at: (f64, f64), along: f64, across: f64| {
                (at.0 + along * x - across * y, at.1 + along * y + across * x)
            };
            let corners = [
                (from, -0.5, 1.0),
                (to, 0.5, 1.0),
                (to, 0.5, -1.0),
                (from, -0.5, -1.0),
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
        // Scales are heights from the highest to the lowest part of a font.
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

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        // So that it is shown at the size of the scene: 96 dots an inch times the density.
        let per_metre = 3780 * UNITS as u32;
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit: png::Unit::Meter,
        }));
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        stream.write_all(&self.pixels)?;
        stream.finish()?;
        drop(writer);
        Ok(file)
    }
}

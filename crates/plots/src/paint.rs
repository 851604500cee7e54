//! Paints a [`Scene`] with `plotters`: SVG text, and PNG at twice the pixel density.

use std::io::Write as _;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea as _, IntoFont as _, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, ShapeStyle};

use super::font;
use super::scene::{Anchor, PAPER, Scene, Shape};

/// Pixels of a PNG file for a pixel of the scene.
pub const PNG_DENSITY: u32 = 2;
/// Each pixel of a PNG file is the mean of this many in each direction: `plotters` does not smooth edges.
const SUPERSAMPLING: u32 = 2;
/// `plotters` places in whole units: half a pixel in SVG.
const SVG_UNITS: u32 = 2;
/// What the SVG backend of `plotters` divides a text's size by.
const SVG_TEXT_FACTOR: f64 = 1.24;

/// The scene as an SVG document without XML declaration, fit for use inside HTML.
///
/// # Errors
///
/// When `plotters` fails.
pub fn svg(scene: &Scene) -> Result<String, String> {
    let (width, height) = size(scene, SVG_UNITS);
    let mut drawn = String::new();
    let area = SVGBackend::with_string(&mut drawn, (width, height)).into_drawing_area();
    paint(
        scene,
        &area,
        &Target {
            units: f64::from(SVG_UNITS),
            text: SVG_TEXT_FACTOR,
            raise: 0.0,
        },
    )
    .map_err(|e| e.to_string())?;
    area.present().map_err(|e| e.to_string())?;
    drop(area);
    let Some((_, body)) = drawn.split_once('>') else {
        return Err("plotters wrote no SVG element".to_owned());
    };
    // The base line is exact already, and the family stands at the root.
    let body = super::svg::compact(body)
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\"", "");
    let label = escape(&scene.label);
    let family = font::FAMILY;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{label}\" font-family=\"{family}, 'Helvetica Neue', Arial, sans-serif\">{body}",
        scene.width, scene.height
    ))
}

/// The scene as a PNG file.
///
/// # Errors
///
/// When `plotters` or the encoder fails.
pub fn png(scene: &Scene) -> Result<Vec<u8>, String> {
    let units = PNG_DENSITY * SUPERSAMPLING;
    let (width, height) = size(scene, units);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
    // The bitmap text routine puts the base line half a font height below the position it is given.
    paint(
        scene,
        &area,
        &Target {
            units: f64::from(units),
            text: font::HEIGHT_PER_EM,
            raise: 0.5,
        },
    )
    .map_err(|e| e.to_string())?;
    area.present().map_err(|e| e.to_string())?;
    drop(area);
    let smooth = shrink(&pixels, width as usize);
    encode(&smooth, width / SUPERSAMPLING, height / SUPERSAMPLING).map_err(|e| e.to_string())
}

/// Escapes text for an XML attribute or element.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn size(scene: &Scene, units: u32) -> (u32, u32) {
    (scene.width as u32 * units, scene.height as u32 * units)
}

/// How one backend differs from the other.
struct Target {
    /// Units for a pixel of the scene.
    units: f64,
    /// Font size to ask for, for each em.
    text: f64,
    /// How far above the base line a text's position lies, in font sizes.
    raise: f64,
}

fn paint<DB: DrawingBackend>(
    scene: &Scene,
    area: &DrawingArea<DB, Shift>,
    target: &Target,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    font::register();
    area.fill(&PAPER)?;
    let unit = |value: f64| libm::round(value * target.units) as i32;
    let point = |(x, y): (f64, f64)| (unit(x), unit(y));
    for shape in &scene.shapes {
        match shape {
            Shape::Rect {
                corners: [left, top, right, bottom],
                color,
            } => {
                // Never thinner than a unit: a line must not vanish between two.
                let from = (unit(*left), unit(*top));
                let to = (unit(*right).max(from.0 + 1), unit(*bottom).max(from.1 + 1));
                area.draw(&Rectangle::new([from, to], color.filled()))?;
            }
            Shape::Circle { at, radius, color } => {
                area.draw(&Circle::new(point(*at), unit(*radius), color.filled()))?;
            }
            Shape::Polygon { corners, color } => {
                let corners: Vec<_> = corners.iter().map(|c| point(*c)).collect();
                area.draw(&Polygon::new(corners, color.filled()))?;
            }
            Shape::Line { from, to, color } => {
                let style = ShapeStyle {
                    color: color.to_rgba(),
                    filled: false,
                    stroke_width: unit(1.0) as u32,
                };
                area.draw(&PathElement::new(vec![point(*from), point(*to)], style))?;
            }
            Shape::Text {
                at,
                anchor,
                font: look,
                text,
            } => {
                let size = look.size * target.units * target.text;
                let horizontal = match anchor {
                    Anchor::Start => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::End => HPos::Right,
                };
                let style = (font::FAMILY, size, look.weight.style())
                    .into_font()
                    .color(&look.color)
                    .pos(Pos::new(horizontal, VPos::Top));
                let (x, y) = point(*at);
                let y = y - libm::round(size * target.raise) as i32;
                area.draw(&Text::new(text.as_str(), (x, y), style))?;
            }
        }
    }
    Ok(())
}

/// Averages squares of two by two RGB pixels.
fn shrink(pixels: &[u8], width: usize) -> Vec<u8> {
    const { assert!(SUPERSAMPLING == 2) };
    let mut out = Vec::with_capacity(pixels.len() / 4);
    for rows in pixels.chunks_exact(width * 3 * 2) {
        let (upper, lower) = rows.split_at(width * 3);
        for (above, below) in upper.chunks_exact(6).zip(lower.chunks_exact(6)) {
            for channel in 0..3 {
                let sum = [
                    above[channel],
                    above[channel + 3],
                    below[channel],
                    below[channel + 3],
                ];
                out.push((sum.into_iter().map(u16::from).sum::<u16>() / 4) as u8);
            }
        }
    }
    out
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // So that it is shown at the size of the scene: 96 dots an inch times the density.
    let per_metre = 3780 * PNG_DENSITY;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    stream.write_all(pixels)?;
    stream.finish()?;
    drop(writer);
    Ok(file)
}

//! A picture that can be drawn on: boxes, tints and short labels.

use std::convert::Infallible;

use embedded_graphics::Drawable as _;
use embedded_graphics::{
    Pixel,
    draw_target::DrawTarget,
    geometry::{OriginDimensions, Point, Size},
    pixelcolor::{Rgb888, RgbColor},
    primitives::{Primitive as _, PrimitiveStyle, Rectangle},
};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use crate::page::rect::Rect;

/// A colour.
pub type Color = Rgb888;

/// Pixels of one picture.
pub struct Canvas {
    width: u32,
    height: u32,
    /// Red, green, blue, row by row.
    pixels: Vec<u8>,
    scale: f64,
    labels: Vec<Rectangle>,
}

/// The picture is not one that can be drawn on.
#[derive(Debug, thiserror::Error)]
#[error("the picture cannot be read or written: {0}")]
pub struct PictureError(String);

impl Canvas {
    /// Opens a PNG whose pixels are `scale` to a CSS pixel.
    pub fn from_png(png: &[u8], scale: f64) -> Result<Self, PictureError> {
        let bad = |error: png::DecodingError| PictureError(error.to_string());
        let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(bad)?;
        let size =
            reader.output_buffer_size().ok_or_else(|| PictureError("too large".to_owned()))?;
        let mut data = vec![0; size];
        let info = reader.next_frame(&mut data).map_err(bad)?;
        data.truncate(info.buffer_size());
        let pixels = match info.color_type {
            png::ColorType::Rgb => data,
            png::ColorType::Rgba => data.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
            png::ColorType::Grayscale => data.iter().flat_map(|p| [*p; 3]).collect(),
            other => return Err(PictureError(format!("its pixels are {other:?}"))),
        };
        let (width, height) = (info.width, info.height);
        Ok(Self { width, height, pixels, scale, labels: Vec::new() })
    }

    /// The picture as PNG.
    pub fn to_png(&self) -> Result<Vec<u8>, PictureError> {
        let bad = |error: png::EncodingError| PictureError(error.to_string());
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(bad)?;
        writer.write_image_data(&self.pixels).map_err(bad)?;
        writer.finish().map_err(bad)?;
        Ok(out)
    }

    /// Width and height in pixels.
    pub fn dimensions(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Draws the outline of a box, given in CSS pixels. Answers whether any of
    /// it lies in the picture.
    pub fn outline(&mut self, bounds: Rect, color: Color) -> bool {
        let shown = self.clip(bounds);
        if shown.is_zero_sized() {
            return false;
        }
        let width = if self.scale >= 1.5 { 3 } else { 2 };
        let style = PrimitiveStyle::with_stroke(color, width);
        let Ok(()) = shown.into_styled(style).draw(self);
        true
    }

    /// Tints a box by a share of 0 to 1.
    pub fn tint(&mut self, bounds: Rect, color: Color, share: f64) {
        let shown = self.clip(bounds);
        for y in shown.rows() {
            for x in shown.columns() {
                self.blend_pixel(Point::new(x, y), color, share);
            }
        }
    }

    /// Mixes a colour into a pixel by a share of 0 to 1.
    fn blend_pixel(&mut self, point: Point, color: Color, share: f64) {
        let mix = |old: u8, new: u8| {
            (f64::from(old) * (1.0 - share) + f64::from(new) * share).round() as u8
        };
        let Some(pixel) = self.pixel_mut(point) else { return };
        pixel[0] = mix(pixel[0], color.r());
        pixel[1] = mix(pixel[1], color.g());
        pixel[2] = mix(pixel[2], color.b());
    }

    /// Several pictures of one scale side by side, each below its caption.
    pub fn side_by_side(pictures: &[(&str, Self)]) -> Self {
        let scale = pictures.first().map_or(1.0, |(_, picture)| picture.scale);
        let mut sheet = Self { width: 0, height: 0, pixels: Vec::new(), scale, labels: Vec::new() };
        let gap = sheet.text_height().val() as u32;
        sheet.width = gap + pictures.iter().map(|(_, picture)| picture.width + gap).sum::<u32>();
        let tallest = pictures.iter().map(|(_, picture)| picture.height).max().unwrap_or(0);
        let top = gap * 5 / 2;
        sheet.height = top + tallest + gap;
        sheet.pixels = vec![235; sheet.width as usize * sheet.height as usize * 3];
        let mut left = gap;
        for (caption, picture) in pictures {
            let at = Point::new(left as i32, (gap * 3 / 4) as i32);
            sheet.text(at, caption, Rgb888::new(40, 40, 40));
            sheet.paste(picture, left, top);
            left += picture.width + gap;
        }
        sheet
    }

    /// Copies a picture to where it fits as a whole.
    fn paste(&mut self, picture: &Self, left: u32, top: u32) {
        let row = picture.width as usize * 3;
        for (y, pixels) in picture.pixels.chunks_exact(row.max(1)).enumerate() {
            let start = ((top as usize + y) * self.width as usize + left as usize) * 3;
            if let Some(target) = self.pixels.get_mut(start..start + row) {
                target.copy_from_slice(pixels);
            }
        }
    }

    /// Writes a label near the corner of a box, where no other label stands if
    /// there is such a place.
    pub fn label(&mut self, bounds: Rect, text: &str, color: Color) {
        let size = self.text_size(text) + Size::new(4, 2);
        let shown = self.clip(bounds);
        let corner = shown.top_left;
        let (width, height) = (size.width as i32, size.height as i32);
        let right = corner.x + shown.size.width as i32 - width;
        let bottom = corner.y + shown.size.height as i32;
        let places = [
            Point::new(corner.x, corner.y - height),
            Point::new(corner.x, bottom),
            Point::new(right, corner.y - height),
            Point::new(corner.x - width, corner.y),
            Point::new(right + width, corner.y),
            Point::new(right, bottom),
            Point::new(corner.x, corner.y),
        ];
        let whole = Rectangle::new(Point::zero(), self.size());
        let fits = |place: &&Point| {
            let area = Rectangle::new(**place, size);
            whole.intersection(&area) == area
                && self.labels.iter().all(|other| other.intersection(&area).is_zero_sized())
        };
        let most = Point::new(self.width as i32 - width, self.height as i32 - height);
        let last = corner.component_min(most).component_max(Point::zero());
        let area = Rectangle::new(places.iter().find(fits).copied().unwrap_or(last), size);
        let Ok(()) = area.into_styled(PrimitiveStyle::with_fill(color)).draw(self);
        // Dark colours carry light text.
        let luminance = u32::from(color.r()) * 3 + u32::from(color.g()) * 6 + u32::from(color.b());
        let ink = if luminance > 1400 { Rgb888::BLACK } else { Rgb888::WHITE };
        self.text(area.top_left + Point::new(2, 1), text, ink);
        self.labels.push(area);
    }

    /// Writes text with smooth edges; a letter that the font lacks is a question mark.
    fn text(&mut self, at: Point, text: &str, ink: Color) {
        let mut left = at.x;
        for letter in text.chars() {
            let height = self.text_height();
            let raster = |letter| get_raster(letter, FontWeight::Bold, height);
            let Some(glyph) = raster(letter).or_else(|| raster('?')) else { continue };
            for (y, row) in glyph.rows().enumerate() {
                for (x, share) in row.iter().enumerate() {
                    let point = Point::new(left + x as i32, at.y + y as i32);
                    self.blend_pixel(point, ink, f64::from(*share) / 255.0);
                }
            }
            left += glyph.width() as i32;
        }
    }

    fn text_height(&self) -> RasterHeight {
        if self.scale >= 1.5 { RasterHeight::Size24 } else { RasterHeight::Size16 }
    }

    fn text_size(&self, text: &str) -> Size {
        let height = self.text_height();
        let width = get_raster_width(FontWeight::Bold, height) * text.chars().count();
        Size::new(width as u32, height.val() as u32)
    }

    /// A box in pixels, without what lies outside of the picture.
    fn clip(&self, bounds: Rect) -> Rectangle {
        let edge = |value: f64, most: u32| (value * self.scale).round().clamp(0.0, f64::from(most));
        let (left, top) = (edge(bounds.x, self.width), edge(bounds.y, self.height));
        let right = edge(bounds.x + bounds.width, self.width);
        let bottom = edge(bounds.y + bounds.height, self.height);
        let size = Size::new((right - left) as u32, (bottom - top) as u32);
        Rectangle::new(Point::new(left as i32, top as i32), size)
    }

    fn pixel_mut(&mut self, point: Point) -> Option<&mut [u8]> {
        let x = u32::try_from(point.x).ok().filter(|x| *x < self.width)?;
        let y = u32::try_from(point.y).ok().filter(|y| *y < self.height)?;
        let index = (y as usize * self.width as usize + x as usize) * 3;
        self.pixels.get_mut(index..index + 3)
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.width, self.height)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Infallible> {
        for Pixel(point, color) in pixels {
            if let Some(pixel) = self.pixel_mut(point) {
                pixel.copy_from_slice(&[color.r(), color.g(), color.b()]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: u32, height: u32) -> Canvas {
        let pixels = vec![255; (width * height * 3) as usize];
        Canvas { width, height, pixels, scale: 1.0, labels: Vec::new() }
    }

    fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn a_picture_survives_the_way_through_png() {
        let mut canvas = white(40, 30);
        let bounds = rect(10.0, 10.0, 10.0, 10.0);
        assert!(canvas.outline(bounds, Rgb888::RED));
        let mut read = Canvas::from_png(&canvas.to_png().unwrap(), 1.0).unwrap();
        assert_eq!(read.dimensions(), (40, 30));
        assert_eq!(read.pixels, canvas.pixels);
        assert_eq!(read.pixel_mut(Point::new(10, 15)).unwrap(), [255, 0, 0]);
        assert_eq!(read.pixel_mut(Point::new(15, 15)).unwrap(), [255, 255, 255]);
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let mut canvas = white(60, 60);
        let far = rect(-50.0, 80.0, 40.0, 10.0);
        assert!(!canvas.outline(far, Rgb888::RED));
        canvas.label(far, "@e1", Rgb888::RED);
        let half = rect(45.0, -5.0, 400_000.0, 10.0);
        assert!(canvas.outline(half, Rgb888::RED));
        canvas.tint(half, Rgb888::BLUE, 0.5);
        assert_eq!(canvas.pixel_mut(Point::new(10, 15)).unwrap(), [255, 255, 255]);
    }

    #[test]
    fn letters_have_smooth_edges() {
        let mut canvas = white(60, 30);
        canvas.text(Point::new(2, 2), "@e8", Rgb888::BLACK);
        let between = canvas.pixels.iter().filter(|value| (1..255).contains(*value)).count();
        assert!(between > 50 && canvas.pixels.contains(&0), "{between}");
    }

    #[test]
    fn a_sheet_holds_every_picture_whole() {
        let mut red = white(10, 40);
        red.tint(rect(0.0, 0.0, 10.0, 40.0), Rgb888::RED, 1.0);
        let mut sheet = Canvas::side_by_side(&[("a 10x40", red), ("b 30x20", white(30, 20))]);
        assert_eq!(sheet.dimensions(), (16 + 10 + 16 + 30 + 16, 40 + 40 + 16));
        assert_eq!(sheet.pixel_mut(Point::new(16, 40)).unwrap(), [255, 0, 0]);
        assert_eq!(sheet.pixel_mut(Point::new(25, 79)).unwrap(), [255, 0, 0]);
        assert_eq!(sheet.pixel_mut(Point::new(42, 40)).unwrap(), [255, 255, 255]);
        assert_eq!(sheet.pixel_mut(Point::new(42, 60)).unwrap(), [235, 235, 235]);
    }

    #[test]
    fn labels_make_way_for_each_other() {
        let mut canvas = white(200, 100);
        let bounds = rect(50.0, 40.0, 60.0, 20.0);
        for text in ["@e1", "@e2", "@e3"] {
            canvas.label(bounds, text, Rgb888::RED);
        }
        for (index, one) in canvas.labels.iter().enumerate() {
            for other in &canvas.labels[index + 1..] {
                assert!(one.intersection(other).is_zero_sized(), "{one:?} {other:?}");
            }
        }
    }
}

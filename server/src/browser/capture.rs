//! Capture: the page as an image.

use browse_proto::{Reason, v1};

use crate::{
    chromium::{self, ImageFormat},
    dispatch::Context,
    engine::{Rect, Target},
    error::{Error, Result},
};

/// Pixels that a side of a WebP image may have; Chromium answers larger ones
/// with no data and no error.
const MOST_WEBP: f64 = 16_000.0;

/// Quality of the formats that lose some, of 100.
const QUALITY: u8 = 90;

/// Captures the page, the viewport, a rectangle or an element.
pub async fn screenshot(
    cx: &Context,
    request: v1::ScreenshotRequest,
) -> Result<v1::ScreenshotResponse> {
    let format = match request.format() {
        v1::ImageFormat::Unspecified | v1::ImageFormat::Png => ImageFormat::Png,
        v1::ImageFormat::Jpeg => ImageFormat::Jpeg(QUALITY),
        v1::ImageFormat::Webp => ImageFormat::Webp(QUALITY),
    };
    let area = match frame(&request)? {
        Area::Page => chromium::Area::FullPage,
        Area::Viewport => chromium::Area::Viewport,
        Area::Clip(clip) => clip,
        Area::Element(text) => {
            let target: Target = text.parse()?;
            let Rect { x, y, width, height } = cx.engine().page_bounds(&target).await?;
            chromium::Area::Clip { x, y, width, height }
        }
    };
    check(area, format)?;
    let taken = cx.page().screenshot(area, format).await?;
    let size = imagesize::blob_size(&taken.bytes).map_err(|error| {
        Error::new(Reason::ImageRefused, format!("the browser made no image: {error}"))
    })?;
    let cut = taken.cut_from.map(|whole| {
        format!("the page is {whole} pixels high; the image shows the upper {}", size.height)
    });
    Ok(v1::ScreenshotResponse {
        image: taken.bytes,
        mime: mime(format).to_owned(),
        width: size.width as u32,
        height: size.height as u32,
        note: cut.unwrap_or_default(),
    })
}

fn mime(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "image/png",
        ImageFormat::Jpeg(_) => "image/jpeg",
        ImageFormat::Webp(_) => "image/webp",
    }
}

enum Area<'a> {
    Page,
    Viewport,
    Clip(chromium::Area),
    Element(&'a str),
}

fn frame(request: &v1::ScreenshotRequest) -> Result<Area<'_>> {
    let target = request.target.as_deref().or(request.selector.as_deref());
    match (target, request.clip.as_deref()) {
        (Some(target), _) => Ok(Area::Element(target)),
        (None, Some(clip)) => Ok(Area::Clip(parse_clip(clip)?)),
        (None, None) if request.viewport => Ok(Area::Viewport),
        (None, None) => Ok(Area::Page),
    }
}

fn parse_clip(text: &str) -> Result<chromium::Area> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|n: &f64| n.is_finite()))
        .collect();
    match numbers.as_deref() {
        Some(&[x, y, width, height]) if x >= 0.0 && y >= 0.0 => {
            Ok(chromium::Area::Clip { x, y, width, height })
        }
        _ => Err(argument(&format!("`{text}` is not x,y,width,height"))),
    }
}

fn check(area: chromium::Area, format: ImageFormat) -> Result<()> {
    let chromium::Area::Clip { width, height, .. } = area else { return Ok(()) };
    if width < 1.0 || height < 1.0 {
        let message = format!("the area is {width} by {height} pixels");
        return Err(Error::new(Reason::ImageRefused, message));
    }
    if matches!(format, ImageFormat::Webp(_)) && width.max(height) > MOST_WEBP {
        let message = format!("a WebP image holds at most {MOST_WEBP} pixels a side");
        return Err(Error::new(Reason::ImageRefused, message));
    }
    Ok(())
}

fn argument(message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "screenshot")
}

//! The page as an image.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{ImageFormat, Page};
use browse_engine::{Rect, Target};

/// Bytes that an image may have: it is one answer.
const MAX_IMAGE_BYTES: usize = 60 << 20;

/// Quality of the formats that lose some, of 100.
const LOSSY_QUALITY: u8 = 90;

/// Captures the page, the viewport, a rectangle or an element.
pub async fn screenshot(
    cx: &CallContext,
    request: v1::ScreenshotRequest,
) -> Result<v1::ScreenshotResponse> {
    let area = match requested_area(&request)? {
        ScreenshotArea::Page => browse_chromium::CaptureArea::FullPage,
        ScreenshotArea::Viewport => browse_chromium::CaptureArea::Viewport,
        ScreenshotArea::Clip(clip) => clip,
        ScreenshotArea::Element(text) => {
            let target: Target = text.parse()?;
            let (Rect { x, y, width, height }, revealed) = cx.engine().page_bounds(&target).await?;
            let area = browse_chromium::CaptureArea::Clip { x, y, width, height };
            let taken = capture_image(cx.page(), area, request.format()).await;
            // A look at the page leaves it as it was.
            cx.engine().restore_scroll(&revealed).await;
            return taken;
        }
    };
    capture_image(cx.page(), area, request.format()).await
}

/// Takes a picture of `page`.
///
/// # Errors
/// `IMAGE_REFUSED` for what has no size, or more pixels than the format holds.
pub(super) async fn capture_image(
    page: &Page,
    area: browse_chromium::CaptureArea,
    format: v1::ImageFormat,
) -> Result<v1::ScreenshotResponse> {
    let format = match format {
        v1::ImageFormat::Unspecified | v1::ImageFormat::Png => ImageFormat::Png,
        v1::ImageFormat::Jpeg => ImageFormat::Jpeg(LOSSY_QUALITY),
        v1::ImageFormat::Webp => ImageFormat::Webp(LOSSY_QUALITY),
    };
    check_area(area)?;
    let taken = page.screenshot(area, format).await?;
    if taken.bytes.len() > MAX_IMAGE_BYTES {
        let message = format!(
            "the image has {} bytes, more than one answer holds; capture it as .jpg, or in parts with `--clip`",
            taken.bytes.len()
        );
        return Err(Error::new(Reason::ImageRefused, message));
    }
    let size = imagesize::blob_size(&taken.bytes).map_err(|error| {
        Error::new(Reason::ImageRefused, format!("the browser made no image: {error}"))
    })?;
    let cut = taken.full_height.map(|whole| {
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

enum ScreenshotArea<'a> {
    Page,
    Viewport,
    Clip(browse_chromium::CaptureArea),
    Element(&'a str),
}

fn requested_area(request: &v1::ScreenshotRequest) -> Result<ScreenshotArea<'_>> {
    let target = request.target.as_deref().or(request.selector.as_deref());
    match (target, request.clip.as_deref()) {
        (Some(target), _) => Ok(ScreenshotArea::Element(target)),
        (None, Some(clip)) => Ok(ScreenshotArea::Clip(parse_clip(clip)?)),
        (None, None) if request.viewport => Ok(ScreenshotArea::Viewport),
        (None, None) => Ok(ScreenshotArea::Page),
    }
}

fn parse_clip(text: &str) -> Result<browse_chromium::CaptureArea> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|n: &f64| n.is_finite()))
        .collect();
    match numbers.as_deref() {
        Some(&[x, y, width, height]) if x >= 0.0 && y >= 0.0 => {
            Ok(browse_chromium::CaptureArea::Clip { x, y, width, height })
        }
        _ => Err(invalid_argument(&format!("`{text}` is not x,y,width,height"))),
    }
}

fn check_area(area: browse_chromium::CaptureArea) -> Result<()> {
    let browse_chromium::CaptureArea::Clip { width, height, .. } = area else { return Ok(()) };
    if width < 1.0 || height < 1.0 {
        let message = format!("the area is {width} by {height} pixels");
        return Err(Error::new(Reason::ImageRefused, message));
    }
    Ok(())
}

fn invalid_argument(message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "screenshot")
}

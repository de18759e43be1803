//! Capture: the page as an image.

use browse_proto::{Reason, v1};

use crate::{
    chromium::{Clip, Image, ImageFormat, Shot},
    dispatch::Context,
    engine::Target,
    error::{Error, Result},
};

/// Pixels that a side of a WebP image may have; Chromium answers larger ones
/// with no data and no error.
const MOST_WEBP: f64 = 16_000.0;

/// Captures the page, the viewport, a rectangle or an element.
pub async fn screenshot(
    cx: &Context,
    request: v1::ScreenshotRequest,
) -> Result<v1::ScreenshotResponse> {
    let format = match request.format() {
        v1::ImageFormat::Unspecified | v1::ImageFormat::Png => ImageFormat::Png,
        v1::ImageFormat::Jpeg => ImageFormat::Jpeg,
        v1::ImageFormat::Webp => ImageFormat::Webp,
    };
    let tab = cx.tab();
    let shot = match frame(&request)? {
        Area::Page => Shot::FullPage,
        Area::Viewport => Shot::Viewport,
        Area::Clip(clip) => Shot::Clip(clip),
        Area::Element(text) => {
            let target: Target = text.parse()?;
            let bounds = tab.engine().page_bounds(&target).await?;
            Shot::Clip(Clip {
                x: bounds.x,
                y: bounds.y,
                width: bounds.width,
                height: bounds.height,
            })
        }
    };
    if let Shot::Clip(clip) = &shot {
        check(clip, format)?;
    }
    let Image { bytes, mime, width, height, note } = tab.page().screenshot(shot, format).await?;
    Ok(v1::ScreenshotResponse { image: bytes, mime: mime.to_owned(), width, height, note })
}

enum Area<'a> {
    Page,
    Viewport,
    Clip(Clip),
    Element(&'a str),
}

fn frame(request: &v1::ScreenshotRequest) -> Result<Area<'_>> {
    let target = match (request.target.as_deref(), request.selector.as_deref()) {
        (Some(_), Some(_)) => return Err(argument("a target and `--selector` exclude each other")),
        (target, selector) => target.or(selector),
    };
    match (target, request.viewport, request.clip.as_deref()) {
        (None, false, None) => Ok(Area::Page),
        (None, true, None) => Ok(Area::Viewport),
        (None, false, Some(clip)) => Ok(Area::Clip(parse_clip(clip)?)),
        (Some(target), false, None) => Ok(Area::Element(target)),
        _ => Err(argument("a target, `--viewport` and `--clip` exclude each other")),
    }
}

fn parse_clip(text: &str) -> Result<Clip> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|part| part.trim().parse().ok().filter(|n: &f64| n.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[x, y, width, height]) if x >= 0.0 && y >= 0.0 => Ok(Clip { x, y, width, height }),
        _ => Err(argument(&format!("`{text}` is not x,y,width,height"))),
    }
}

fn check(clip: &Clip, format: ImageFormat) -> Result<()> {
    let (width, height) = (clip.width, clip.height);
    if width < 1.0 || height < 1.0 {
        let message = format!("the area is {width} by {height} pixels");
        return Err(Error::new(Reason::ImageRefused, message));
    }
    if format == ImageFormat::Webp && width.max(height) > MOST_WEBP {
        let message = format!("a WebP image holds at most {MOST_WEBP} pixels a side");
        return Err(Error::new(Reason::ImageRefused, message));
    }
    Ok(())
}

fn argument(message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "screenshot")
}

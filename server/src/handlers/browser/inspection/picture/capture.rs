//! A picture of the page and the boxes of refs in it, taken together.

use browse_proto::{Reason, v1};

use crate::{dispatch::CallContext, handlers::browser::bounds::to_box};
use browse_base::{Error, Result};
use browse_chromium::ImageFormat;
use browse_engine::{Canvas, DocumentExtent, Rect, Reference, Target};

/// CSS pixels of height that a picture with marks may have: it is drawn on in
/// memory.
const MAX_HEIGHT_PX: f64 = 16_000.0;

/// How often a page that moves while it is captured is captured again.
const MAX_ATTEMPTS: u32 = 3;

/// What the picture shows.
pub enum PictureView<'a> {
    /// The whole document.
    Page,
    /// What a person would see now.
    Viewport,
    /// One element.
    Element(&'a Target),
}

/// A picture, and the boxes in it.
pub struct MarkedPicture {
    /// To draw on.
    pub canvas: Canvas,
    /// Boxes in CSS pixels from the corner of the picture.
    pub marks: Vec<(Reference, Rect)>,
    /// What is to be known about it.
    pub note: String,
}

/// Captures the page. The boxes are read before and after; when they differ,
/// it is captured again.
pub async fn capture_with_marks(
    cx: &CallContext,
    view: &PictureView<'_>,
    references: &[Reference],
) -> Result<MarkedPicture> {
    let engine = cx.engine();
    let mut tries = 1;
    loop {
        let before = (engine.extent().await?, engine.ref_boxes(references).await?);
        let (area, corner, cut) = capture_area(cx, view, &before.0).await?;
        let picture = cx.page().screenshot(area, ImageFormat::Png).await?;
        let after = (engine.extent().await?, engine.ref_boxes(references).await?);
        let moved = before != after;
        if moved && tries < MAX_ATTEMPTS {
            tries += 1;
            continue;
        }
        let scale = cx.page().viewport().scale;
        let canvas = run_blocking(move || Canvas::from_png(&picture.bytes, scale)).await?;
        let inside = |(reference, rect): (Reference, Rect)| {
            (reference, Rect { x: rect.x - corner.0, y: rect.y - corner.1, ..rect })
        };
        let note = match (moved, cut) {
            (true, _) => "the page moves: the marks may be beside their elements".to_owned(),
            (_, Some(height)) => {
                format!(
                    "the page is {height} pixels high; the picture shows the upper {MAX_HEIGHT_PX}"
                )
            }
            _ => String::new(),
        };
        return Ok(MarkedPicture {
            canvas,
            marks: before.1.into_iter().map(inside).collect(),
            note,
        });
    }
}

/// The area, its corner in the viewport, and the height of a page that is cut.
async fn capture_area(
    cx: &CallContext,
    view: &PictureView<'_>,
    extent: &DocumentExtent,
) -> Result<(browse_chromium::CaptureArea, (f64, f64), Option<f64>)> {
    match view {
        PictureView::Viewport => Ok((browse_chromium::CaptureArea::Viewport, (0.0, 0.0), None)),
        PictureView::Page => {
            let cut = (extent.height > MAX_HEIGHT_PX).then_some(extent.height);
            let height = extent.height.clamp(1.0, MAX_HEIGHT_PX);
            let area = browse_chromium::CaptureArea::Clip {
                x: 0.0,
                y: 0.0,
                width: extent.width.max(1.0),
                height,
            };
            Ok((area, (-extent.x, -extent.y), cut))
        }
        PictureView::Element(target) => {
            let Rect { x, y, width, height } = cx.engine().bounds(target).await?;
            if width < 1.0 || height < 1.0 {
                let message = format!("`{target}` is {width} by {height} pixels");
                return Err(Error::new(Reason::ImageRefused, message));
            }
            // Whole pixels, so that the marks lie where the picture has them.
            let (left, top) = ((x + extent.x).floor(), (y + extent.y).floor());
            let area = browse_chromium::CaptureArea::Clip {
                x: left,
                y: top,
                width: width.ceil(),
                height: height.ceil().min(MAX_HEIGHT_PX),
            };
            Ok((area, (left - extent.x, top - extent.y), None))
        }
    }
}

/// Decoding and encoding take a while, which other calls shall not wait for.
pub async fn run_blocking<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, E> + Send + 'static,
) -> Result<T> {
    let refused = |text: String| Error::new(Reason::ImageRefused, text);
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(refused(error.to_string())),
        Err(_) => Err(refused("the picture could not be drawn".to_owned())),
    }
}

/// The boxes as the contract has them.
pub fn mark_messages(marks: &[(Reference, Rect)]) -> Vec<v1::PictureMark> {
    let mark = |(reference, rect): &(Reference, Rect)| v1::PictureMark {
        r#ref: reference.to_string(),
        r#box: Some(to_box(*rect)),
    };
    marks.iter().map(mark).collect()
}

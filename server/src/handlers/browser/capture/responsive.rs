//! The page as screens of several sizes show it.

use std::sync::Arc;

use browse_proto::{Reason, v1};

use super::{screenshot::capture_image, wait_for_paint};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{CaptureArea, Page, Viewport};
use browse_engine::{Canvas, PictureError};

/// The screens, in CSS pixels.
const SCREENS: [(&str, u32, u32); 3] =
    [("mobile", 375, 812), ("tablet", 768, 1024), ("desktop", 1280, 720)];

/// Captures the page at the size of each screen.
pub async fn responsive(
    cx: &CallContext,
    request: v1::ResponsiveRequest,
) -> Result<v1::ResponsiveResponse> {
    let _turn = cx.tab().acquire_navigation_lock(cx.deadline()).await;
    let page = cx.page();
    let restore = ViewportGuard { page: Arc::clone(page), viewport: page.viewport() };
    let area = if request.full_page { CaptureArea::FullPage } else { CaptureArea::Viewport };
    let mut pictures = Vec::new();
    let mut sheet = Vec::new();
    for (name, width, height) in SCREENS {
        page.set_viewport(Viewport { width, height, ..restore.viewport }).await?;
        wait_for_paint(page).await?;
        let taken = capture_image(page, area, v1::ImageFormat::Png).await?;
        if request.sheet {
            sheet.push((format!("{name} {width}x{height}"), taken.image));
            continue;
        }
        pictures.push(v1::Picture {
            name: format!("{name}.png"),
            image: taken.image,
            width: taken.width,
            height: taken.height,
            note: taken.note,
        });
    }
    page.set_viewport(restore.viewport).await?;
    if request.sheet {
        let scale = restore.viewport.scale;
        pictures.push(
            tokio::task::spawn_blocking(move || join_pictures(&sheet, scale)).await.map_err(
                |error| Error::new(Reason::Bug, format!("the sheet was not drawn: {error}")),
            )??,
        );
    }
    Ok(v1::ResponsiveResponse { pictures })
}

/// The pictures in one, each below its name.
fn join_pictures(pictures: &[(String, Vec<u8>)], scale: f64) -> Result<v1::Picture> {
    let bad = |error: PictureError| Error::new(Reason::ImageRefused, error.to_string());
    let open =
        |(name, png): &'_ (String, Vec<u8>)| Ok((name.clone(), Canvas::from_png(png, scale)?));
    let opened =
        pictures.iter().map(open).collect::<Result<Vec<_>, PictureError>>().map_err(bad)?;
    let named: Vec<_> = opened.iter().map(|(name, _)| name.clone()).collect();
    let canvases: Vec<_> = opened.into_iter().map(|(_, canvas)| canvas).collect();
    let named: Vec<_> = named.iter().map(String::as_str).zip(canvases).collect();
    let sheet = Canvas::side_by_side(&named);
    let (width, height) = sheet.dimensions();
    let image = sheet.to_png().map_err(bad)?;
    Ok(v1::Picture { name: "sheet.png".to_owned(), image, width, height, note: String::new() })
}

/// Gives the tab its size back, also when the call is given up.
struct ViewportGuard {
    page: Arc<Page>,
    viewport: Viewport,
}

impl Drop for ViewportGuard {
    fn drop(&mut self) {
        if self.page.viewport() != self.viewport {
            let (page, viewport) = (Arc::clone(&self.page), self.viewport);
            tokio::spawn(async move {
                // A tab that is gone or hangs needs no size.
                let _ = page.set_viewport(viewport).await;
            });
        }
    }
}

//! The page as screens of several sizes show it.

use std::sync::Arc;

use browse_proto::v1;

use super::{painted, screenshot::take};
use crate::{
    chromium::{Area, Page, Viewport},
    dispatch::Context,
    error::Result,
};

/// The screens, in CSS pixels.
const SCREENS: [(&str, u32, u32); 3] =
    [("mobile", 375, 812), ("tablet", 768, 1024), ("desktop", 1280, 720)];

/// Captures the page at the size of each screen.
pub async fn responsive(
    cx: &Context,
    request: v1::ResponsiveRequest,
) -> Result<v1::ResponsiveResponse> {
    let _turn = cx.tab().turn(cx.deadline()).await;
    let page = cx.page();
    let restore = Restore { page: Arc::clone(page), viewport: page.viewport() };
    let area = if request.full_page { Area::FullPage } else { Area::Viewport };
    let mut pictures = Vec::new();
    for (name, width, height) in SCREENS {
        page.set_viewport(Viewport { width, height, ..restore.viewport }).await?;
        painted(page).await?;
        let taken = take(page, area, v1::ImageFormat::Png).await?;
        pictures.push(v1::Picture {
            name: format!("{name}.png"),
            image: taken.image,
            width: taken.width,
            height: taken.height,
            note: taken.note,
        });
    }
    page.set_viewport(restore.viewport).await?;
    Ok(v1::ResponsiveResponse { pictures })
}

/// Gives the tab its size back, also when the call is given up.
struct Restore {
    page: Arc<Page>,
    viewport: Viewport,
}

impl Drop for Restore {
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

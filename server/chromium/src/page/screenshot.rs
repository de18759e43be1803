//! Pictures of a tab.

use std::time::Duration;

use base64::Engine as _;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use super::swap_retry::retry_on_swap;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::emulation::messages;
use crate::emulation::viewport::Viewport;
use crate::error::{Error, Result};
use crate::launch::info::Flavour;

/// Above this many device pixels a side Chromium's WebP encoder returns
/// nothing, without an error.
const MAX_WEBP_SIDE_PIXELS: f64 = 16_000.0;
/// Pages longer than this in device pixels are cut.
const MAX_SIDE_PIXELS: f64 = 50_000.0;
/// Time after which a picture that another document came in between of is asked
/// for again: Chromium may never give it.
const REPLACED_DOCUMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// How a picture is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageFormat {
    /// Lossless.
    #[default]
    Png,
    /// With a quality from 0 to 100.
    Jpeg(u8),
    /// With a quality from 0 to 100; at most 16,000 pixels a side.
    Webp(u8),
}

/// What is in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum CaptureArea {
    /// What a person would see now.
    #[default]
    Viewport,
    /// The whole document.
    FullPage,
    /// A rectangle of the document, in CSS pixels from its top left corner.
    Clip {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Screenshot {
    /// The encoded image.
    pub bytes: Vec<u8>,
    /// Set when the page was longer than can be captured: height of the
    /// document in CSS pixels, of which only the upper part is there.
    pub full_height: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutMetrics {
    css_content_size: LayoutSize,
}

#[derive(Deserialize)]
struct LayoutSize {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct CaptureScreenshotResult {
    data: String,
}

/// Refuses what the encoders answer with nothing, or never answer.
fn check_side(side: f64, format: ImageFormat) -> Result<()> {
    let (name, limit) = match format {
        ImageFormat::Png => ("PNG", MAX_SIDE_PIXELS),
        ImageFormat::Jpeg(_) => ("JPEG", MAX_SIDE_PIXELS),
        ImageFormat::Webp(_) => ("WebP", MAX_WEBP_SIDE_PIXELS),
    };
    if side.floor() <= limit {
        return Ok(());
    }
    Err(Error::ImageTooLarge { format: name, limit: limit as u32, pixels: side as u32 })
}

impl Page {
    /// Takes a picture. The viewport can be taken even while a navigation
    /// waits for its server.
    pub async fn screenshot(&self, area: CaptureArea, format: ImageFormat) -> Result<Screenshot> {
        self.state.lock().ensure_alive()?;
        self.clear_highlight().await;
        let scale = self.state.lock().viewport.scale;
        let mut cut_from = None;
        let clip = match area {
            CaptureArea::Viewport => None,
            CaptureArea::Clip { x, y, width, height } => Some((x, y, width, height)),
            CaptureArea::FullPage => {
                self.ensure_answering()?;
                let session = self.session();
                let metrics: LayoutMetrics =
                    retry_on_swap(|| session.call_method("Page.getLayoutMetrics", &NoParams))
                        .await?;
                let LayoutSize { width, height } = metrics.css_content_size;
                let most = MAX_SIDE_PIXELS / scale;
                cut_from = (height > most).then_some(height);
                Some((0.0, 0.0, width.clamp(1.0, most), height.clamp(1.0, most)))
            }
        };
        let viewport = self.state.lock().viewport;
        let (width, height) = match clip {
            Some((_, _, width, height)) => (width, height),
            None => (f64::from(viewport.width), f64::from(viewport.height)),
        };
        check_side(width.max(height) * scale, format)?;
        let mut params = json!({ "optimizeForSpeed": true });
        match format {
            ImageFormat::Png => params["format"] = json!("png"),
            ImageFormat::Jpeg(quality) | ImageFormat::Webp(quality) => {
                let jpeg = matches!(format, ImageFormat::Jpeg(_));
                params["format"] = json!(if jpeg { "jpeg" } else { "webp" });
                params["quality"] = json!(quality.min(100));
            }
        }
        if let Some((x, y, width, height)) = clip {
            params["captureBeyondViewport"] = json!(true);
            params["clip"] =
                json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
        }
        let bytes = self.capture(&params).await?;
        Ok(Screenshot { bytes, full_height: cut_from })
    }

    async fn capture(&self, params: &serde_json::Value) -> Result<Vec<u8>> {
        // Outside the shell a tab that shares its window may be hidden, and a
        // hidden tab is captured some day or never. One at a time, because
        // the next one to come to the front hides this one.
        let _turn = match self.shares_window() {
            true => {
                let turn = self.shared.front_lock.lock().await;
                let session = self.session();
                retry_on_swap(|| session.call_method::<IgnoredAny>("Page.bringToFront", &NoParams))
                    .await?;
                Some(turn)
            }
            false => None,
        };
        let session = self.session();
        let captured: CaptureScreenshotResult = loop {
            let call = retry_on_swap(|| session.call_method("Page.captureScreenshot", params));
            tokio::select! {
                biased;
                captured = call => break captured?,
                replaced = self.wait_replaced_for(REPLACED_DOCUMENT_TIMEOUT) => replaced?,
            }
        };
        let refused = |message: &str| Error::Protocol {
            method: "Page.captureScreenshot".to_owned(),
            message: message.to_owned(),
        };
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(captured.data)
            .map_err(|_| refused("the picture is not base64"))?;
        if bytes.is_empty() {
            return Err(refused("Chromium returned an empty picture"));
        }
        Ok(bytes)
    }

    /// Waits until another document has been shown for so long.
    async fn wait_replaced_for(&self, long: Duration) -> Result<()> {
        let before = self.state.lock().commits;
        self.wait_until(|state| (state.commits != before).then_some(())).await?;
        tokio::time::sleep(long).await;
        Ok(())
    }

    /// Whether another tab may be in front of this one. In the shell every tab
    /// is visible. In the full browser tabs that we open have windows of their
    /// own, unless a person looks at them; tabs that pages open have not.
    fn shares_window(&self) -> bool {
        match self.shared.flavour {
            Flavour::HeadlessShell => false,
            Flavour::Headless => self.opener().is_some() || self.state.lock().has_opened_page,
            Flavour::Headed => true,
        }
    }

    /// Shows the tab in front of the others of its window.
    pub async fn bring_to_front(&self) -> Result<()> {
        self.state.lock().ensure_alive()?;
        let session = self.session();
        let front: CdpCall<IgnoredAny> = session.call_method("Page.bringToFront", &NoParams);
        front.await.map(drop)
    }

    /// Changes the size of the page area, or its scale.
    pub async fn set_viewport(&self, viewport: Viewport) -> Result<()> {
        self.ensure_answering()?;
        let (method, metrics) =
            ("Emulation.setDeviceMetricsOverride", messages::device_metrics(viewport));
        self.session().call_method::<IgnoredAny>(method, &metrics).await?;
        self.state.lock().viewport = viewport;
        Ok(())
    }

    /// Size of the page area.
    pub fn viewport(&self) -> Viewport {
        self.state.lock().viewport
    }
}

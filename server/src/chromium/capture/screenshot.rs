//! Pictures of a page.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::chromium::connection::call::Call;
use crate::chromium::connection::params::NoParams;
use crate::chromium::error::{Error, Result};
use crate::chromium::page::page::Page;

/// Pixels that one capture may be high; the rest is left out with a note.
/// Chromium answers taller captures correctly, but nobody can use them.
const MOST_HEIGHT: f64 = 50_000.0;

/// Pixels of a side that WebP can hold here; beyond it Chromium answers with
/// no data and no error.
pub const MOST_WEBP: f64 = 16_000.0;

/// Quality of the formats that lose some.
const QUALITY: u32 = 90;

/// How an image is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ImageFormat {
    Png,
    Jpeg,
    Webp,
}

/// A rectangle of the document, in CSS pixels from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct Clip {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// What to capture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shot {
    /// The whole document.
    FullPage,
    /// What the viewport shows.
    Viewport,
    /// A part of the document, inside or outside the viewport.
    Clip(Clip),
}

/// An encoded image.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Image {
    pub bytes: Vec<u8>,
    pub mime: &'static str,
    pub width: u32,
    pub height: u32,
    /// What was left out, if anything.
    pub note: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_content_size: Size,
    css_visual_viewport: Viewport,
}

#[derive(Deserialize)]
struct Size {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    client_width: f64,
    client_height: f64,
}

#[derive(Deserialize)]
struct Captured {
    data: String,
}

impl ImageFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }

    fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }
}

impl Page {
    /// Captures the page. Works in background tabs.
    ///
    /// # Errors
    /// `TooLarge` when a WebP image would have a side above 16,000 pixels.
    pub async fn screenshot(&self, shot: Shot, format: ImageFormat) -> Result<Image> {
        self.ensure_answering()?;
        let metrics: Call<Metrics> =
            self.session().call_method("Page.getLayoutMetrics", &NoParams);
        let metrics = metrics.await?;
        let mut note = String::new();
        let area = match shot {
            Shot::Viewport => None,
            Shot::Clip(clip) => Some(clip),
            Shot::FullPage => {
                let Size { width, height } = metrics.css_content_size;
                if height > MOST_HEIGHT {
                    note = format!("the page is {height} pixels high; the first {MOST_HEIGHT} are shown");
                }
                let height = height.clamp(1.0, MOST_HEIGHT);
                Some(Clip { x: 0.0, y: 0.0, width: width.max(1.0), height })
            }
        };
        let viewport = &metrics.css_visual_viewport;
        let (width, height) = area.map_or((viewport.client_width, viewport.client_height), |area| {
            (area.width.ceil(), area.height.ceil())
        });
        if format == ImageFormat::Webp && width.max(height) > MOST_WEBP {
            return Err(Error::TooLarge { bytes: width.max(height) as usize, limit: MOST_WEBP as usize });
        }
        let captured: Call<Captured> =
            self.session().call_method("Page.captureScreenshot", &parameters(area, format));
        let data = captured.await?.data;
        let bytes = decode(&data)?;
        Ok(Image { bytes, mime: format.mime(), width: width as u32, height: height as u32, note })
    }
}

fn parameters(area: Option<Clip>, format: ImageFormat) -> Value {
    let mut parameters = json!({ "format": format.name(), "optimizeForSpeed": true });
    if format != ImageFormat::Png {
        parameters["quality"] = json!(QUALITY);
    }
    if let Some(Clip { x, y, width, height }) = area {
        parameters["captureBeyondViewport"] = json!(true);
        parameters["clip"] =
            json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
    }
    parameters
}

fn decode(data: &str) -> Result<Vec<u8>> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(data);
    let empty = || Error::Protocol {
        method: "Page.captureScreenshot".to_owned(),
        message: "it answered with no image".to_owned(),
    };
    bytes.ok().filter(|bytes| !bytes.is_empty()).ok_or_else(empty)
}

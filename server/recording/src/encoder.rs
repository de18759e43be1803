//! The hidden tab that makes VP8 frames.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_proto::Reason;
use serde_json::{Value, json};

use browse_base::{Error, Result};
use browse_chromium::{HiddenPage, InjectedScript, Pointer, ScriptArgument, Viewport};

static SCRIPT: InjectedScript =
    InjectedScript { world_name: "browse-film", script: include_str!("encoder.js") };

const DRAW_FUNCTION: &str = "(width, height, jpeg, view, pointer, text) => browseFilm.draw(width, height, jpeg, view, pointer, text)";

/// What is drawn above the picture of the page.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// Where the pointer is; none until it first moves.
    pub pointer: Option<Pointer>,
    /// Share of the time that the ring of the last press is shown, from 0 to 1, at
    /// which it is gone.
    pub ring_progress: f64,
    /// A line at the bottom; empty for none.
    pub caption: String,
}

/// Encodes frames of one size.
pub struct FrameEncoder {
    helper: HiddenPage,
    /// Width and height of the film, in pixels.
    pub size: (u32, u32),
}

impl FrameEncoder {
    /// An encoder that works in `helper`.
    pub fn new(helper: HiddenPage, size: (u32, u32)) -> Self {
        Self { helper, size }
    }

    /// A VP8 key frame of the picture with `overlay` above it; without a picture, of
    /// the last one.
    pub async fn encode(
        &self,
        jpeg: Option<&str>,
        view: Viewport,
        overlay: &Overlay,
    ) -> Result<Vec<u8>> {
        let world = self.helper.world(&self.helper.main_frame().id, &SCRIPT).await?;
        let pointer = overlay.pointer.map(
            |p| json!({ "x": p.x, "y": p.y, "pressed": p.pressed, "age": overlay.ring_progress }),
        );
        let arguments = [
            ScriptArgument::from(self.size.0),
            ScriptArgument::from(self.size.1),
            ScriptArgument::from(jpeg),
            ScriptArgument::from(json!({ "width": view.width, "height": view.height })),
            ScriptArgument::from(pointer.unwrap_or(Value::Null)),
            ScriptArgument::from(overlay.caption.as_str()),
        ];
        let webp: String = world.call(DRAW_FUNCTION, &arguments).await?;
        let webp = STANDARD.decode(webp).unwrap_or_default();
        let frame = vp8_chunk(&webp).ok_or_else(|| {
            Error::new(
                Reason::ImageRefused,
                "the browser encodes no lossy WebP, which video is made of",
            )
        })?;
        Ok(frame.to_vec())
    }
}

/// The chunk `VP8 ` of a WebP file:
/// <https://developers.google.com/speed/webp/docs/riff_container>.
fn vp8_chunk(webp: &[u8]) -> Option<&[u8]> {
    let mut rest = webp.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    loop {
        let (name, after) = rest.split_at_checked(4)?;
        let (length, body) = after.split_at_checked(4)?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        if name == b"VP8 " {
            return body.get(..length);
        }
        rest = body.get(length + length % 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::vp8_chunk;

    #[test]
    fn the_frame_is_found_behind_other_chunks() {
        let webp = b"RIFF\x1a\0\0\0WEBPICCP\x01\0\0\0x\0VP8 \x02\0\0\0hi";
        assert_eq!(vp8_chunk(webp), Some(b"hi".as_slice()));
        assert_eq!(vp8_chunk(b"RIFF\x04\0\0\0WEBP"), None);
        assert_eq!(vp8_chunk(b""), None);
    }
}

//! What style sheets can ask about the medium.

use browse_proto::v1;

use super::{
    invalid,
    settings::{EmulationSetting, change_emulation},
};
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::MediaFeatures;

/// Emulates a medium; what is not named stays.
pub async fn emulate_media(
    cx: &CallContext,
    request: v1::EmulateMediaRequest,
) -> Result<v1::EmulateMediaResponse> {
    if request == v1::EmulateMediaRequest::default() {
        return Err(invalid(
            "none of `--type`, `--scheme`, `--motion`, `--contrast` and `--forced-colors` is given",
        ));
    }
    let settings = change_emulation(cx.page(), &[EmulationSetting::Media], |state| {
        apply_request(&mut state.media, &request)
    });
    Ok(v1::EmulateMediaResponse { settings: settings.await? })
}

fn apply_request(media: &mut MediaFeatures, request: &v1::EmulateMediaRequest) {
    use v1::{
        ColorScheme as Scheme, ContrastPreference as Contrast, ForcedColors as Forced,
        MediaType as Type, MotionPreference as Motion,
    };
    match request.r#type() {
        Type::Unspecified => {}
        Type::Default => media.kind = None,
        Type::Screen => media.kind = Some("screen"),
        Type::Print => media.kind = Some("print"),
    }
    match request.scheme() {
        Scheme::Unspecified => {}
        Scheme::Default => media.scheme = None,
        Scheme::Light => media.scheme = Some("light"),
        Scheme::Dark => media.scheme = Some("dark"),
    }
    match request.motion() {
        Motion::Unspecified => {}
        Motion::Default => media.motion = None,
        Motion::Reduce => media.motion = Some("reduce"),
        Motion::Full => media.motion = Some("no-preference"),
    }
    match request.contrast() {
        Contrast::Unspecified => {}
        Contrast::Default => media.contrast = None,
        Contrast::More => media.contrast = Some("more"),
        Contrast::Less => media.contrast = Some("less"),
    }
    match request.forced_colors() {
        Forced::Unspecified => {}
        Forced::Default => media.forced_colors = None,
        Forced::Active => media.forced_colors = Some("active"),
        Forced::None => media.forced_colors = Some("none"),
    }
}

//! Where and when a page believes it is.

use browse_proto::v1;

use super::{
    DEFAULT, invalid,
    settings::{EmulationSetting, change_emulation},
};
use crate::dispatch::CallContext;
use browse_base::{Result, quote};
use browse_chromium::{EvaluateOptions, Geolocation, Page};

/// Radius of uncertainty when the caller names none, in metres.
const DEFAULT_ACCURACY_METRES: f64 = 10.0;

/// Names that an error shows.
const MAX_SUGGESTIONS: usize = 5;

/// Emulates a place.
pub async fn emulate_geo(
    cx: &CallContext,
    request: v1::EmulateGeoRequest,
) -> Result<v1::EmulateGeoResponse> {
    let v1::EmulateGeoRequest { latitude, longitude, accuracy } = request;
    let accuracy = accuracy.unwrap_or(DEFAULT_ACCURACY_METRES);
    for (name, value, least, most) in [
        ("<latitude>", latitude, -90.0, 90.0),
        ("<longitude>", longitude, -180.0, 180.0),
        ("--accuracy", accuracy, 0.0, 1_000_000.0),
    ] {
        if !(least..=most).contains(&value) {
            return Err(invalid(format!("`{name}` is {value}, and can be {least} to {most}")));
        }
    }
    let position = Geolocation { latitude, longitude, accuracy };
    let settings = change_emulation(cx.page(), &[EmulationSetting::Geolocation], |state| {
        state.geolocation = Some(position);
    });
    Ok(v1::EmulateGeoResponse { settings: settings.await? })
}

/// Emulates a time zone.
pub async fn emulate_timezone(
    cx: &CallContext,
    request: v1::EmulateTimezoneRequest,
) -> Result<v1::EmulateTimezoneResponse> {
    let zone = request.timezone.trim().to_owned();
    if zone.is_empty() {
        return Err(invalid("the time zone is empty; `default` goes back to that of the system"));
    }
    let wanted = match zone.as_str() {
        DEFAULT => None,
        _ => Some(canonical_timezone(cx.page(), &zone).await?),
    };
    let settings =
        change_emulation(cx.page(), &[EmulationSetting::Timezone], |state| state.timezone = wanted)
            .await?;
    Ok(v1::EmulateTimezoneResponse { settings })
}

/// Emulates a language.
pub async fn emulate_locale(
    cx: &CallContext,
    request: v1::EmulateLocaleRequest,
) -> Result<v1::EmulateLocaleResponse> {
    let tag = request.locale.trim().replace('_', "-");
    let wanted = if tag == DEFAULT { None } else { Some(canonical_locale(cx.page(), &tag).await?) };
    let settings =
        change_emulation(cx.page(), &[EmulationSetting::Locale], |state| state.locale = wanted)
            .await?;
    Ok(v1::EmulateLocaleResponse { settings })
}

/// The tag as the browser writes it, when it has that language.
async fn canonical_locale(page: &Page, tag: &str) -> Result<String> {
    let words =
        tag.len() <= 35 && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let known = match words && !tag.is_empty() {
        true => {
            let tag = serde_json::Value::from(tag);
            let known = format!(
                "(() => {{ try {{ return Intl.DateTimeFormat.supportedLocalesOf({tag})[0] || '' }} catch {{ return '' }} }})()"
            );
            evaluate_in_page(page, &known).await?
        }
        false => serde_json::Value::Null,
    };
    match known.as_str() {
        Some(known) if !known.is_empty() => Ok(known.to_owned()),
        _ => {
            let tag = quote(tag);
            Err(invalid(format!(
                "`{tag}` is not a language that the browser has; such as de-DE, en-GB, ja-JP, pt-BR, or default"
            )))
        }
    }
}

/// The time zone, when the browser has it. Chromium itself takes any name as
/// soon as one is set.
async fn canonical_timezone(page: &Page, zone: &str) -> Result<String> {
    let word = zone.len() <= 60
        && zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte));
    let quoted = serde_json::Value::from(if word { zone } else { "" });
    let known = format!(
        "(() => {{ try {{ new Intl.DateTimeFormat('en', {{ timeZone: {quoted} }}); return true }} catch {{ return Intl.supportedValuesOf('timeZone') }} }})()"
    );
    let all = evaluate_in_page(page, &known).await?;
    if all == true {
        return Ok(zone.to_owned());
    }
    let names = all.as_array().into_iter().flatten().filter_map(|name| name.as_str());
    let likeness = |name: &str| {
        let end = |text: &str| text.rsplit('/').next().unwrap_or_default().to_lowercase();
        let whole = strsim::jaro_winkler(&name.to_lowercase(), &zone.to_lowercase());
        whole.max(strsim::jaro_winkler(&end(name), &end(zone)))
    };
    let mut near: Vec<_> = names.map(|name| (likeness(name), name)).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<_> = near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect();
    let (zone, near) = (quote(zone), near.join(", "));
    Err(invalid(format!("`{zone}` is not a time zone; near: {near}, or default")))
}

async fn evaluate_in_page(
    page: &Page,
    expression: &str,
) -> Result<serde_json::Value, browse_chromium::Error> {
    let frame = page.main_frame().id;
    page.evaluate(&frame, expression, EvaluateOptions::default())?.await
}

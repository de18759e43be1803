//! The client hints that go with a user agent. A page that asks for both must
//! not get contradicting values.

use serde_json::{Value, json};

use super::brands::{Brand, VersionForm, brand_list};

/// The hints of a user agent; none for browsers that send none.
pub(crate) fn user_agent_metadata(agent: &str) -> Option<Value> {
    let version = |name: &str| {
        let rest = agent.split(name).nth(1)?;
        rest.split([' ', ';', ')']).next().filter(|version| !version.is_empty())
    };
    let full = version("Chrome/")?;
    let (platform, platform_version) = platform(agent);
    Some(json!({
        "brands": brand_list(full, Brand::Chromium, VersionForm::Major),
        "fullVersionList": brand_list(full, Brand::Chromium, VersionForm::Full),
        "platform": platform,
        "platformVersion": platform_version,
        "architecture": if platform == "Android" { "" } else { "x86" },
        "model": device_model(agent).unwrap_or_default(),
        "mobile": agent.contains("Mobile"),
        "bitness": "64",
        "wow64": false,
    }))
}

fn platform(agent: &str) -> (&'static str, String) {
    let after = |name: &str| {
        let rest = agent.split(name).nth(1).unwrap_or_default();
        let version = rest.split([';', ')', ' ']).next().unwrap_or_default();
        version.replace('_', ".")
    };
    match agent {
        text if text.contains("Android") => ("Android", after("Android ")),
        text if text.contains("Mac OS X") => ("macOS", after("Mac OS X ")),
        text if text.contains("Windows") => ("Windows", after("Windows NT ")),
        text if text.contains("CrOS") => ("Chrome OS", String::new()),
        text if text.contains("Linux") => ("Linux", String::new()),
        _ => ("Unknown", String::new()),
    }
}

/// `Pixel 8` in `(Linux; Android 14; Pixel 8)`.
fn device_model(agent: &str) -> Option<&str> {
    let inside = agent.split_once('(')?.1.split_once(')')?.0;
    inside.contains("Android").then(|| inside.rsplit(';').next().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_tell_the_same_story_as_the_user_agent() {
        let phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";
        let hints = user_agent_metadata(phone).expect("Chrome sends hints");
        assert_eq!(hints["platform"], "Android");
        assert_eq!(hints["platformVersion"], "14");
        assert_eq!(hints["model"], "Pixel 8");
        assert_eq!(hints["mobile"], true);
        assert_eq!(hints["brands"][1], json!({ "brand": "Chromium", "version": "156" }));
        assert_eq!(
            user_agent_metadata(
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
            ),
            None
        );
    }
}

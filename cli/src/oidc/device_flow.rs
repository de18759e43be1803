//! The device flow: a person confirms a code at the issuer, and this program asks meanwhile
//! whether that has been done (RFC 8628).

use std::{
    thread,
    time::{Duration, Instant},
};

use browse_proto::Reason;
use serde_json::Value;

use super::{
    ClientRegistration,
    discovery::Issuer,
    token_endpoint::{TokenAnswer, TokenFailure, TokenSet, seconds},
    unusable_issuer,
};
use crate::{
    failure::{Failure, Result, printable},
    http_client::HttpClient,
};
use browse_pin::HttpsUrl;

const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Time between two requests when the issuer names none (section 3.2).
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);

/// Bounds of that time, whatever the issuer names.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
const MAX_INTERVAL: Duration = Duration::from_secs(60);

/// What `slow_down` adds to it (section 3.5).
const SLOW_DOWN: Duration = Duration::from_secs(5);

/// The longest that a code is waited for.
const MAX_LIFETIME: Duration = Duration::from_secs(3600);

/// Time for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Characters of a code that a person types.
const MAX_USER_CODE_CHARS: usize = 64;

/// A code that waits for a person.
pub struct DeviceCode {
    device_code: String,
    user_code: String,
    verification_url: HttpsUrl,
    /// The same with the code in it.
    complete_url: Option<HttpsUrl>,
    interval: Duration,
    lifetime: Duration,
    expires: Instant,
}

/// What an error means for the requests that follow.
#[derive(Debug, PartialEq, Eq)]
enum NextStep {
    /// The next one comes after this time.
    Wait(Duration),
    /// A person has refused it.
    Denied,
    /// The code is good no more.
    Expired,
    /// The issuer does not allow it.
    Refused,
}

impl DeviceCode {
    /// Asks the issuer for a code.
    ///
    /// # Errors
    /// `ISSUER_UNUSABLE`; `LOGIN_REFUSED`: the issuer does not allow it for this client.
    pub fn request(
        client: &HttpClient,
        issuer: &Issuer,
        registration: &ClientRegistration,
        end: Instant,
    ) -> Result<Self> {
        let unusable = |why: &str| unusable_issuer(&issuer.name, why);
        let endpoint = issuer.device_endpoint.as_ref();
        let endpoint = endpoint.ok_or_else(|| unusable("it has no device flow"))?;
        let scope = registration.scopes.join(" ");
        let mut fields = vec![("client_id", registration.client_id.as_str())];
        fields.extend((!scope.is_empty()).then_some(("scope", scope.as_str())));
        // Not of the RFC: some issuers make tokens for the audience that is asked for.
        fields.extend(registration.audience.as_deref().map(|audience| ("audience", audience)));
        let begun = Instant::now();
        let answer = client.post_form(endpoint, &fields, end).map_err(|why| unusable(&why))?;
        let document: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if let Some(code) = document.get("error").and_then(Value::as_str) {
            let why: String = code.chars().take(MAX_USER_CODE_CHARS).collect();
            let message = format!("the issuer does not begin the sign-in: `{}`", printable(&why));
            return Err(Failure::new(Reason::LoginRefused, message));
        }
        if answer.status != 200 {
            let why = format!("its device flow is answered with HTTP {}", answer.status);
            return Err(unusable(&why));
        }
        Self::parse(&document, begun).map_err(unusable)
    }

    fn parse(document: &Value, begun: Instant) -> Result<Self, &'static str> {
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        let device_code = text("device_code").filter(|code| !code.is_empty());
        let user_code = text("user_code").filter(|code| is_user_code(code));
        let (Some(device_code), Some(user_code)) = (device_code, user_code) else {
            return Err("its device flow answers no code");
        };
        // Google has another name for it.
        let url = text("verification_uri").or_else(|| text("verification_url"));
        let url = url.and_then(|url| HttpsUrl::parse(url).ok());
        let url = url.ok_or("its device flow answers no https address for the code")?;
        let complete = text("verification_uri_complete").and_then(|url| HttpsUrl::parse(url).ok());
        let lifetime = seconds(document.get("expires_in"));
        let lifetime = lifetime.ok_or("its device flow answers no time for the code")?;
        let lifetime = lifetime.min(MAX_LIFETIME);
        let interval = seconds(document.get("interval")).unwrap_or(DEFAULT_INTERVAL);
        Ok(Self {
            device_code: device_code.to_owned(),
            user_code: user_code.to_owned(),
            verification_url: url,
            complete_url: complete,
            interval: interval.clamp(MIN_INTERVAL, MAX_INTERVAL),
            lifetime,
            expires: begun + lifetime,
        })
    }

    /// What a person is to do, in two lines.
    pub fn prompt(&self) -> String {
        let url = self.complete_url.as_ref().unwrap_or(&self.verification_url);
        let minutes = self.lifetime.as_secs().div_ceil(60);
        let code = &self.user_code;
        format!("Open {url}\nand confirm the code {code}, which is good for {minutes} min.\n")
    }

    /// Waits until a person has confirmed the code.
    ///
    /// # Errors
    /// `LOGIN_REFUSED`, `LOGIN_EXPIRED`; `DEADLINE_EXCEEDED` at `end`; `ISSUER_UNUSABLE`: it
    /// answers what is not OAuth.
    pub fn wait(
        &self,
        client: &HttpClient,
        issuer: &Issuer,
        registration: &ClientRegistration,
        end: Option<Instant>,
    ) -> Result<TokenSet> {
        let fields = [
            ("grant_type", GRANT_TYPE),
            ("device_code", self.device_code.as_str()),
            ("client_id", registration.client_id.as_str()),
        ];
        let last = end.map_or(self.expires, |end| end.min(self.expires));
        let mut interval = self.interval;
        let mut trouble: Option<String> = None;
        loop {
            thread::sleep(interval.min(last.saturating_duration_since(Instant::now())));
            let now = Instant::now();
            if now >= last {
                return Err(late(last < self.expires, trouble.as_deref()));
            }
            let until = last.min(now + REQUEST_TIMEOUT);
            match issuer.request_token(client, &fields, until) {
                Ok(TokenAnswer::Granted(tokens)) => return Ok(tokens),
                Ok(TokenAnswer::Refused(error)) => match next_step(&error.code, interval) {
                    NextStep::Wait(next) => interval = next,
                    NextStep::Expired => return Err(expired()),
                    NextStep::Denied => {
                        let message = "the sign-in was refused at the issuer";
                        return Err(Failure::new(Reason::LoginRefused, message));
                    }
                    NextStep::Refused => {
                        let message = format!("the issuer refuses the sign-in: {}", error.text());
                        return Err(Failure::new(Reason::LoginRefused, message));
                    }
                },
                // Section 3.5: after that, requests come less often.
                Err(TokenFailure::Unreachable(why)) => {
                    interval = (interval * 2).min(MAX_INTERVAL);
                    trouble = Some(why);
                }
                Err(failure) => return Err(unusable_issuer(&issuer.name, failure.why())),
            }
        }
    }
}

/// Whether a person can type it, and it is nothing but a code.
fn is_user_code(text: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || "-_. ".contains(letter);
    (1..=MAX_USER_CODE_CHARS).contains(&text.trim().chars().count()) && text.chars().all(fits)
}

fn next_step(error: &str, interval: Duration) -> NextStep {
    match error {
        "authorization_pending" => NextStep::Wait(interval),
        // Also beyond the bound: the issuer knows what it can bear.
        "slow_down" => NextStep::Wait(interval + SLOW_DOWN),
        "access_denied" => NextStep::Denied,
        "expired_token" => NextStep::Expired,
        _ => NextStep::Refused,
    }
}

fn expired() -> Failure {
    Failure::new(Reason::LoginExpired, "nobody confirmed the code while it was good")
}

fn late(is_deadline: bool, trouble: Option<&str>) -> Failure {
    let mut failure = match is_deadline {
        true => Failure::new(Reason::DeadlineExceeded, "nobody confirmed the code in time")
            .with_hint("Run it again with a longer `--timeout`, or without one"),
        false => expired(),
    };
    if let Some(trouble) = trouble {
        failure.message.push_str(&format!("; the issuer did not answer all requests: {trouble}"));
    }
    failure
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(changed: Value) -> Value {
        let mut answer = json!({
            "device_code": "d", "user_code": "WDJB-MJHT", "expires_in": 600, "interval": 7,
            "verification_uri": "https://login.example.com/device",
        });
        for (name, value) in changed.as_object().expect("an object") {
            answer[name] = value.clone();
        }
        answer
    }

    fn parse(changed: Value) -> Result<DeviceCode, &'static str> {
        DeviceCode::parse(&answer(changed), Instant::now())
    }

    #[test]
    fn each_error_of_the_flow_has_its_step() {
        let interval = Duration::from_secs(7);
        for (error, step) in [
            ("authorization_pending", NextStep::Wait(interval)),
            ("slow_down", NextStep::Wait(Duration::from_secs(12))),
            ("access_denied", NextStep::Denied),
            ("expired_token", NextStep::Expired),
            ("invalid_client", NextStep::Refused),
            ("", NextStep::Refused),
        ] {
            assert_eq!(next_step(error, interval), step, "{error}");
        }
    }

    #[test]
    fn a_person_gets_the_address_and_the_code() {
        let code = parse(json!({})).expect("it is whole");
        let prompt = code.prompt();
        assert_eq!(
            prompt,
            "Open https://login.example.com/device\n\
             and confirm the code WDJB-MJHT, which is good for 10 min.\n"
        );
        let complete = "https://login.example.com/device?user_code=WDJB-MJHT";
        let code = parse(json!({ "verification_uri_complete": complete })).expect("it is whole");
        assert!(code.prompt().contains(complete));
        // An address that is not https is not shown.
        let foreign = json!({ "verification_uri_complete": "http://evil.example/" });
        assert!(!parse(foreign).expect("it is whole").prompt().contains("evil"));
    }

    #[test]
    fn times_have_bounds_and_a_default() {
        let interval = |value: Value| parse(json!({ "interval": value })).map(|code| code.interval);
        assert_eq!(interval(json!(null)), Ok(DEFAULT_INTERVAL));
        assert_eq!(interval(json!(0)), Ok(MIN_INTERVAL));
        assert_eq!(interval(json!(100_000)), Ok(MAX_INTERVAL));
        let long = parse(json!({ "expires_in": u64::MAX })).map(|code| code.lifetime);
        assert_eq!(long, Ok(MAX_LIFETIME));
    }

    #[test]
    fn half_an_answer_is_refused() {
        for changed in [
            json!({ "device_code": null }),
            json!({ "user_code": "" }),
            json!({ "user_code": "x".repeat(65) }),
            json!({ "user_code": "A\u{1b}[2JB" }),
            json!({ "user_code": "A\nOpen https://evil.example" }),
            json!({ "verification_uri": "http://login.example.com/device" }),
            json!({ "verification_uri": null }),
            json!({ "expires_in": null }),
            json!({ "expires_in": "soon" }),
        ] {
            assert!(parse(changed.clone()).is_err(), "{changed}");
        }
    }
}

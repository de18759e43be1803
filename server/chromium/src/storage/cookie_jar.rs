//! The cookies of a browser context. The browser process keeps them, so a page
//! that hangs holds up none of this.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::cookie::Cookie;
use crate::connection::call::CdpCall;
use crate::connection::pipe::CdpConnection;
use crate::error::{Error, Result};
use crate::ids::BrowserContextId;
use crate::page::page::Page;

/// Cookies in one message: well below what the pipe bears.
const MAX_COOKIES_PER_CALL: usize = 500;

/// The cookies of one context.
pub struct CookieJar {
    connection: CdpConnection,
    context: BrowserContextId,
}

#[derive(Deserialize)]
struct CookieJarResult {
    cookies: Vec<Cookie>,
}

impl Page {
    /// The cookies of its context.
    pub fn cookies(&self) -> CookieJar {
        CookieJar { connection: self.shared.connection.clone(), context: self.context_id().clone() }
    }
}

impl CookieJar {
    /// All of them, of every host.
    pub async fn all(&self) -> Result<Vec<Cookie>> {
        let params = json!({ "browserContextId": self.context });
        let call: CdpCall<CookieJarResult> =
            self.connection.call_method(None, "Storage.getCookies", &params);
        Ok(call.await?.cookies)
    }

    /// Adds cookies, replacing those with the same key. The browser leaves out
    /// without a word what contradicts itself: read them back to know.
    pub async fn set(&self, cookies: &[Cookie]) -> Result<()> {
        for some in cookies.chunks(MAX_COOKIES_PER_CALL) {
            match self.store(some).await {
                // One that cannot be read spoils its whole message.
                Err(Error::Protocol { .. }) if some.len() > 1 => {
                    for cookie in some {
                        ignore_protocol_error(self.store(std::slice::from_ref(cookie)).await)?;
                    }
                }
                outcome => ignore_protocol_error(outcome)?,
            }
        }
        Ok(())
    }

    /// Removes one cookie.
    pub async fn remove(&self, cookie: &Cookie) -> Result<()> {
        // An expired cookie removes the one that it replaces.
        let past = Cookie { value: String::new(), expires: Some(1.0), ..cookie.clone() };
        self.store(&[past]).await
    }

    /// Removes all of them.
    pub async fn clear(&self) -> Result<()> {
        let params = json!({ "browserContextId": self.context });
        let call: CdpCall<IgnoredAny> =
            self.connection.call_method(None, "Storage.clearCookies", &params);
        call.await.map(drop)
    }

    async fn store(&self, cookies: &[Cookie]) -> Result<()> {
        let cookies: Vec<Value> = cookies.iter().map(|cookie| json!(cookie)).collect();
        let params = json!({ "cookies": cookies, "browserContextId": self.context });
        let call: CdpCall<IgnoredAny> =
            self.connection.call_method(None, "Storage.setCookies", &params);
        call.await.map(drop)
    }
}

fn ignore_protocol_error(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(Error::Protocol { .. }) => Ok(()),
        outcome => outcome,
    }
}

/// Seconds since the epoch, as expiries are counted.
pub fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

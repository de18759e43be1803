//! The cookies of a browser context. The browser process keeps them, so a page
//! that hangs holds up none of this.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::cookie::Cookie;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::pipe::Connection;
use crate::chromium::error::{Error, Result};
use crate::chromium::ids::BrowserContextId;
use crate::chromium::page::page::Page;

/// Cookies in one message: well below what the pipe bears.
const AT_ONCE: usize = 500;

/// The cookies of one context.
pub struct CookieJar {
    connection: Connection,
    context: BrowserContextId,
}

#[derive(Deserialize)]
struct Cookies {
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
        let call: Call<Cookies> = self.connection.call_method(None, "Storage.getCookies", &params);
        Ok(call.await?.cookies)
    }

    /// Adds cookies, replacing those with the same key. The browser leaves out
    /// without a word what contradicts itself: read them back to know.
    pub async fn put(&self, cookies: &[Cookie]) -> Result<()> {
        for some in cookies.chunks(AT_ONCE) {
            match self.store(some).await {
                // One that cannot be read spoils its whole message.
                Err(Error::Protocol { .. }) if some.len() > 1 => {
                    for cookie in some {
                        refused_is_fine(self.store(std::slice::from_ref(cookie)).await)?;
                    }
                }
                outcome => refused_is_fine(outcome)?,
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
        let call: Call<IgnoredAny> =
            self.connection.call_method(None, "Storage.clearCookies", &params);
        call.await.map(drop)
    }

    async fn store(&self, cookies: &[Cookie]) -> Result<()> {
        let cookies: Vec<Value> = cookies.iter().map(|cookie| json!(cookie)).collect();
        let params = json!({ "cookies": cookies, "browserContextId": self.context });
        let call: Call<IgnoredAny> =
            self.connection.call_method(None, "Storage.setCookies", &params);
        call.await.map(drop)
    }
}

fn refused_is_fine(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(Error::Protocol { .. }) => Ok(()),
        outcome => outcome,
    }
}

/// Seconds since the epoch, as expiries are counted.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

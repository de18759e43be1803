//! Raw calls of the DevTools protocol, of methods that a table allows.

use browse_proto::{Reason, Requires, v1};
use serde_json::{Map, Value};
use tokio::time::timeout_at;

use super::allowed_methods::{AllowedCdpMethod, CdpLockScope, CdpOutputTrust, METHODS};
use crate::dispatch::CallContext;
use browse_base::{Error, Result, quote};
use browse_sessions::ExclusiveGuard;

/// Bytes that parameters may have.
const MAX_PARAMS_BYTES: usize = 64 << 10;

/// Runs one method, alone in its tab or in the browser; lists the methods when
/// none is named.
pub async fn cdp(cx: &CallContext, request: v1::CdpRequest) -> Result<v1::CdpResponse> {
    let Some(name) = request.method.as_deref() else { return Ok(list_methods(request.data)) };
    let method = AllowedCdpMethod::find(name).ok_or_else(|| method_denied(name))?;
    let params = parse_params(request.params.as_deref().unwrap_or("{}"))?;
    let all = cx.daemon().sessions().browser_lock();
    let answer = match method.scope {
        CdpLockScope::Tab => {
            let tab = cx.prepare_tab(Requires::Page).await?;
            let _alone = ExclusiveGuard::acquire_tab(all, tab, cx.deadline()).await?;
            let call = async {
                let mut answer = tab.page().call_raw(name, &params).await;
                // Asked afterwards: what was typed meanwhile is a secret, too.
                if let (Ok(answer), true) = (&mut answer, method.exposes_field_values()) {
                    tab.engine().secrets().await?.redact_json(answer);
                }
                Ok::<_, Error>(answer)
            };
            match timeout_at(cx.deadline(), call).await {
                Ok(answer) => answer?,
                Err(_) => {
                    tab.quarantine();
                    return Err(call_timed_out(name).with("tab", tab.id()));
                }
            }
        }
        CdpLockScope::Browser => {
            let browser = cx.own_browser().await?;
            let _alone = ExclusiveGuard::acquire_browser(all, cx.deadline()).await?;
            let call = browser.call_raw(name, &params);
            timeout_at(cx.deadline(), call).await.map_err(|_| call_timed_out(name))?
        }
    };
    to_response(method, &answer.map_err(call_refused)?)
}

/// Parameters are one JSON object.
fn parse_params(params: &str) -> Result<Value> {
    if params.len() > MAX_PARAMS_BYTES {
        let message = format!("the parameters have {} bytes", params.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "64 KiB"));
    }
    let object: Map<String, Value> = serde_json::from_str(params).map_err(|error| {
        let message = format!("the parameters are not JSON object: {error}");
        Error::new(Reason::ArgumentInvalid, message).with("command", "cdp")
    })?;
    Ok(Value::Object(object))
}

fn to_response(method: &AllowedCdpMethod, answer: &Value) -> Result<v1::CdpResponse> {
    let text = answer.to_string();
    let limit = method.max_output_bytes();
    if text.len() > limit {
        let message = format!("`{}` answered with {} bytes", method.name, text.len());
        let limit = format!("{} MiB", limit >> 20);
        return Err(Error::new(Reason::TooLarge, message).with("limit", limit));
    }
    Ok(match method.output {
        CdpOutputTrust::Trusted => v1::CdpResponse { trusted: text, ..Default::default() },
        CdpOutputTrust::Untrusted => v1::CdpResponse { value: text, ..Default::default() },
    })
}

fn list_methods(data: bool) -> v1::CdpResponse {
    let describe = |method: &AllowedCdpMethod| v1::CdpMethod {
        method: method.name.to_owned(),
        scope: method.scope.name().to_owned(),
        output: method.output.name().to_owned(),
        justification: method.justification.to_owned(),
    };
    if data {
        return v1::CdpResponse {
            methods: METHODS.iter().map(describe).collect(),
            ..Default::default()
        };
    }
    let line = |method: &AllowedCdpMethod| {
        let AllowedCdpMethod { name, scope, output, justification } = method;
        format!("{name} ({}, {}): {justification}", scope.name(), output.name())
    };
    let list = METHODS.iter().map(line).collect::<Vec<_>>().join("\n");
    v1::CdpResponse { list, ..Default::default() }
}

fn method_denied(name: &str) -> Error {
    let near = METHODS.iter().find(|method| method.name.eq_ignore_ascii_case(name));
    let meant = near.map(|method| format!("; `{}` is", method.name)).unwrap_or_default();
    let message = format!("`{}` is not allowed{meant}", quote(name));
    Error::new(Reason::CdpDenied, message).with("method", quote(name))
}

/// Chromium's own words about a call that it did not take.
fn call_refused(fault: browse_chromium::Error) -> Error {
    match fault {
        browse_chromium::Error::Protocol { method, message } => {
            Error::new(Reason::CdpRefused, format!("the browser refused `{method}`"))
                .with("cause", message)
        }
        other => other.into(),
    }
}

fn call_timed_out(name: &str) -> Error {
    Error::new(Reason::DeadlineExceeded, format!("`{name}` was not answered in time"))
}

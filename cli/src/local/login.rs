//! `login`: signs in to a fleet, and keeps it as a remote; makes its token good.

mod fleet_document;
mod options;
mod renew;
mod token_check;

use std::time::{Duration, Instant};

use browse_proto::Reason;
use serde_json::json;

use self::{
    fleet_document::FleetDocument,
    options::{LoginAction, LoginOptions, TokenSource},
};
use crate::{
    failure::{Failure, Result, printable},
    fleet_remote::{FleetRemote, TokenRenewal},
    fleet_token,
    globals::Globals,
    http_client::HttpClient,
    oidc::{ClientRegistration, DeviceCode, Issuer, TokenSet},
    print,
    remote::{PendingRemoteFile, Remote},
};
use browse_pin::HttpsUrl;

/// Time for each step but the one that waits for a person.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);

/// The end that `--timeout` sets, which holds for the whole command.
#[derive(Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    /// The end of a step that begins now.
    fn step(self) -> Instant {
        let end = Instant::now() + STEP_TIMEOUT;
        self.0.map_or(end, |last| last.min(end))
    }

    /// The time that such a step has.
    fn step_time(self) -> Duration {
        self.step().saturating_duration_since(Instant::now())
    }
}

/// Signs in, or makes the token of a sign-in good.
pub fn run(words: &[String], globals: &Globals) -> Result<u8> {
    print::mark_remote_output();
    match LoginAction::read(words, globals)? {
        LoginAction::SignIn(options) => store_new(&options, globals),
        LoginAction::Renew(options) => {
            let fleet = renew::renewed_fleet(&options, globals.timeout)?;
            match globals.json {
                true => print_json(&options.name, &fleet),
                false => Ok(0),
            }
        }
    }
}

/// Signs in, checks the token with the gateway, and keeps it. When one of these fails, nothing is
/// stored.
fn store_new(options: &LoginOptions, globals: &Globals) -> Result<u8> {
    let deadline = Deadline(globals.timeout.map(|time| Instant::now() + time));
    let client = HttpClient::new(options.ca.clone())?;
    let document = FleetDocument::fetch(&client, &options.url, deadline.step())?;
    let name = choose_name(options, &document)?;
    // A folder that cannot be written is reported before a person signs in.
    drop(PendingRemoteFile::new(deadline.step_time())?);
    let fleet = match options.source.passed_token(deadline.step_time())? {
        Some(token) => FleetRemote {
            url: options.url.clone(),
            ca: options.ca.clone(),
            token,
            expires_at: None,
            renewal: None,
        },
        None => sign_in(options, &document, &client, deadline)?,
    };
    let registration = document.registration.as_ref();
    let registration = registration.filter(|_| options.source == TokenSource::DeviceFlow);
    token_check::check(&name, &fleet, registration, deadline.step_time())?;
    let file = PendingRemoteFile::new(deadline.step_time())?;
    // Another sign-in may have taken the name meanwhile.
    choose_name(options, &document)?;
    file.save(&name, &Remote::Fleet(fleet.clone()))?;
    report(&name, &fleet, globals)
}

/// Has a person confirm the sign-in at the issuer.
fn sign_in(
    options: &LoginOptions,
    document: &FleetDocument,
    client: &HttpClient,
    deadline: Deadline,
) -> Result<FleetRemote> {
    let registration = document.registration.as_ref().ok_or_else(|| {
        let message = format!("the fleet at `{}` takes a token", options.url.origin());
        Failure::new(Reason::LoginUnavailable, message)
    })?;
    let tokens = device_flow(&options.url, registration, client, deadline)?;
    let renewal = tokens.refresh_token.clone().map(|refresh_token| TokenRenewal {
        issuer: registration.issuer.clone(),
        client_id: registration.client_id.clone(),
        refresh_token,
    });
    let mut fleet = FleetRemote {
        url: options.url.clone(),
        ca: options.ca.clone(),
        token: String::new(),
        expires_at: None,
        renewal,
    };
    fleet_token::set_tokens(&mut fleet, tokens);
    Ok(fleet)
}

fn device_flow(
    gateway: &HttpsUrl,
    registration: &ClientRegistration,
    client: &HttpClient,
    deadline: Deadline,
) -> Result<TokenSet> {
    let issuer = Issuer::discover(client, gateway, &registration.issuer, deadline.step())?;
    let code = DeviceCode::request(client, &issuer, registration, deadline.step())?;
    print::stderr(&printable(&code.prompt()));
    let scopes = registration.scopes.join(" ");
    let uses = format!(
        "The token goes to {}, for `{}` with the scopes `{scopes}`.\n",
        gateway.origin(),
        registration.client_id
    );
    print::stderr(&printable(&uses));
    code.wait(client, &issuer, registration, deadline.0)
}

/// The name that was given, else that of the fleet. A name that the fleet chose does not replace
/// another remote.
fn choose_name(options: &LoginOptions, document: &FleetDocument) -> Result<String> {
    if let Some(name) = &options.name {
        return Ok(name.clone());
    }
    let name = &document.name;
    match Remote::read(name) {
        Ok(Remote::Fleet(known)) if known.url == options.url => Ok(name.clone()),
        Err(failure) if failure.has_reason(Reason::RemoteUnknown) => Ok(name.clone()),
        _ => {
            let message = format!("there is another remote `{name}` already");
            Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint("Give this one another name, as in `browse login <url> --name fleet2`"))
        }
    }
}

fn report(name: &str, fleet: &FleetRemote, globals: &Globals) -> Result<u8> {
    let code = match globals.json {
        true => print_json(name, fleet)?,
        false => print::text(&format!("signed in to {name}: {}", fleet.url.origin()))?,
    };
    print::note(&format!("`browse --remote {name} <command>` drives it"));
    if fleet.renewal.is_none() && fleet.expires_at.is_some() {
        print::note("the issuer gave no refresh token: sign in again when this one has ended");
    }
    Ok(code)
}

fn print_json(name: &str, fleet: &FleetRemote) -> Result<u8> {
    let url = fleet.url.origin();
    let result = json!({"name": name, "url": url, "expires_at": fleet.expires_at});
    print::json_result(&result.to_string(), None)
}

//! The settings of authentication, and what is wrong with them.

use std::{collections::BTreeMap, path::PathBuf};

use browse_base::{Error, Result};
use browse_fleet::{Tenant, TenantQuota};
use browse_proto::Reason;
use serde::Deserialize;

use super::{
    claims::{ClaimRules, is_scope, known_scopes},
    quotas::QuotaRules,
};
use browse_pin::HttpsUrl;

/// Path of the document of OpenID Connect Discovery, below the issuer.
const DISCOVERY_PATH: &str = "/.well-known/openid-configuration";

/// What the errors call the place of a setting.
const PLACE: &str = "the settings of the gateway";

/// How callers are authenticated. API keys, an issuer, or both.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuthSettings {
    /// A TOML file with API keys: tables `[[key]]` with `sha256` (hexadecimal, of the key),
    /// `tenant`, `subject`, `scopes`, and optionally `session`. A key is random and long: its
    /// hash has no salt. It is read again when it changes.
    pub api_keys: Option<PathBuf>,
    /// The exact `iss` of JWTs. When neither `jwks_file` nor `jwks_url` is set, it is a URL, and
    /// its OpenID Connect configuration tells where its keys are.
    pub issuer: Option<String>,
    /// What the `aud` of JWTs is or contains. Required with `issuer`.
    pub audience: Option<String>,
    /// A file with the keys of the issuer as a JWKS. It is read again when it changes.
    pub jwks_file: Option<PathBuf>,
    /// The URL of the keys of the issuer: `https`, or `http` on a loopback address.
    pub jwks_url: Option<String>,
    /// The claim with the tenant: a string. Required in each JWT.
    pub tenant_claim: String,
    /// The claim with the scopes: a string with blanks between them, or an array of strings.
    /// `browse:read` and `read` are the same, and words that are not scopes are ignored.
    pub scope_claim: String,
    /// The claim with the only session that the JWT is good for. Without it, the JWT is good for
    /// every session of the tenant.
    pub session_claim: String,
    /// The scopes of a JWT that does not have the scope claim at all.
    pub default_scopes: Vec<String>,
    /// Quotas by tenant. A claim `browse_quota` can only lower them.
    pub quotas: BTreeMap<String, TenantQuota>,
    /// The quota of all other tenants.
    pub default_quota: TenantQuota,
}

/// What `issuer` and the settings that belong to it say.
pub struct IssuerSettings {
    /// The exact `iss`.
    pub issuer: String,
    /// What `aud` is or contains.
    pub audience: String,
    /// Where the keys are.
    pub jwks: JwksLocation,
}

/// Where the keys of the issuer are.
pub enum JwksLocation {
    /// In a file.
    File(PathBuf),
    /// At a URL.
    Url(HttpsUrl),
    /// At a URL that this document of the issuer names.
    Discovery(HttpsUrl),
}

impl Default for AuthSettings {
    fn default() -> Self {
        Self {
            api_keys: None,
            issuer: None,
            audience: None,
            jwks_file: None,
            jwks_url: None,
            tenant_claim: "tenant".to_owned(),
            scope_claim: "scope".to_owned(),
            session_claim: "browse_session".to_owned(),
            default_scopes: ["read", "write", "meta"].map(str::to_owned).to_vec(),
            quotas: BTreeMap::new(),
            default_quota: TenantQuota::default(),
        }
    }
}

impl AuthSettings {
    /// Checks the settings of the issuer; none when only API keys are accepted.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub(super) fn issuer_settings(&self) -> Result<Option<IssuerSettings>> {
        let Some(issuer) = &self.issuer else {
            self.check_without_issuer()?;
            return Ok(None);
        };
        check_text("issuer", issuer)?;
        let Some(audience) = &self.audience else {
            return Err(invalid_setting("audience", "it is required with `issuer`"));
        };
        check_text("audience", audience)?;
        let jwks = self.jwks_location(issuer)?;
        Ok(Some(IssuerSettings { issuer: issuer.clone(), audience: audience.clone(), jwks }))
    }

    /// Checks the settings that say what claims mean.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub(super) fn claim_rules(&self) -> Result<ClaimRules> {
        for (setting, name) in [
            ("tenant_claim", &self.tenant_claim),
            ("scope_claim", &self.scope_claim),
            ("session_claim", &self.session_claim),
        ] {
            check_text(setting, name)?;
        }
        if let Some(unknown) = self.default_scopes.iter().find(|scope| !is_scope(scope)) {
            let why = format!(
                "`{}` is not a scope: use read, write, meta, admin or control",
                browse_base::quote(unknown)
            );
            return Err(invalid_setting("default_scopes", &why));
        }
        for tenant in self.quotas.keys() {
            Tenant::new(tenant.as_str())
                .map_err(|error| invalid_setting("quotas", &error.to_string()))?;
        }
        Ok(ClaimRules {
            tenant_claim: self.tenant_claim.clone(),
            scope_claim: self.scope_claim.clone(),
            session_claim: self.session_claim.clone(),
            default_scopes: known_scopes(self.default_scopes.iter().map(String::as_str)),
            quotas: QuotaRules::new(self.quotas.clone(), self.default_quota),
        })
    }

    fn check_without_issuer(&self) -> Result<()> {
        for (setting, is_set) in [
            ("audience", self.audience.is_some()),
            ("jwks_file", self.jwks_file.is_some()),
            ("jwks_url", self.jwks_url.is_some()),
        ] {
            if is_set {
                return Err(invalid_setting(setting, "it requires `issuer`"));
            }
        }
        match self.api_keys {
            Some(_) => Ok(()),
            None => Err(invalid_setting("issuer", "`issuer`, `api_keys`, or both are required")),
        }
    }

    fn jwks_location(&self, issuer: &str) -> Result<JwksLocation> {
        let url = |setting: &str, text: &str| {
            HttpsUrl::parse(text).map_err(|why| invalid_setting(setting, why))
        };
        match (&self.jwks_file, &self.jwks_url) {
            (Some(_), Some(_)) => {
                Err(invalid_setting("jwks_url", "`jwks_file` is set as well: use one of them"))
            }
            (Some(path), None) => Ok(JwksLocation::File(path.clone())),
            (None, Some(text)) => url("jwks_url", text).map(JwksLocation::Url),
            (None, None) if issuer.contains(['?', '#']) => {
                Err(invalid_setting("issuer", "an issuer has no query and no fragment"))
            }
            (None, None) => {
                let base = issuer.strip_suffix('/').unwrap_or(issuer);
                url("issuer", &format!("{base}{DISCOVERY_PATH}")).map(JwksLocation::Discovery)
            }
        }
    }
}

/// The error for a setting of authentication.
pub fn invalid_setting(setting: &str, why: &str) -> Error {
    let message = format!("the setting `{setting}` of authentication is not valid: {why}");
    Error::new(Reason::SettingInvalid, message).with("setting", setting).with("place", PLACE)
}

fn check_text(setting: &str, value: &str) -> Result<()> {
    match value.is_empty() || value.trim() != value || value.chars().any(char::is_control) {
        true => Err(invalid_setting(setting, "it is empty, or has blanks around it")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let settings: AuthSettings = toml::from_str(text).expect(text);
        let checked = settings.issuer_settings().map(drop);
        let error = checked.and(settings.claim_rules().map(drop)).expect_err(text);
        assert_eq!(error.reason(), Reason::SettingInvalid, "{text}");
        error.metadata().get("setting").cloned().expect("it names the setting")
    }

    #[test]
    fn an_error_names_the_setting() {
        let issuer = "issuer = 'https://i.example'\n";
        let both = "issuer = 'https://i.example'\naudience = 'a'\n";
        for (setting, more, before) in [
            ("issuer", "", ""),
            ("audience", "", issuer),
            ("audience", "audience = ''", issuer),
            ("audience", "audience = 'a'\napi_keys = '/k'", ""),
            ("jwks_url", "jwks_url = 'https://i.example/k'\napi_keys = '/k'", ""),
            ("jwks_file", "jwks_file = '/k'\napi_keys = '/k'", ""),
            ("jwks_url", "jwks_url = 'https://i.example/k'\njwks_file = '/k'", both),
            ("jwks_url", "jwks_url = 'http://i.example/k'", both),
            ("issuer", "issuer = 'http://i.example'\naudience = 'a'", ""),
            ("issuer", "issuer = 'https://i.example?a=b'\naudience = 'a'", ""),
            ("issuer", "issuer = 'internal'\naudience = 'a'", ""),
            ("tenant_claim", "tenant_claim = ''", both),
            ("default_scopes", "default_scopes = ['root']", both),
            ("quotas", "[quotas.'a/b']\nsessions = 1", both),
        ] {
            assert_eq!(refused(&format!("{before}{more}")), setting, "{before}{more}");
        }
        assert!(toml::from_str::<AuthSettings>("isuer = 'x'").is_err());
    }

    #[test]
    fn settings_have_defaults() {
        let text =
            "issuer = 'internal'\naudience = 'a'\njwks_file = '/k'\n[quotas.acme]\nqueue = 1";
        let settings: AuthSettings = toml::from_str(text).expect("it is whole");
        assert!(settings.issuer_settings().is_ok_and(|issuer| issuer.is_some()));
        let rules = settings.claim_rules().expect("they are whole");
        assert_eq!(rules.default_scopes, ["meta", "read", "write"]);
        let acme = rules.quotas.of(&Tenant::new("acme").expect("a name"));
        assert_eq!(acme, TenantQuota { queue: 1, ..TenantQuota::default() });
    }
}

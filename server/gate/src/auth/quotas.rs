//! What a tenant may have: by the settings, and less by a claim of the token.

use std::collections::BTreeMap;

use browse_fleet::{Tenant, TenantQuota};
use serde::Deserialize;
use serde_json::Value;

/// The quotas of the settings.
#[derive(Clone, Debug, Default)]
pub struct QuotaRules {
    by_tenant: BTreeMap<String, TenantQuota>,
    default: TenantQuota,
}

/// The claim with a quota. What it leaves out is as the settings say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuotaClaim {
    sessions: Option<usize>,
    sessions_per_minute: Option<u32>,
    queue: Option<usize>,
}

impl QuotaRules {
    /// The rules of these settings.
    pub fn new(by_tenant: BTreeMap<String, TenantQuota>, default: TenantQuota) -> Self {
        Self { by_tenant, default }
    }

    /// The quota of a tenant.
    pub fn of(&self, tenant: &Tenant) -> TenantQuota {
        self.by_tenant.get(tenant.as_str()).copied().unwrap_or(self.default)
    }

    /// The quota of a tenant for a token with this claim, which cannot raise it.
    ///
    /// # Errors
    /// The claim is not a quota.
    pub fn lowered_by(
        &self,
        claim: &Value,
        tenant: &Tenant,
    ) -> Result<TenantQuota, serde_json::Error> {
        let claim = QuotaClaim::deserialize(claim)?;
        let most = self.of(tenant);
        Ok(TenantQuota {
            sessions: lower(most.sessions, claim.sessions),
            sessions_per_minute: lower(most.sessions_per_minute, claim.sessions_per_minute),
            queue: lower(most.queue, claim.queue),
        })
    }
}

fn lower<T: Ord>(most: T, claimed: Option<T>) -> T {
    match claimed {
        Some(claimed) => most.min(claimed),
        None => most,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_claim_lowers_and_never_raises() {
        let own = TenantQuota { sessions: 50, sessions_per_minute: 10, queue: 5 };
        let rules = QuotaRules::new([("acme".to_owned(), own)].into(), TenantQuota::default());
        let acme = Tenant::new("acme").expect("a name");
        let lowered = |claim: Value| rules.lowered_by(&claim, &acme);
        for (claim, expected) in [
            (json!({}), own),
            (json!({"sessions": 3}), TenantQuota { sessions: 3, ..own }),
            (json!({"sessions": 51, "queue": 1}), TenantQuota { queue: 1, ..own }),
            (json!({"sessions_per_minute": 4_000_000_000_u32}), own),
            (json!({"sessions": 0}), TenantQuota { sessions: 0, ..own }),
        ] {
            assert_eq!(lowered(claim.clone()).expect("a quota"), expected, "{claim}");
        }
        for claim in [json!(null), json!(3), json!({"session": 3}), json!({"queue": -1})] {
            assert!(lowered(claim.clone()).is_err(), "{claim}");
        }
    }
}

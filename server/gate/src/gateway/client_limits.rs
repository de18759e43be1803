//! How many clients of the DevTools protocol this replica connects, in all and of each tenant.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::Tenant;
use browse_proto::Reason;

/// Clients of one tenant at a time.
const MAX_TENANT_CLIENTS: usize = 100;

/// Clients at a time.
const MAX_CLIENTS: usize = 2_000;

/// Time after which a client may try again where there are too many, in milliseconds.
const RETRY_MS: u64 = 1_000;

/// The clients that are connected.
#[derive(Default)]
pub struct ClientLimits(Mutex<HashMap<Tenant, usize>>);

/// The place of one client, until it is dropped.
pub struct ClientSlot {
    limits: Arc<ClientLimits>,
    tenant: Tenant,
}

impl ClientLimits {
    /// A place for a client of `tenant`.
    ///
    /// # Errors
    /// `FLEET_QUOTA`: the tenant has too many. `FLEET_BUSY`: the replica has.
    pub fn enter(self: &Arc<Self>, tenant: &Tenant) -> Result<ClientSlot> {
        let mut clients = self.lock();
        let own = clients.get(tenant).copied().unwrap_or_default();
        if own >= MAX_TENANT_CLIENTS {
            let message = format!("the tenant has {own} clients of the DevTools protocol");
            return Err(Error::new(Reason::FleetQuota, message)
                .with("limit", MAX_TENANT_CLIENTS)
                .with(HINT_KEY, "Disconnect one of them, then connect again"));
        }
        if clients.values().sum::<usize>() >= MAX_CLIENTS {
            let message = format!("{MAX_CLIENTS} clients of the DevTools protocol are connected");
            return Err(Error::new(Reason::FleetBusy, message).with("retry_ms", RETRY_MS));
        }
        clients.insert(tenant.clone(), own + 1);
        Ok(ClientSlot { limits: Arc::clone(self), tenant: tenant.clone() })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lock().values().sum()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Tenant, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut clients = self.limits.lock();
        if let Some(own) = clients.get_mut(&self.tenant) {
            *own -= 1;
            if *own == 0 {
                clients.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_has_so_many_clients_and_others_have_theirs() {
        let limits = Arc::<ClientLimits>::default();
        let (a, b) = (Tenant::new("a").expect("a name"), Tenant::new("b").expect("a name"));
        let enter = |tenant| limits.enter(tenant);
        let slots: Vec<_> =
            (0..MAX_TENANT_CLIENTS).map(|_| enter(&a).expect("there is room")).collect();
        let refused = enter(&a).map(drop).expect_err("it has as many as it may");
        assert_eq!(refused.reason(), Reason::FleetQuota);
        let other = enter(&b).expect("it is another tenant");
        assert_eq!(limits.len(), MAX_TENANT_CLIENTS + 1);
        drop((slots, other));
        assert_eq!(limits.len(), 0);
        enter(&a).map(drop).expect("there is room again");
    }

    #[test]
    fn all_tenants_together_have_a_limit() {
        let limits = Arc::<ClientLimits>::default();
        let slots: Vec<_> = (0..MAX_CLIENTS)
            .map(|at| {
                let tenant = Tenant::new(format!("t{}", at / MAX_TENANT_CLIENTS));
                limits.enter(&tenant.expect("a name")).expect("there is room")
            })
            .collect();
        let refused = limits.enter(&Tenant::new("late").expect("a name")).map(drop);
        assert_eq!(refused.expect_err("it is full").reason(), Reason::FleetBusy);
        drop(slots);
    }
}

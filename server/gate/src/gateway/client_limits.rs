//! How many clients this replica serves at a time, and how much memory they take: in all, and of each
//! tenant.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::Tenant;
use browse_proto::Reason;

/// A kind of clients, or of what they take, and how much of it there is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitedResource {
    /// What they are, in the plural.
    name: &'static str,
    /// Those of one tenant.
    max_of_tenant: usize,
    /// All.
    max: usize,
    /// What a tenant with too many does.
    hint: &'static str,
}

/// Clients of the DevTools protocol.
pub const DEVTOOLS_CLIENTS: LimitedResource = LimitedResource {
    name: "clients of the DevTools protocol",
    max_of_tenant: 100,
    max: 2_000,
    hint: "Disconnect one of them, then connect again",
};

/// Requests of MCP that are under way.
pub const MCP_REQUESTS: LimitedResource = LimitedResource {
    name: "requests of MCP under way",
    max_of_tenant: 100,
    max: 500,
    hint: "Wait until one of them has ended, then send it again",
};

/// Memory that the requests of MCP under way and their answers take, as it is estimated: the gateway
/// holds both whole.
pub const MCP_MEMORY: LimitedResource = LimitedResource {
    name: "bytes of memory with requests of MCP and their answers",
    max_of_tenant: 96 << 20,
    max: 256 << 20,
    hint: "Make fewer calls with large answers at a time",
};

/// Time after which a client may try again where there are too many, in milliseconds.
const RETRY_MS: u64 = 1_000;

/// The clients of a kind that are there.
pub struct ClientLimits {
    kind: LimitedResource,
    of_tenants: Mutex<HashMap<Tenant, usize>>,
}

/// What a client takes, until it is dropped: one place, or as much as it has taken.
pub struct ClientSlot {
    limits: Arc<ClientLimits>,
    tenant: Tenant,
    taken: AtomicUsize,
}

impl ClientLimits {
    /// None yet.
    pub fn new(kind: LimitedResource) -> Arc<Self> {
        Arc::new(Self { kind, of_tenants: Mutex::default() })
    }

    /// A place for a client of `tenant`.
    ///
    /// # Errors
    /// `FLEET_QUOTA`: the tenant has too many. `FLEET_BUSY`: the replica has.
    pub fn enter(self: &Arc<Self>, tenant: &Tenant) -> Result<ClientSlot> {
        let slot = self.slot(tenant);
        slot.take(1)?;
        Ok(slot)
    }

    /// A slot of `tenant` that has taken nothing yet.
    pub fn slot(self: &Arc<Self>, tenant: &Tenant) -> ClientSlot {
        let (limits, tenant) = (Arc::clone(self), tenant.clone());
        ClientSlot { limits, tenant, taken: AtomicUsize::new(0) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lock().values().sum()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Tenant, usize>> {
        self.of_tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSlot {
    /// Takes as much more.
    ///
    /// # Errors
    /// `FLEET_QUOTA`: the tenant has too much. `FLEET_BUSY`: the replica has. Nothing more is taken
    /// then.
    pub fn take(&self, count: usize) -> Result<()> {
        let LimitedResource { name, max_of_tenant, max, hint } = self.limits.kind;
        let mut clients = self.limits.lock();
        let own = clients.get(&self.tenant).copied().unwrap_or_default();
        if own.saturating_add(count) > max_of_tenant {
            let message = format!("the tenant has {own} {name}");
            return Err(Error::new(Reason::FleetQuota, message)
                .with("limit", max_of_tenant)
                .with(HINT_KEY, hint));
        }
        let all = clients.values().sum::<usize>();
        if all.saturating_add(count) > max {
            let message = format!("this replica has {all} {name}");
            return Err(Error::new(Reason::FleetBusy, message).with("retry_ms", RETRY_MS));
        }
        clients.insert(self.tenant.clone(), own + count);
        self.taken.fetch_add(count, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut clients = self.limits.lock();
        if let Some(own) = clients.get_mut(&self.tenant) {
            *own -= *self.taken.get_mut();
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
        let limits = ClientLimits::new(DEVTOOLS_CLIENTS);
        let max = DEVTOOLS_CLIENTS.max_of_tenant;
        let (a, b) = (Tenant::new("a").expect("a name"), Tenant::new("b").expect("a name"));
        let enter = |tenant| limits.enter(tenant);
        let slots: Vec<_> = (0..max).map(|_| enter(&a).expect("there is room")).collect();
        let refused = enter(&a).map(drop).expect_err("it has as many as it may");
        assert_eq!(refused.reason(), Reason::FleetQuota);
        let other = enter(&b).expect("it is another tenant");
        assert_eq!(limits.len(), max + 1);
        drop((slots, other));
        assert_eq!(limits.len(), 0);
        enter(&a).map(drop).expect("there is room again");
    }

    #[test]
    fn all_tenants_together_have_a_limit() {
        let limits = ClientLimits::new(MCP_REQUESTS);
        let slots: Vec<_> = (0..MCP_REQUESTS.max)
            .map(|at| {
                let tenant = Tenant::new(format!("t{}", at / MCP_REQUESTS.max_of_tenant));
                limits.enter(&tenant.expect("a name")).expect("there is room")
            })
            .collect();
        let refused = limits.enter(&Tenant::new("late").expect("a name")).map(drop);
        assert_eq!(refused.expect_err("it is full").reason(), Reason::FleetBusy);
        drop(slots);
    }

    #[test]
    fn what_a_client_takes_grows_up_to_the_limit() {
        let limits = ClientLimits::new(MCP_MEMORY);
        let (a, b) = (Tenant::new("a").expect("a name"), Tenant::new("b").expect("a name"));
        let (first, second) = (limits.slot(&a), limits.slot(&a));
        first.take(MCP_MEMORY.max_of_tenant - 10).expect("there is room");
        first.take(4).expect("there is room");
        assert_eq!(second.take(7).expect_err("it is too much").reason(), Reason::FleetQuota);
        second.take(6).expect("what was refused is not taken");
        limits.slot(&b).take(1).expect("it is another tenant");
        drop(first);
        assert_eq!(limits.len(), 6, "the other one keeps what it has");
        second.take(MCP_MEMORY.max_of_tenant - 6).expect("there is room again");
        drop(second);
        assert_eq!(limits.len(), 0);
    }
}

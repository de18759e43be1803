//! Callers that wait for a place: first come, first served within a tenant, and in turn between
//! tenants, so that one with many callers does not hold up the others.

use std::collections::{HashMap, VecDeque};

use browse_fleet::Tenant;

/// Names a caller that waits.
pub type Ticket = u64;

/// The queue. Taking, adding and removing cost as much as there are tenants that wait.
pub struct FairQueue<T> {
    waiting: HashMap<Tenant, VecDeque<(Ticket, T)>>,
    /// Tenants with callers that wait; the first is served next.
    turns: VecDeque<Tenant>,
    next_ticket: Ticket,
}

/// A tenant has as many waiting callers as it may.
#[derive(Debug, PartialEq, Eq)]
pub struct QueueFull {
    /// Callers of the tenant that wait.
    pub waiting: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { waiting: HashMap::new(), turns: VecDeque::new(), next_ticket: 0 }
    }
}

impl<T> FairQueue<T> {
    /// Adds a caller of `tenant`, of which at most `limit` wait.
    ///
    /// # Errors
    /// There are as many already.
    pub fn push(&mut self, tenant: &Tenant, limit: usize, caller: T) -> Result<Ticket, QueueFull> {
        let waiting = self.waiting.get(tenant).map_or(0, VecDeque::len);
        if waiting >= limit {
            return Err(QueueFull { waiting });
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if waiting == 0 {
            self.turns.push_back(tenant.clone());
        }
        self.waiting.entry(tenant.clone()).or_default().push_back((ticket, caller));
        Ok(ticket)
    }

    /// Puts back a caller that was taken and got nothing: it is the next of its tenant.
    pub fn put_back(&mut self, tenant: &Tenant, caller: T) -> Ticket {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let queue = self.waiting.entry(tenant.clone()).or_default();
        if queue.is_empty() {
            self.turns.push_front(tenant.clone());
        }
        queue.push_front((ticket, caller));
        ticket
    }

    /// Takes the first caller, in the order of turns, for whose tenant `fits` has something. The
    /// turn of its tenant is over then.
    pub fn take<P>(&mut self, mut fits: impl FnMut(&Tenant, &T) -> Option<P>) -> Option<(T, P)> {
        for at in 0..self.turns.len() {
            let tenant = self.turns.get(at)?.clone();
            let queue = self.waiting.get_mut(&tenant)?;
            let Some(place) = queue.front().and_then(|(_, caller)| fits(&tenant, caller)) else {
                continue;
            };
            let (_, caller) = queue.pop_front()?;
            let is_empty = queue.is_empty();
            self.turns.remove(at);
            if is_empty {
                self.waiting.remove(&tenant);
            } else {
                self.turns.push_back(tenant);
            }
            return Some((caller, place));
        }
        None
    }

    /// Removes a caller that does not wait any more.
    pub fn remove(&mut self, tenant: &Tenant, ticket: Ticket) -> Option<T> {
        let queue = self.waiting.get_mut(tenant)?;
        let at = queue.iter().position(|(known, _)| *known == ticket)?;
        let (_, caller) = queue.remove(at)?;
        if queue.is_empty() {
            self.waiting.remove(tenant);
            self.turns.retain(|known| known != tenant);
        }
        Some(caller)
    }

    /// How many callers are served before this one and with it, if all places fit all tenants: 1
    /// is the next.
    pub fn position(&self, tenant: &Tenant, ticket: Ticket) -> Option<usize> {
        let queue = self.waiting.get(tenant)?;
        let ahead = queue.iter().position(|(known, _)| *known == ticket)?;
        let own_turn = self.turns.iter().position(|known| known == tenant)?;
        let others = self.turns.iter().enumerate().filter(|(_, other)| *other != tenant);
        let before = others.map(|(turn, other)| {
            let rounds = if turn < own_turn { ahead + 1 } else { ahead };
            self.waiting.get(other).map_or(0, VecDeque::len).min(rounds)
        });
        Some(before.sum::<usize>() + ahead + 1)
    }

    /// Callers that wait.
    pub fn len(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    /// Takes all callers.
    pub fn drain(&mut self) -> Vec<T> {
        self.turns.clear();
        self.waiting.drain().flat_map(|(_, queue)| queue).map(|(_, caller)| caller).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> Tenant {
        Tenant::new(name).expect("a name")
    }

    fn all(queue: &mut FairQueue<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| queue.take(|_, _| Some(())).map(|(caller, ())| caller)).collect()
    }

    #[test]
    fn tenants_take_turns_and_callers_keep_their_order() {
        let (a, b, c) = (tenant("a"), tenant("b"), tenant("c"));
        let mut queue = FairQueue::default();
        for caller in ["a1", "a2", "a3", "a4"] {
            queue.push(&a, 10, caller).expect("there is room");
        }
        let b1 = queue.push(&b, 10, "b1").expect("there is room");
        let b2 = queue.push(&b, 10, "b2").expect("there is room");
        let c1 = queue.push(&c, 10, "c1").expect("there is room");
        assert_eq!(queue.position(&b, b1), Some(2));
        assert_eq!(queue.position(&c, c1), Some(3));
        assert_eq!(queue.position(&b, b2), Some(5), "after a1, b1, c1 and a2");
        assert_eq!(all(&mut queue), ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn positions_are_the_order_in_which_all_are_served() {
        let mut queue = FairQueue::default();
        let mut tickets = Vec::new();
        for (index, name) in ["a", "a", "b", "a", "c", "b", "a", "c", "c", "c"].iter().enumerate() {
            let ticket = queue.push(&tenant(name), 10, index).expect("there is room");
            tickets.push((tenant(name), ticket, index));
        }
        let mut expected: Vec<_> = tickets
            .iter()
            .map(|(tenant, ticket, index)| {
                (queue.position(tenant, *ticket).expect("it waits"), *index)
            })
            .collect();
        expected.sort_unstable();
        assert_eq!(
            expected.iter().map(|(place, _)| *place).collect::<Vec<_>>(),
            (1..=10).collect::<Vec<_>>()
        );
        let served: Vec<usize> =
            std::iter::from_fn(|| queue.take(|_, _| Some(())).map(|(index, ())| index)).collect();
        assert_eq!(served, expected.iter().map(|(_, index)| *index).collect::<Vec<_>>());
    }

    #[test]
    fn one_for_whom_nothing_fits_is_passed_over_and_keeps_its_turn() {
        let (a, b) = (tenant("a"), tenant("b"));
        let mut queue = FairQueue::default();
        queue.push(&a, 10, "a1").expect("there is room");
        queue.push(&b, 10, "b1").expect("there is room");
        queue.push(&b, 10, "b2").expect("there is room");
        let only_b = |tenant: &Tenant, _: &&str| (tenant.as_str() == "b").then_some(());
        assert_eq!(queue.take(only_b).map(|(caller, ())| caller), Some("b1"));
        assert_eq!(all(&mut queue), ["a1", "b2"]);
    }

    #[test]
    fn a_queue_is_bounded_for_each_tenant_and_who_leaves_makes_room() {
        let (a, b) = (tenant("a"), tenant("b"));
        let mut queue = FairQueue::default();
        let first = queue.push(&a, 2, "a1").expect("there is room");
        queue.push(&a, 2, "a2").expect("there is room");
        assert_eq!(queue.push(&a, 2, "a3"), Err(QueueFull { waiting: 2 }));
        queue.push(&b, 2, "b1").expect("others are not held up");
        assert_eq!(queue.remove(&a, first), Some("a1"));
        assert_eq!(queue.remove(&a, first), None);
        queue.push(&a, 2, "a3").expect("there is room again");
        assert_eq!(all(&mut queue), ["a2", "b1", "a3"]);
        assert!(queue.push(&a, 0, "a4").is_err());
    }
}

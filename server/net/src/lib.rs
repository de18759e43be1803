//! Hosts and addresses: the patterns of host lists, the kinds of IP addresses, and
//! the resolver rules of Chromium.

mod address;
mod host_policy;
mod host_rules;
mod resolver_rules;
mod url;

pub use self::url::without_query;
pub use address::{
    AddressKind, address_kind, is_forbidden_to_cookies, is_metadata_address, is_metadata_host,
};
pub use host_policy::{HostPattern, HostPolicy, host_and_port};
pub use host_rules::{HostRules, InvalidHostRule};
pub use resolver_rules::{HostMapping, ResolverRules};

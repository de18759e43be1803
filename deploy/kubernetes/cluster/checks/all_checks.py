"""The list of the checks."""

from faults.injections import FAULTS
from faults.runner import checked

from . import (
    Check,
    failures,
    networks,
    nodes,
    operations,
    permissions,
    sandboxes,
    sessions,
    tenants,
    times,
)

CHECKS = [
    Check("the chart is installed", sessions.install, is_needed=True),
    Check("a session is driven through each replica", sessions.drive_a_session),
    Check("the claim is on the pod of the tenant", sessions.claim_of_a_tenant),
    Check("the Deployment refills the pool", sessions.pool_is_refilled),
    Check("another tenant gets another pod", sessions.another_tenant),
    Check("pods without a session go", sessions.empty_pods_go),
    Check("the gateway may do what it needs, and nothing else", permissions.of_the_gateway),
    Check("browsers may do nothing in the cluster", permissions.of_browsers),
    Check("network policies hold", networks.policies),
    Check("pages do not reach private addresses", networks.pages),
    Check("no page reaches another tenant", tenants.pages),
    Check("no program in a pod reaches another tenant", tenants.programs),
    Check("times", times.measured),
    Check("callers wait while the leader is killed", failures.leader_is_killed),
    Check("a daemon is killed", failures.daemon_is_killed),
    Check("a pod is deleted by force", failures.pod_is_deleted),
    Check("a browser is killed", failures.browser_is_killed),
    Check("the API server stops for a minute", failures.api_server_stops),
    # Before a drain, after which all replicas may be on one node.
    Check("a node loses its power", nodes.power_loss),
    Check("pods of tenants are not evicted", nodes.eviction),
    Check("a node is drained", nodes.drain),
    Check("a pod is deleted in order", nodes.pod_drains),
    Check("the release is upgraded with sessions open", operations.upgrade),
    # The first of them upgrades the release: from then on, sessions are saved in a store.
    *[Check(f"with a store: {fault.name}", checked(fault)) for fault in FAULTS if fault.is_checked],
    # The first of them removes the release and installs it in the other profile.
    *[Check(f"agent-sandbox: {name}", check) for name, check in sandboxes.CHECKS],
    Check("nothing is left of the release", operations.uninstall, is_needed=True),
]

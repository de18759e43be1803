"""The list of the checks."""

from . import Check, sessions

CHECKS = [
    Check("the chart is installed", sessions.install, is_needed=True),
    Check("a session is driven through each replica", sessions.drive_a_session),
    Check("the claim is on the pod of the tenant", sessions.claim_of_a_tenant),
    Check("the Deployment refills the pool", sessions.pool_is_refilled),
    Check("another tenant gets another pod", sessions.another_tenant),
    Check("pods without a session go", sessions.empty_pods_go),
]

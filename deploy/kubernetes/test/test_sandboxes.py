"""The profile agent-sandbox."""

import copy
import unittest

import schemas
from chart import RELEASE, SANDBOXED, find, objects, of_kind, pool_pods
from test_chart import gate_settings


class Sandboxes(unittest.TestCase):
    def test_the_pods_are_those_of_the_plain_profile(self):
        plain = copy.deepcopy(pool_pods(objects("base")))
        self.assertEqual(plain["metadata"]["labels"].pop("browse.dev/pool"), RELEASE)
        self.assertEqual(pool_pods(objects("base-agent-sandbox")), plain)

    def test_the_pool_has_the_template_and_a_size(self):
        pool = find(objects("base-agent-sandbox"), "SandboxWarmPool", f"{RELEASE}-pool")["spec"]
        find(
            objects("base-agent-sandbox"), "SandboxTemplate", pool["sandboxTemplateRef"]["name"]
        )
        self.assertEqual(pool["replicas"], 3)
        self.assertEqual(pool["updateStrategy"], {"type": "Recreate"})
        found = gate_settings("agent-sandbox")["cluster"]["sandbox"]
        wanted = {"warm_pool": f"{RELEASE}-pool", "claim_time": "90s", "waiting_claims": 5}
        self.assertEqual(found, wanted)
        for settings in SANDBOXED:
            self.assertEqual(
                [each["metadata"]["name"] for each in of_kind(objects(settings), "Deployment")],
                [f"{RELEASE}-gate"],
            )

    def test_the_policies_of_the_chart_hold_and_none_of_the_controller(self):
        for settings in SANDBOXED:
            rendered = objects(settings)
            template = find(rendered, "SandboxTemplate", f"{RELEASE}-pool")["spec"]
            self.assertEqual(template["networkPolicyManagement"], "Unmanaged")
            self.assertNotIn("networkPolicy", template)
            selected = find(rendered, "NetworkPolicy", f"{RELEASE}-pods")["spec"]["podSelector"]
            labels = template["podTemplate"]["metadata"]["labels"]
            self.assertLessEqual(selected["matchLabels"].items(), labels.items())

    def test_the_size_of_the_pool_is_scaled(self):
        scaled = find(objects("agent-sandbox"), "ScaledObject", f"{RELEASE}-pool")["spec"]
        wanted = {
            "apiVersion": "extensions.agents.x-k8s.io/v1beta1",
            "kind": "SandboxWarmPool",
            "name": f"{RELEASE}-pool",
        }
        self.assertEqual(scaled["scaleTargetRef"], wanted)
        pool = find(objects("agent-sandbox"), "SandboxWarmPool", f"{RELEASE}-pool")["spec"]
        self.assertNotIn("replicas", pool)
        arguments = ("--set", "scaling.mode=hpa,scaling.minReplicas=1")
        scaler = objects("agent-sandbox", *arguments)
        found = find(scaler, "HorizontalPodAutoscaler", f"{RELEASE}-pool")["spec"]
        self.assertEqual(found["scaleTargetRef"], wanted)

    def test_a_wrong_field_of_a_pod_is_found(self):
        wrong = copy.deepcopy(find(objects("agent-sandbox"), "SandboxTemplate", f"{RELEASE}-pool"))
        wrong["spec"]["podTemplate"]["spec"]["noSuchField"] = 1
        self.assertNotEqual(schemas.problems(wrong), [])

    def test_pods_of_claims_are_not_evicted(self):
        for settings in SANDBOXED:
            spec = find(objects(settings), "PodDisruptionBudget", f"{RELEASE}-claimed")["spec"]
            self.assertEqual(
                spec["selector"],
                {
                    "matchLabels": {"browse.dev/pod": RELEASE},
                    "matchExpressions": [
                        {"key": "agents.x-k8s.io/claim-uid", "operator": "Exists"}
                    ],
                },
            )

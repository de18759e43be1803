"""The base for kustomize."""

import pathlib
import shutil
import tempfile
import tomllib
import unittest

import schemas
from chart import (
    BASES,
    KUBERNETES,
    TOOLS,
    base_objects,
    documents,
    find,
    must,
    of_kind,
    pod_templates,
    pool_pods,
)
from test_chart import restricted

OVERLAY = """
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: sessions
resources: [base]
images: [{ name: browse.invalid/browse, newName: registry.example/browse, newTag: next }]
replicas: [{ name: browse-pool, count: 20 }]
configMapGenerator:
  - { name: browse-gate-config, behavior: replace, files: [gate.toml] }
"""


class Base(unittest.TestCase):
    def test_it_is_as_the_chart_says(self):
        must("bash", KUBERNETES / "render.sh", "--check")

    def test_each_object_has_the_shape_of_its_kind(self):
        for name in BASES:
            self.assertGreater(len(base_objects(name)), 10)
            for each in base_objects(name):
                with self.subTest(base=name, kind=each["kind"], name=each["metadata"]["name"]):
                    self.assertEqual(schemas.problems(each), [])

    def test_nothing_of_helm_is_left(self):
        for file in (file for name in BASES for file in (KUBERNETES / name).iterdir()):
            text = file.read_text()
            self.assertTrue(text.startswith("# Generated"), file.name)
            self.assertNotIn("helm", text.lower(), file.name)
            self.assertNotIn("checksum", text, file.name)

    def test_the_namespace_is_restricted(self):
        for name in BASES:
            labels = find(base_objects(name), "Namespace", "browse")["metadata"]["labels"]
            self.assertEqual(labels["pod-security.kubernetes.io/enforce"], "restricted")
            templates = pod_templates(base_objects(name))
            self.assertEqual(len(templates), 2)
            for _, pods in templates:
                self.assertEqual(restricted(pods["spec"]), [])

    def test_rights_are_of_the_names_that_the_gateway_uses(self):
        # Kustomize changes names in a Role that are those of a ConfigMap with a hash.
        for name in BASES:
            (role,) = of_kind(base_objects(name), "Role")
            names = {name for rule in role["rules"] for name in rule.get("resourceNames", [])}
            config = next(each for each in of_kind(base_objects(name), "ConfigMap"))
            settings = tomllib.loads(config["data"]["gate.toml"])["cluster"]
            self.assertEqual(names, {settings["lease"], settings["owner"]})
            find(base_objects(name), "Lease", settings["lease"])
            find(base_objects(name), "Deployment", settings["owner"])
            if "sandbox" in settings:
                find(base_objects(name), "SandboxWarmPool", settings["sandbox"]["warm_pool"])

    def test_an_overlay_changes_image_namespace_and_settings(self):
        changed = self.overlaid("base", OVERLAY)
        for each in changed:
            self.assertEqual(schemas.problems(each), [])
            self.assertEqual(each["metadata"].get("namespace", "sessions"), "sessions")
        (config,) = of_kind(changed, "ConfigMap")
        self.assertEqual(config["data"]["gate.toml"], "listen = 'x'\n")
        gate = find(changed, "Deployment", "browse-gate")["spec"]["template"]["spec"]
        self.assertEqual(gate["volumes"][0]["configMap"]["name"], config["metadata"]["name"])
        self.assertEqual(gate["containers"][0]["image"], "registry.example/browse:next")
        self.assertEqual(find(changed, "Deployment", "browse-pool")["spec"]["replicas"], 20)
        self.assertEqual(
            find(changed, "RoleBinding", "browse-gate")["subjects"][0]["namespace"], "sessions"
        )

    def test_an_overlay_changes_the_image_of_sandboxes(self):
        # Kustomize finds containers in any object, and replicas in those of Kubernetes alone.
        overlay = OVERLAY.replace("replicas: [{ name: browse-pool, count: 20 }]\n", "")
        changed = self.overlaid("base-agent-sandbox", overlay)
        pods = pool_pods(changed, "browse")
        self.assertEqual(pods["spec"]["containers"][0]["image"], "registry.example/browse:next")

    def overlaid(self, name, overlay):
        """The objects of a base with an overlay."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            shutil.copytree(KUBERNETES / name, folder / "base")
            (folder / "kustomization.yaml").write_text(overlay)
            (folder / "gate.toml").write_text("listen = 'x'\n")
            return documents(must(TOOLS / "kubectl", "kustomize", folder))

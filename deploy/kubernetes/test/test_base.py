"""The base for kustomize."""

import pathlib
import shutil
import tempfile
import tomllib
import unittest

import schemas
from chart import KUBERNETES, TOOLS, base_objects, documents, find, must, of_kind
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
        self.assertGreater(len(base_objects()), 10)
        for each in base_objects():
            with self.subTest(kind=each["kind"], name=each["metadata"]["name"]):
                self.assertEqual(schemas.problems(each), [])

    def test_nothing_of_helm_is_left(self):
        for file in (KUBERNETES / "base").iterdir():
            text = file.read_text()
            self.assertTrue(text.startswith("# Generated"), file.name)
            self.assertNotIn("helm", text.lower(), file.name)
            self.assertNotIn("checksum", text, file.name)

    def test_the_namespace_is_restricted(self):
        labels = find(base_objects(), "Namespace", "browse")["metadata"]["labels"]
        self.assertEqual(labels["pod-security.kubernetes.io/enforce"], "restricted")
        for deployment in of_kind(base_objects(), "Deployment"):
            self.assertEqual(restricted(deployment["spec"]["template"]["spec"]), [])

    def test_rights_are_of_the_names_that_the_gateway_uses(self):
        # Kustomize changes names in a Role that are those of a ConfigMap with a hash.
        (role,) = of_kind(base_objects(), "Role")
        names = {name for rule in role["rules"] for name in rule.get("resourceNames", [])}
        config = next(each for each in of_kind(base_objects(), "ConfigMap"))
        settings = tomllib.loads(config["data"]["gate.toml"])["cluster"]
        self.assertEqual(names, {settings["lease"], settings["owner"]})
        find(base_objects(), "Lease", settings["lease"])
        find(base_objects(), "Deployment", settings["owner"])

    def test_an_overlay_changes_image_namespace_and_settings(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            shutil.copytree(KUBERNETES / "base", folder / "base")
            (folder / "kustomization.yaml").write_text(OVERLAY)
            (folder / "gate.toml").write_text("listen = 'x'\n")
            changed = documents(must(TOOLS / "kubectl", "kustomize", folder))
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

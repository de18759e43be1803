"""The objects of the chart."""

import copy
import re
import tomllib
import unittest

import schemas
from chart import (
    CHART,
    NAMESPACE,
    RELEASE,
    ROOT,
    SANDBOXED,
    SETTINGS,
    find,
    helm,
    objects,
    of_kind,
    pod_templates,
    pool_pods,
    template,
)

# Volumes that the level `restricted` of the Pod Security Standards allows.
VOLUMES = {
    "configMap",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
}


def release_of(settings):
    return "1.20" if settings == "1.20" else "1.37"


def restricted(spec):
    """What the level `restricted` would refuse a pod for."""
    security = spec.get("securityContext", {})
    found = [key for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key)]
    found += [
        f"volume {v['name']}" for v in spec.get("volumes", []) if not set(v) - {"name"} <= VOLUMES
    ]
    if security.get("runAsNonRoot") is not True or security.get("runAsUser") == 0:
        found.append("root")
    if security.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
        found.append("seccomp")
    for container in spec.get("initContainers", []) + spec["containers"]:
        own = container.get("securityContext", {})
        if own.get("privileged") or own.get("allowPrivilegeEscalation") is not False:
            found.append("privileges")
        if own.get("capabilities") != {"drop": ["ALL"]}:
            found.append("capabilities")
        if own.get("runAsNonRoot", True) is not True or own.get("runAsUser", 1) == 0:
            found.append("root")
        if any("hostPort" in port for port in container.get("ports", [])):
            found.append("host ports")
    return found


def gate_settings(settings, *arguments):
    config = find(objects(settings, *arguments), "ConfigMap", f"{RELEASE}-gate-config")
    return tomllib.loads(config["data"]["gate.toml"])


def fields(source, struct):
    """The fields of a struct in Rust."""
    text = (ROOT / source).read_text()
    body = re.search(rf"pub struct {struct} \{{\n(.*?)\n\}}", text, re.DOTALL).group(1)
    return set(re.findall(r"^    pub (\w+):", body, re.MULTILINE))


class Objects(unittest.TestCase):
    def test_helm_finds_no_fault(self):
        for settings, path in SETTINGS.items():
            with self.subTest(settings):
                # Old objects are a fault for a new cluster.
                cluster = ("--kube-version", "1.20.2") if settings == "1.20" else ()
                code, out, err = helm(
                    "lint", "--strict", "--quiet", CHART, "--values", path, *cluster
                )
                self.assertEqual(code, 0, out + err)

    def test_each_object_has_the_shape_of_its_kind(self):
        for settings in SETTINGS:
            for each in objects(settings):
                with self.subTest(
                    settings=settings, kind=each["kind"], name=each["metadata"]["name"]
                ):
                    self.assertEqual(schemas.problems(each, release_of(settings)), [])

    def test_an_unknown_field_is_found_in_each_kind(self):
        kinds = {}
        for settings in SETTINGS:
            kinds |= {
                (each["apiVersion"], each["kind"], release_of(settings)): each
                for each in objects(settings)
            }
        self.assertGreater(len(kinds), 20)
        for (_, kind, release), each in kinds.items():
            with self.subTest(kind=kind, release=release):
                wrong = copy.deepcopy(each)
                # A Lease and a ServiceAccount have no more than their metadata.
                inner = wrong.get("spec") or wrong["metadata"]
                inner["noSuchField"] = 1
                self.assertNotEqual(schemas.problems(wrong, release), [])

    def test_a_release_has_only_its_own_kinds(self):
        budget = of_kind(objects("minimal"), "PodDisruptionBudget")[0]
        self.assertIn("has no PodDisruptionBudget", schemas.problems(budget, "1.20")[0])
        old = of_kind(objects("1.20"), "PodDisruptionBudget")[0]
        self.assertEqual(old["apiVersion"], "policy/v1beta1")
        self.assertIn("has no PodDisruptionBudget", schemas.problems(old, "1.37")[0])

    def test_names_are_unique_and_lie_in_the_namespace(self):
        for settings in SETTINGS:
            seen = set()
            for each in objects(settings):
                name = (each["kind"], each["metadata"]["name"])
                self.assertNotIn(name, seen, settings)
                seen.add(name)
                self.assertEqual(each["metadata"]["namespace"], NAMESPACE, name)
                self.assertTrue(name[1].startswith(f"{RELEASE}-"), name)

    def test_a_number_can_name_a_release(self):
        code, out, err = template("minimal", release="7")
        self.assertEqual(code, 0, err)
        self.assertIn('browse.dev/pod: "7"', out)

    def test_the_image_is_of_this_version(self):
        version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"][
            "version"
        ]
        for _, pods in pod_templates(objects("minimal")):
            image = pods["spec"]["containers"][0]["image"]
            self.assertEqual(image, f"registry.example/browse:{version}")

    def test_what_is_named_is_there(self):
        for settings in SETTINGS:
            rendered = objects(settings)
            names = {(each["kind"], each["metadata"]["name"]) for each in rendered}
            made = {each["spec"]["secretName"] for each in of_kind(rendered, "Certificate")}
            made |= {name for kind, name in names if kind == "Secret"}
            if settings.startswith("base"):
                made |= {"browse-gate-tls", "browse-pod-tls"}
            for deployment, pods in pod_templates(rendered):
                with self.subTest(settings=settings, deployment=deployment["metadata"]["name"]):
                    if deployment["kind"] == "Deployment":
                        selector = deployment["spec"]["selector"]["matchLabels"]
                        self.assertLessEqual(selector.items(), pods["metadata"]["labels"].items())
                    self.assertIn(("ServiceAccount", pods["spec"]["serviceAccountName"]), names)
                    mounts = {
                        m["name"] for c in pods["spec"]["containers"] for m in c["volumeMounts"]
                    }
                    volumes = {volume["name"]: volume for volume in pods["spec"]["volumes"]}
                    self.assertEqual(mounts, set(volumes))
                    self.assertIn(volumes["tls"]["secret"]["secretName"], made)
                    if "config" in volumes:
                        self.assertIn(("ConfigMap", volumes["config"]["configMap"]["name"]), names)
            service = find(rendered, "Service", f"{RELEASE}-gate")
            gates = find(rendered, "Deployment", f"{RELEASE}-gate")["spec"]["template"]["metadata"][
                "labels"
            ]
            pods = pool_pods(rendered)["metadata"]["labels"]
            self.assertLessEqual(service["spec"]["selector"].items(), gates.items())
            self.assertFalse(
                service["spec"]["selector"].items() <= pods.items(), "pods are not served"
            )


class Pods(unittest.TestCase):
    def test_each_pod_is_restricted(self):
        for settings in SETTINGS:
            for deployment, pods in pod_templates(objects(settings)):
                with self.subTest(settings=settings, deployment=deployment["metadata"]["name"]):
                    self.assertEqual(restricted(pods["spec"]), [])
                    for container in pods["spec"]["containers"]:
                        self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
                        self.assertIn("memory", container["resources"]["limits"])

    def test_what_is_not_restricted_is_found(self):
        pods = find(objects("minimal"), "Deployment", f"{RELEASE}-pool")["spec"]["template"]["spec"]
        for change, found in [
            (lambda spec: spec.update(hostNetwork=True), "hostNetwork"),
            (lambda spec: spec["securityContext"].pop("seccompProfile"), "seccomp"),
            (lambda spec: spec["securityContext"].pop("runAsNonRoot"), "root"),
            (
                lambda spec: spec["volumes"].append({"name": "x", "hostPath": {"path": "/"}}),
                "volume x",
            ),
            (
                lambda spec: spec["containers"][0]["securityContext"].pop("capabilities"),
                "capabilities",
            ),
            (lambda spec: spec["containers"][0].pop("securityContext"), "privileges"),
        ]:
            wrong = copy.deepcopy(pods)
            change(wrong)
            self.assertIn(found, restricted(wrong))

    def test_a_pod_of_the_pool_has_no_rights_and_time_to_drain(self):
        for settings in SETTINGS:
            pods = pool_pods(objects(settings))
            spec = pods["spec"]
            self.assertFalse(spec["automountServiceAccountToken"])
            self.assertFalse(spec["enableServiceLinks"])
            self.assertEqual(pods["metadata"]["labels"]["browse.dev/pod"], RELEASE)
            # The controller of agent-sandbox would put a label back that a claim takes away.
            pool = None if settings in SANDBOXED else RELEASE
            self.assertEqual(pods["metadata"]["labels"].get("browse.dev/pool"), pool)
            environment = {each["name"]: each.get("value") for each in spec["containers"][0]["env"]}
            drain = int(environment["BROWSE_POD_DRAIN"].removesuffix("s"))
            self.assertGreaterEqual(spec["terminationGracePeriodSeconds"], drain + 10)
        everything = find(objects("everything"), "Deployment", f"{RELEASE}-pool")["spec"][
            "template"
        ]["spec"]
        self.assertEqual(everything["runtimeClassName"], "gvisor")
        profile = {"type": "Localhost", "localhostProfile": "profiles/browse.json"}
        self.assertEqual(everything["securityContext"]["seccompProfile"], profile)

    def test_sessions_are_saved_where_a_store_is_set(self):
        def pods(settings):
            pool = find(objects(settings), "Deployment", f"{RELEASE}-pool")
            return pool["spec"]["template"]["spec"]

        spec = pods("everything")
        container = spec["containers"][0]
        environment = {each["name"]: each.get("value") for each in container["env"]}
        self.assertEqual(environment["BROWSE_POD_STATE"], "s3://browse-states/fleet")
        self.assertEqual(environment["BROWSE_POD_STATE_INTERVAL"], "30s")
        folder = environment["BROWSE_POD_STATE_KEY_FILE"].rsplit("/", 1)[0]
        (mount,) = [each for each in container["volumeMounts"] if each["mountPath"] == folder]
        self.assertTrue(mount["readOnly"])
        (volume,) = [each for each in spec["volumes"] if each["name"] == mount["name"]]
        self.assertEqual(volume["secret"]["secretName"], "browse-state-key")
        self.assertEqual(
            container["envFrom"], [{"secretRef": {"name": "browse-state-store"}}]
        )
        drain = int(environment["BROWSE_POD_DRAIN"].removesuffix("s"))
        self.assertGreaterEqual(spec["terminationGracePeriodSeconds"], drain + 20)
        self.assertTrue(gate_settings("everything")["restore_sessions"])
        without = pods("minimal")["containers"][0]
        self.assertNotIn("BROWSE_POD_STATE", {each["name"] for each in without["env"]})
        self.assertNotIn("restore_sessions", gate_settings("minimal"))

    def test_the_claim_takes_a_pod_out_of_the_deployment(self):
        deployment = find(objects("minimal"), "Deployment", f"{RELEASE}-pool")
        self.assertEqual(
            deployment["spec"]["selector"], {"matchLabels": {"browse.dev/pool": RELEASE}}
        )

    def test_the_pod_reads_what_the_chart_sets(self):
        known = set(
            re.findall(r"BROWSE_POD_\w+", (ROOT / "server/src/process/pod/settings.rs").read_text())
        )
        pool = find(objects("everything"), "Deployment", f"{RELEASE}-pool")
        pods = pool["spec"]["template"]["spec"]
        set_here = {each["name"] for each in pods["containers"][0]["env"]}
        self.assertEqual({name for name in set_here if name.startswith("BROWSE_POD_")}, known)
        documented = (ROOT / "docs/settings.md").read_text()
        for name in set_here - known - {"HOME"}:
            self.assertIn(f"`{name}`", documented)

    def test_probes_ask_the_paths_that_the_programs_answer(self):
        answered = {
            "gate": (ROOT / "server/gate/src/server.rs").read_text(),
            "pool": (ROOT / "server/src/process/pod/health.rs").read_text(),
        }
        for deployment, pods in pod_templates(objects("minimal")):
            source = answered[deployment["metadata"]["name"].removeprefix(f"{RELEASE}-")]
            container = pods["spec"]["containers"][0]
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                asked = container[probe]["httpGet"]
                self.assertIn(f'"{asked["path"]}"', source)
                self.assertIn(asked["port"], [port["name"] for port in container["ports"]])


class Gate(unittest.TestCase):
    def test_each_setting_is_known_to_the_gateway(self):
        known = fields("server/gate/src/config.rs", "GateConfig")
        cluster = fields("server/gate/src/config.rs", "ClusterConfig")
        sandbox = fields("server/gate/src/config.rs", "SandboxConfig")
        auth = fields("server/gate/src/auth/settings.rs", "AuthSettings")
        quota = fields("server/fleet/src/message.rs", "TenantQuota")
        login = fields("server/gate/src/login.rs", "LoginSettings")
        traces = fields("server/gate/src/traces/settings.rs", "TraceSettings")
        for settings in SETTINGS:
            found = gate_settings(settings)
            self.assertLessEqual(set(found), known)
            self.assertLessEqual(set(found["cluster"]), cluster)
            self.assertEqual("sandbox" in found["cluster"], settings in SANDBOXED)
            self.assertIn(set(found["cluster"].get("sandbox", {})), (set(), sandbox))
            self.assertLessEqual(set(found["auth"]), auth)
            for each in [found["auth"]["default_quota"], *found["auth"].get("quotas", {}).values()]:
                self.assertEqual(set(each), quota)
        whole = gate_settings("everything")
        self.assertEqual(known - set(whole), set(), "a setting that the chart cannot set")
        self.assertEqual(auth - set(whole["auth"]), {"jwks_file"})
        self.assertIn("jwks_file", gate_settings("hpa")["auth"])
        self.assertEqual(set(whole["login"]), login)
        self.assertEqual(set(whole["traces"]), traces)

    def test_settings_arrive_as_they_are(self):
        found = gate_settings("everything")
        self.assertEqual(found["auth"]["issuer"], 'https://login.example.com/realms/a"b\\c<>&')
        self.assertEqual(found["auth"]["default_scopes"], ["read"])
        self.assertEqual(found["auth"]["default_quota"]["sessions_per_minute"], 1000000)
        self.assertEqual(
            found["auth"]["quotas"]["a.b_c-1"],
            {"sessions": 3, "sessions_per_minute": 4, "queue": 5},
        )
        self.assertEqual(found["auth"]["api_keys"], "/etc/browse/api-keys/all.toml")
        self.assertEqual(
            (found["sessions_per_pod"], found["public_tls"]), (1, "/etc/browse/public-tls")
        )
        self.assertEqual(found["public_url"], "https://browse.example.com:8443")
        self.assertEqual(found["cluster"]["namespace"], NAMESPACE)
        self.assertEqual(gate_settings("hpa")["listen"], "[::]:8080")
        self.assertEqual(
            found["login"],
            {"client_id": "browse-cli", "scopes": ["openid", "offline_access", "browse:write"]},
        )
        self.assertTrue(found["access_log"])
        self.assertEqual(
            found["traces"],
            {
                "endpoint": "http://collector.monitoring:4318",
                "sample": 0.25,
                "tenant": True,
                "hosts": True,
                "queue": 1024,
                "interval": "2s",
            },
        )
        self.assertFalse({"access_log", "traces"} & set(gate_settings("minimal")))

    def test_what_the_settings_name_is_mounted(self):
        for settings in SETTINGS:
            found = gate_settings(settings)
            pods = find(objects(settings), "Deployment", f"{RELEASE}-gate")["spec"]["template"][
                "spec"
            ]
            mounted = {mount["mountPath"] for mount in pods["containers"][0]["volumeMounts"]}
            named = [found["tls"], found.get("public_tls")]
            named += [
                found["auth"][key].rsplit("/", 1)[0]
                for key in ("api_keys", "jwks_file")
                if key in found["auth"]
            ]
            self.assertEqual({"/etc/browse/gate.toml", *filter(None, named)}, mounted)

    def test_a_change_of_the_settings_starts_it_anew(self):
        def checksum(*arguments):
            gate = find(objects("minimal", *arguments), "Deployment", f"{RELEASE}-gate")
            return gate["spec"]["template"]["metadata"]["annotations"]["checksum/config"]

        self.assertNotEqual(checksum(), checksum("--set", "pool.sessions=3"))
        self.assertEqual(checksum(), checksum("--set", "pool.replicas=9"))

    def test_it_has_these_rights_and_no_others(self):
        for settings in SETTINGS:
            rendered = objects(settings)
            self.assertEqual(
                of_kind(rendered, "ClusterRole") + of_kind(rendered, "ClusterRoleBinding"), []
            )
            (role,) = of_kind(rendered, "Role")
            rights = {
                (verb, resource, tuple(rule.get("resourceNames", [])))
                for rule in role["rules"]
                for resource in rule["resources"]
                for verb in rule["verbs"]
            }
            own = (f"{RELEASE}-gate",)
            if settings in SANDBOXED:
                verbs = ("get", "list", "watch", "create", "patch", "delete")
                pods = {("list", "pods", ()), ("watch", "pods", ())}
                pods |= {(verb, "sandboxclaims", ()) for verb in verbs}
            else:
                pods = {(verb, "pods", ()) for verb in ("get", "list", "watch", "patch", "delete")}
            leases = {("get", "leases", own), ("update", "leases", own), ("create", "leases", ())}
            self.assertEqual(rights, pods | leases | {("get", "deployments", own)})
            (binding,) = of_kind(rendered, "RoleBinding")
            self.assertEqual(
                binding["subjects"],
                [{"kind": "ServiceAccount", "name": own[0], "namespace": NAMESPACE}],
            )
            found = gate_settings(settings)["cluster"]
            self.assertEqual((found["lease"], found["owner"]), (own[0], own[0]))
            find(rendered, "Lease", own[0])


class Budgets(unittest.TestCase):
    def test_pods_with_a_tenant_are_not_evicted(self):
        # They have no controller: only a number of minAvailable counts.
        for settings in ("minimal", "1.20"):
            spec = find(objects(settings), "PodDisruptionBudget", f"{RELEASE}-claimed")["spec"]
            self.assertEqual(spec["minAvailable"], 2**31 - 1)
            self.assertNotIn("maxUnavailable", spec)
            self.assertEqual(
                spec["selector"]["matchExpressions"],
                [{"key": "browse.dev/tenant", "operator": "Exists"}],
            )
            self.assertEqual("unhealthyPodEvictionPolicy" in spec, settings == "minimal")

    def test_they_can_be_left_out(self):
        self.assertEqual(of_kind(objects("open"), "PodDisruptionBudget"), [])


class Refusals(unittest.TestCase):
    def test_wrong_settings_are_refused_and_named(self):
        for arguments, named in [
            ("image.repository=", "image.repository"),
            ("auth.apiKeys.secret=", "auth.apiKeys.secret"),
            ("auth.issuer=https://i", "auth.audience"),
            ("auth.apiKeys.secret=k,login.clientId=c", "auth.issuer"),
            ("auth.audience=a", "auth.issuer"),
            ("auth.jwksUrl=https://i", "auth.issuer"),
            ("auth.jwksUrl=http://i", "jwksUrl"),
            (
                "auth.issuer=https://i,auth.audience=a,auth.jwksUrl=https://i,auth.jwks.configMap=c",
                "auth.jwks",
            ),
            ("auth.defaultScopes={root}", "defaultScopes"),
            ("auth.quotas.a\\/b.sessions=1", "quotas"),
            ("profile=sandbox", "profile"),
            ("profile=agent-sandbox,agentSandbox.claimSeconds=0", "claimSeconds"),
            ("agentSandbox.waitingClaims=0", "waitingClaims"),
            ("pool.replica=1", "replica"),
            ("pool.sessions=0", "sessions"),
            ("pool.env.BROWSE_POD_UID=x", "BROWSE_POD_UID"),
            ("pool.env.A=1", "env"),
            ("pool.seccomp.type=Unconfined", "seccomp"),
            ("pool.seccomp.type=Localhost", "pool.seccomp.localhostProfile"),
            ("pool.seccomp.localhostProfile=a", "pool.seccomp.localhostProfile"),
            ("state.url=s3://bucket", "state.keySecret"),
            ("state.keySecret=key", "state.url"),
            ("state.credentialsSecret=store", "state.url"),
            ("state.url=file:///tmp/x,state.keySecret=key", "url"),
            ("traces.endpoint=collector:4318", "endpoint"),
            ("traces.endpoint=http://c,traces.sample=2", "sample"),
            ("traces.endpoint=http://c,traces.queue=1", "queue"),
            ("certificates.mode=existing", "certificates.existing"),
            ("certificates.mode=none", "mode"),
            ("scaling.mode=cpu", "mode"),
            ("scaling.mode=keda", "scaling.keda.prometheusAddress"),
            ("scaling.mode=hpa,scaling.minReplicas=0", "scaling.minReplicas"),
            ("scaling.mode=hpa,kubernetesVersion=1.22.0", "autoscaling/v2"),
            ("scaling.minReplicas=30", "scaling.minReplicas"),
            ("monitoring.podMonitor.enabled=true", "networkPolicy.scrapers"),
            ("networkPolicy.clusterRanges={example.com}", "clusterRanges"),
            ("gate.ingress.enabled=true", "gate.ingress.hosts"),
            ("gate.replicas=0", "replicas"),
            ("image.digest=sha256:1", "digest"),
        ]:
            with self.subTest(arguments):
                code, _, err = template(
                    "minimal", *[word for part in arguments.split(",") for word in ("--set", part)]
                )
                self.assertNotEqual(code, 0)
                self.assertIn(named, err)

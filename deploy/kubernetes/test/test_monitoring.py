"""Alerts, the dashboard, and what scales the pool."""

import json
import os
import pathlib
import re
import tempfile
import unittest

import yaml

from chart import (
    FOLDER,
    KUBERNETES,
    RELEASE,
    ROOT,
    documents,
    find,
    must,
    objects,
    of_kind,
    template,
)

ALERTS = KUBERNETES / "alerts.yaml"
DASHBOARD = KUBERNETES / "grafana.json"
PROMTOOL = os.environ.get("BROWSE_PROMTOOL", "")

# Where the programs write their metrics.
SOURCES = ("server/src/process/pod/metrics.rs", "server/gate/src/metrics.rs")


def metrics():
    """The metrics of the programs."""
    text = "".join((ROOT / source).read_text() for source in SOURCES)
    names = set(re.findall(r'"(browse_[a-z_]+)"', text))
    names |= set(re.findall(r"# TYPE (browse_[a-z_]+)", text))
    return names


def named(expression):
    """The metrics of an expression, with those of a histogram as one."""
    found = re.findall(r"(?<![\w:])browse_[a-z_]+", expression)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def rules():
    return [
        rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]
    ]


def panels():
    return json.loads(DASHBOARD.read_text())["panels"]


def queries():
    """Every expression that is not a rule."""
    found = [
        target["expr"].replace("$__rate_interval", "5m")
        for panel in panels()
        for target in panel["targets"]
    ]
    scaled = find(objects("everything"), "ScaledObject", f"{RELEASE}-pool")
    return found + [trigger["metadata"]["query"] for trigger in scaled["spec"]["triggers"]]


class Metrics(unittest.TestCase):
    def test_the_programs_have_each_metric(self):
        known = metrics()
        self.assertGreater(len(known), 15)
        for expression in [rule["expr"] for rule in rules()] + queries():
            self.assertTrue(
                expression and named(expression) <= known,
                f"{named(expression) - known}: {expression}",
            )

    def test_each_metric_is_shown(self):
        shown = set().union(*map(named, queries()), *(named(rule["expr"]) for rule in rules()))
        self.assertEqual(metrics() - shown, set())


@unittest.skipUnless(PROMTOOL, "promtool is missing")
class Promtool(unittest.TestCase):
    def test_rules_are_valid(self):
        must(PROMTOOL, "check", "rules", "--lint-fatal", ALERTS)

    def test_alerts_fire_when_they_should(self):
        must(PROMTOOL, "test", "rules", FOLDER / "alerts.test.yaml")

    def test_each_alert_has_a_test(self):
        tested = {
            case["alertname"]
            for group in yaml.safe_load((FOLDER / "alerts.test.yaml").read_text())["tests"]
            for case in group.get("alert_rule_test", [])
            if case.get("exp_alerts")
        }
        self.assertEqual({rule["alert"] for rule in rules() if "alert" in rule} - tested, set())

    def test_queries_are_valid(self):
        recorded = [
            {"record": f"query_{number}", "expr": query} for number, query in enumerate(queries())
        ]
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "rules.yaml"
            file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": recorded}]}))
            must(PROMTOOL, "check", "rules", file)


class Dashboard(unittest.TestCase):
    def test_panels_do_not_overlap(self):
        taken = set()
        for panel in panels():
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
        ids = [panel["id"] for panel in panels()]
        self.assertEqual(len(ids), len(set(ids)))

    def test_it_is_of_one_fleet(self):
        for panel in panels():
            for target in panel["targets"]:
                selectors = re.findall(r"browse_[a-z_]+(\{[^}]*\})?", target["expr"])
                self.assertTrue(
                    all('namespace="$namespace"' in selector for selector in selectors),
                    target["expr"],
                )

    def test_the_chart_has_the_same(self):
        rendered = objects("everything")
        found = find(rendered, "ConfigMap", f"{RELEASE}-dashboard")["data"]["browse-fleet.json"]
        self.assertEqual(json.loads(found), json.loads(DASHBOARD.read_text()))
        self.assertEqual(
            find(rendered, "PrometheusRule", f"{RELEASE}-fleet")["spec"],
            yaml.safe_load(ALERTS.read_text()),
        )

    def test_no_label_of_a_pod_becomes_one_of_a_metric(self):
        for monitor in of_kind(objects("everything"), "PodMonitor"):
            self.assertNotIn("podTargetLabels", monitor["spec"])
            self.assertEqual(monitor["metadata"]["labels"]["release"], "prometheus")


class Scaling(unittest.TestCase):
    def test_neither_cpu_nor_memory_scale_the_pool(self):
        for settings in ("everything", "hpa"):
            scalers = of_kind(objects(settings), "ScaledObject") + of_kind(
                objects(settings), "HorizontalPodAutoscaler"
            )
            self.assertEqual(len(scalers), 1)
            self.assertIsNone(re.search(r"\b(cpu|memory|Resource)\b", json.dumps(scalers)))
            self.assertEqual(scalers[0]["spec"]["scaleTargetRef"]["name"], f"{RELEASE}-pool")

    def test_who_scales_it_owns_the_number(self):
        for settings, is_fixed in [
            ("minimal", True),
            ("everything", False),
            ("hpa", False),
            ("1.20", True),
        ]:
            pool = find(objects(settings), "Deployment", f"{RELEASE}-pool")
            self.assertEqual("replicas" in pool["spec"], is_fixed, settings)

    def test_targets_are_those_of_the_settings(self):
        spec = find(objects("hpa"), "HorizontalPodAutoscaler", f"{RELEASE}-pool")["spec"]
        targets = {
            each["external"]["metric"]["name"]: each["external"]["target"]
            for each in spec["metrics"]
        }
        self.assertEqual(targets["browse_session_queue_depth"]["averageValue"], "1000m")
        self.assertEqual(targets["browse_session_utilization"]["value"], "750m")
        self.assertEqual(targets["browse_pod_claim_rate"]["averageValue"], "50m")
        guide = (KUBERNETES / "README.md").read_text()
        for name in targets:
            self.assertIn(f"as: {name}", guide, "the rule of the adapter")
        triggers = find(objects("everything"), "ScaledObject", f"{RELEASE}-pool")["spec"][
            "triggers"
        ]
        self.assertEqual(
            [trigger["metadata"]["threshold"] for trigger in triggers], ["1", "80", "1"]
        )
        self.assertTrue(
            all(trigger["authenticationRef"] == {"name": "prometheus"} for trigger in triggers)
        )

    def test_without_authentication_there_is_none(self):
        code, out, err = template(
            "minimal",
            "--set",
            "scaling.mode=keda",
            "--set",
            "scaling.keda.prometheusAddress=http://p:9090",
        )
        self.assertEqual(code, 0, err)
        (scaled,) = of_kind(documents(out), "ScaledObject")
        self.assertTrue(
            all("authenticationRef" not in trigger for trigger in scaled["spec"]["triggers"])
        )

"""The chart and the base, rendered: what the tests of this folder look at."""

import functools
import os
import pathlib
import subprocess

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
KUBERNETES = FOLDER.parent
ROOT = KUBERNETES.parent.parent
CHART = KUBERNETES / "chart"
TOOLS = pathlib.Path(os.environ["BROWSE_KUBERNETES_TOOLS"])

RELEASE, NAMESPACE = "fleet", "browsers"

# The settings that are rendered, by name.
SETTINGS = {
    path.stem.removeprefix("values-"): path for path in sorted(FOLDER.glob("values-*.yaml"))
}
# The bases for kustomize, each with the file of its settings.
BASES = ("base", "base-agent-sandbox")
SETTINGS |= {name: KUBERNETES / f"{name}-values.yaml" for name in BASES}
# Those of the profile agent-sandbox.
SANDBOXED = {"agent-sandbox", "base-agent-sandbox"}


def run(*command, **options):
    """Runs a program, and returns its exit code and output."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    return done.returncode, done.stdout, done.stderr


def must(*command, **options):
    """The output of a program that must succeed."""
    code, out, err = run(*command, **options)
    if code != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {err or out}")
    return out


def helm(*arguments):
    return run(TOOLS / "helm", *arguments)


def documents(text):
    """The objects of a stream of YAML."""
    return [document for document in yaml.safe_load_all(text) if document]


def template(settings, *arguments, release=RELEASE):
    """Renders the chart with a file of settings: exit code, output, error."""
    return helm(
        "template",
        release,
        CHART,
        "--namespace",
        NAMESPACE,
        "--values",
        SETTINGS[settings],
        *arguments,
    )


@functools.cache
def objects(settings, *arguments):
    """The objects of the chart with a file of settings."""
    code, out, err = template(settings, *arguments)
    assert code == 0, f"{settings}: {err}"
    return documents(out)


@functools.cache
def base_objects(name="base"):
    """The objects of a base."""
    return documents(must(TOOLS / "kubectl", "kustomize", KUBERNETES / name))


def find(all_objects, kind, name):
    """The object of a kind and a name."""
    found = [
        each for each in all_objects if each["kind"] == kind and each["metadata"]["name"] == name
    ]
    assert len(found) == 1, (
        f"{kind} {name}: {len(found)} of {[each['metadata']['name'] for each in all_objects]}"
    )
    return found[0]


def of_kind(all_objects, kind):
    return [each for each in all_objects if each["kind"] == kind]


def pod_templates(all_objects):
    """What makes pods, with their template: Deployments and SandboxTemplates."""
    found = [(each, each["spec"]["template"]) for each in of_kind(all_objects, "Deployment")]
    sandboxes = of_kind(all_objects, "SandboxTemplate")
    return found + [(each, each["spec"]["podTemplate"]) for each in sandboxes]


def pool_pods(all_objects, release=RELEASE):
    """The template of the pods of the pool."""
    (found,) = [
        pods
        for each, pods in pod_templates(all_objects)
        if each["metadata"]["name"] == f"{release}-pool"
    ]
    return found

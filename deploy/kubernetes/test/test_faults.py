"""The judge of the test cluster's faults finds what must not be, and its store holds to conditions."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))

from faults import Fault  # noqa: E402
from faults.flow import Call  # noqa: E402
from faults.judge import judge  # noqa: E402
from store import MAGIC, Objects, Write, read_journal  # noqa: E402
from orders import LEDGER, Event  # noqa: E402

FAULT = Fault("a fault", None, ("moved",))


def pod(uid, address):
    return {"metadata": {"uid": uid}, "status": {"podIP": address}}


class PlayedFleet:
    has_store = True


class PlayedFlow:
    """A flow whose session was opened in the pod `A` and is in `B` after the fault at 2."""

    fleet = PlayedFleet()
    pod = pod("A", "10.0.0.1")

    def __init__(self, tenant, answers, orders, writes):
        self.tenant = tenant
        self.calls = [Call("click", n, n, n + 0.5, answer, "") for n, answer in enumerate(answers)]
        self.journal = [Write(at, "put", "key", True, epoch, of) for at, epoch, of in writes]
        for click, (at, address, number) in enumerate(orders):
            LEDGER.add(Event(at, tenant, address, "visit", click, number))

    def writes(self):
        return self.journal

    def address_was_given_on(self):
        return False


class Judge(unittest.TestCase):
    def wrong(self, *words):
        return judge(PlayedFlow(self.id(), *words), FAULT, 2, pod("B", "10.0.0.2")).wrong

    def test_a_session_that_moves_is_fine(self):
        answers = ["ok", "ACTION_UNKNOWN", "POD_UNREACHABLE", "ok"]
        orders = [(0.2, "10.0.0.1", 0), (1.2, "10.0.0.1", 1), (3.2, "10.0.0.2", 3)]
        self.assertEqual(self.wrong(answers, orders, [(1, 1, "A"), (2, 2, "A"), (3, 3, "B")]), [])

    def test_orders_that_were_placed_twice_or_not_at_all_are_found(self):
        answers = ["ok", "POD_UNREACHABLE", "ok", "ACTION_UNKNOWN"]
        orders = [(0, "10.0.0.1", 0), (0, "10.0.0.1", 0), (1, "10.0.0.1", 1)]
        orders += [(3, "10.0.0.2", 3), (3, "10.0.0.2", 3)]
        found = self.wrong(answers, orders, [(1, 1, "A")])
        expected = [
            "order 0 (ok) was placed 2 times",
            "order 1 was answered POD_UNREACHABLE, and was placed",
            "order 2 was answered as placed, and was not",
            "order 3 (ACTION_UNKNOWN) was placed 2 times",
        ]
        self.assertEqual(found, expected)

    def test_a_second_writer_is_found(self):
        orders = [(0, "10.0.0.1", 0), (40, "10.0.0.1", None)]
        found = self.wrong(["ok"], orders, [(1, 1, "A"), (3, 2, "B"), (4, 2, "A")])
        self.assertIn("the epoch 2 was written after 2", found)
        self.assertIn("the pod A wrote again after another one", found)
        self.assertTrue(any("went on for 37.0 s" in text for text in found), found)


class Store(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.objects = Objects(self.folder)
        self.addCleanup(self.objects.journal.close)

    def test_a_write_whose_condition_does_not_hold_is_refused(self):
        first = self.objects.put("/b/k", b"one", None, "*")
        self.assertIsNone(self.objects.put("/b/k", b"two", None, "*"))
        second = self.objects.put("/b/k", b"two", first, None)
        self.assertIsNone(self.objects.put("/b/k", b"late", first, None))
        self.assertEqual(self.objects.read("/b/k"), (second, b"two"))
        self.assertIsNone(self.objects.put("/b/other", b"x", second, None))

    def test_the_journal_has_who_wrote(self):
        header = MAGIC + b"\x01" + (7).to_bytes(8, "big") + bytes(8) + b"\x03p-1"
        self.objects.put("/b/k", header + b"sealed", None, "*")
        self.objects.delete("/b/k")
        put, delete = read_journal(self.folder)
        self.assertEqual((put.kind, put.epoch, put.pod, put.is_done), ("put", 7, "p-1", True))
        self.assertEqual((delete.kind, delete.is_done), ("delete", True))


if __name__ == "__main__":
    unittest.main()

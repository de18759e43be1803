import unittest
from pathlib import Path

from parser import parse

FIXTURE = Path(__file__).parent / "fixtures" / "{fixture}"


class Headings(unittest.TestCase):
    def test_those_of_the_fixture(self):
        self.assertEqual(parse(FIXTURE.read_text("utf-8")), ["Fish & ships", "Harbour news"])

    def test_a_page_without_headings_has_none(self):
        self.assertEqual(parse("<p>Sorry.</p>"), [])

import json
import unittest
from pathlib import Path

from document import document

PAGE = json.loads((Path(__file__).parent / "fixtures/harbour.example-2026-11-22.json").read_text())


def made(**changes):
    return document(**{**PAGE, **changes})


class Document(unittest.TestCase):
    def test_metadata_comes_from_json_ld_first(self):
        page = made()
        self.assertEqual(page["title"], "A lighthouse that keeps time")
        self.assertEqual(page["author"], "Ada Quay, Tom Pier")
        self.assertEqual(page["published"], "2026-11-20")
        self.assertEqual(page["site"], "Harbour Notes")
        self.assertEqual((page["status"], page["words"]), (200, 14))

    def test_open_graph_and_other_tags_fill_in(self):
        page = made(data={**PAGE["data"], "jsonld": []})
        self.assertEqual(page["title"], "The lighthouse | Harbour Notes")
        self.assertEqual(page["author"], "ada@harbour.example")
        self.assertEqual(page["description"], "How the lamp was wired to the clock.")

    def test_what_a_page_does_not_say_is_null(self):
        page = made(data={})
        values = {name for name, value in page.items() if value is not None}
        self.assertEqual(values, {"url", "status", "words", "markdown", "links"})

    def test_links_are_listed_once_and_told_apart(self):
        links = made()["links"]
        hrefs = [link["href"] for link in links]
        self.assertEqual(hrefs, ["https://harbour.example/tides", "https://clock.example/?a=1&b=2"])
        self.assertEqual([link["external"] for link in links], [False, True])
        self.assertEqual(links[1]["text"], "the clock")
        self.assertEqual(len(made(only_external=True)["links"]), 1)

    def test_odd_json_ld_does_no_harm(self):
        deep: object = "x"
        for _ in range(50):
            deep = {"@graph": [deep]}
        odd = [None, 7, "text", [], {"@graph": None}, deep, {"headline": {"a": 1}}, {"headline": 3}]
        self.assertIsNone(made(data={"jsonld": odd})["title"])

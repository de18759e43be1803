"""Puts together what the browser says of a page. No browser is needed here."""

from urllib.parse import urldefrag, urlsplit

LINKS = ("all", "external", "none")


def document(*, url, status, markdown, data, links, only_external=False):
    """The answer of the skill."""
    tags = Tags(data)
    return {
        "url": url,
        "status": status,
        "title": tags.first("headline", "og:title", "title"),
        "description": tags.first("description", "og:description", "twitter:description"),
        "language": tags.first("inLanguage", "language", "lang", "og:locale"),
        "canonical": tags.first("canonical", "og:url"),
        "site": tags.first("publisher", "og:site_name", "application-name"),
        "author": tags.first("author", "article:author", "twitter:creator"),
        "published": tags.first("datePublished", "article:published_time", "date"),
        "image": tags.first("image", "og:image", "twitter:image"),
        "words": sum(any(letter.isalnum() for letter in word) for word in markdown.split()),
        "markdown": markdown,
        "links": listed(links, url, only_external),
    }


class Tags:
    """The metadata of a page, by name: JSON-LD before Open Graph before the rest."""

    def __init__(self, data):
        self.found = {}
        for block in data.get("jsonld", []):
            for thing in things(block):
                for name, value in thing.items():
                    self.add(name, text_of(value))
        for kind in ("og", "meta", "twitter"):
            for tag in data.get(kind, []):
                self.add(tag["name"], tag["content"])

    def add(self, name, value):
        if value and value.strip():
            self.found.setdefault(name.lower(), " ".join(value.split()))

    def first(self, *names):
        return next((self.found[n.lower()] for n in names if n.lower() in self.found), None)


def things(block, depth=0):
    """The things that a block of JSON-LD describes: one, a list, or a graph."""
    if depth > 4:
        return
    if isinstance(block, list):
        for item in block:
            yield from things(item, depth + 1)
    elif isinstance(block, dict):
        yield from things(block.get("@graph", []), depth + 1)
        # A breadcrumb or the site itself says nothing of the page.
        if "headline" in block or "datePublished" in block:
            yield block


def text_of(value):
    """The text of a value of JSON-LD: itself, or the name or address of a thing."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text_of, value[:10])))
    if isinstance(value, dict):
        return text_of(value.get("name") or value.get("url") or value.get("@value"))
    return value if isinstance(value, str) else None


def listed(links, url, only_external):
    """The links with an address of their own, each once."""
    host, seen, rows = urlsplit(url).hostname, set(), []
    here = urldefrag(url).url
    for link in links:
        href = link["href"]
        parts = split(href)
        if parts is None or parts.scheme not in ("http", "https") or href in seen:
            continue
        external = parts.hostname != host
        if urldefrag(href).url == here or (only_external and not external):
            continue
        seen.add(href)
        rows.append({"text": " ".join(link["text"].split()), "href": href, "external": external})
    return rows


def split(href):
    try:
        return urlsplit(href)
    except ValueError:
        # A page may write what is no address, such as `http://[`.
        return None

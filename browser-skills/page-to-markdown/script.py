"""Opens a page, and prints it as Markdown with its metadata and its links."""

from _lib.browse_sdk import BrowseError, skill
from document import LINKS, document


@skill
def main(args, browse):
    links = args.get("links", "all")
    if links not in LINKS:
        message = f"`links` wants one of {', '.join(LINKS)}"
        raise BrowseError(
            "ARGUMENT_INVALID", message, hint="See `browse skill show page-to-markdown`"
        )
    page = browse.goto(args["url"])
    return document(
        url=page.url,
        status=page.status,
        markdown=browse.markdown(args.get("target")),
        data=browse.data(structured=True).to_dict(),
        links=[link.to_dict() for link in browse.links()] if links != "none" else [],
        only_external=links == "external",
    )

from _lib.browse_sdk import skill


@skill
def main(args, browse):
    browse.goto(args["url"])
    browse.click("text=Buy")
    links = [link.text for link in browse.links()]
    return {"title": browse.get("title"), "links": links}

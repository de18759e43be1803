#!/usr/bin/env python3
"""Tries each way to another host, and says what each attempt came to."""

import time

from _lib.browse_sdk import BrowseError, skill


@skill
def main(args, browse):
    home, away = args["home"], args["away"]
    reasons = {}

    def attempt(name, act):
        browse.goto(home)
        try:
            act()
            reasons[name] = "done"
        except BrowseError as error:
            reasons[name] = error.reason
        time.sleep(0.1)

    attempt("goto", lambda: browse.goto(f"{away}/by-goto"))
    attempt("newtab", lambda: browse.new_tab(f"{away}/by-newtab"))
    attempt("redirect", lambda: browse.goto(f"{home}-redirect"))
    attempt("link", lambda: browse.click("#link"))
    attempt("ctrl-click", lambda: browse.click("#ctrl", modifiers="Control"))
    attempt("middle-click", lambda: browse.click("#middle", button="middle"))
    for id in ["form", "post", "open", "iframe", "socket", "fetch"]:
        attempt(id, lambda: browse.click(f"#{id}"))
    attempt("load-html", lambda: browse.load_html(f"<img src='{away}/by-html'>"))
    browse.goto(home)
    return {"reasons": reasons, "title": browse.get("title")}

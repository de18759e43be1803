// What Playwright does over the address: each script begins with a new tab of the session.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const text = (page, wanted) => page.locator("#out").filter({ hasText: wanted }).waitFor({ timeout: 10_000 });

export const scripts = [
  { title: "navigate", quick: true, run: async ({ page, site }) => {
    const response = await page.goto(site.url("/"));
    assert.equal(response.status(), 200);
    assert.equal(await page.title(), "start");
  } },
  { title: "click a link and go back", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    await page.click("#next");
    await page.waitForURL("**/next");
    await page.goBack();
    assert.equal(await page.title(), "start");
    await page.goForward();
    await page.reload();
    assert.equal(await page.title(), "next");
  } },
  { title: "fill a form", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    await page.getByPlaceholder("Name").fill("Ada");
    await page.check("#box");
    await page.selectOption("#pick", "b");
    await page.click("#send");
    await text(page, "Ada,true,b");
  } },
  { title: "keyboard and mouse", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    await page.focus("#name1");
    await page.keyboard.type("abc");
    await page.keyboard.press("Backspace");
    assert.equal(await page.inputValue("#name1"), "ab");
    const box = await page.locator("#later").boundingBox();
    await page.mouse.click(box.x + 3, box.y + 3);
    await text(page, "later");
  } },
  { title: "frames", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/frames"));
    for (const id of ["same", "cross"]) {
      const button = page.frameLocator(`#${id}`).locator("#b");
      await button.click();
      assert.equal(await button.textContent(), "clicked");
    }
    assert.equal(page.frames().length, 3);
  } },
  { title: "popups", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    for (const id of ["#pop", "#open"]) {
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.click(id)]);
      await popup.waitForLoadState();
      await popup.click("#say");
      assert.equal(await popup.title(), "clicked");
      await popup.close();
    }
  } },
  { title: "downloads", quick: true, run: async ({ page, site, folder, browse }) => {
    await page.goto(site.url("/"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#file")]);
    assert.equal(download.suggestedFilename(), "report.txt");
    const to = path.join(folder, "playwright.txt");
    await download.saveAs(to);
    assert.equal(await readFile(to, "utf8"), "a report");
    assert.match(await browse(["downloads"]), /report/);
  } },
  { title: "screenshots", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    assert.ok((await page.screenshot()).length > 1_000);
    assert.ok((await page.screenshot({ fullPage: true })).length > 1_000);
    assert.ok((await page.locator("h1").screenshot()).length > 200);
  } },
  { title: "pdf", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    assert.equal((await page.pdf()).subarray(0, 4).toString(), "%PDF");
  } },
  { title: "routes", quick: true, run: async ({ page, site }) => {
    await page.route("**/data", (route) => route.fulfill({ body: "from the route" }));
    await page.goto(site.url("/"));
    await page.click("#fetch");
    await text(page, "from the route");
    await page.unroute("**/data");
    await page.route("**/data", (route) => route.continue({ headers: { ...route.request().headers(), "x-a": "1" } }));
    await page.click("#fetch");
    await text(page, "served");
  } },
  { title: "route a document", run: async ({ page, site }) => {
    await page.route("**/next", (route) => route.fulfill({ contentType: "text/html", body: "<title>routed</title>" }));
    await page.goto(site.url("/next"));
    assert.equal(await page.title(), "routed");
  } },
  { title: "two contexts", quick: true, run: async ({ browser, site }) => {
    const [one, two] = [await browser.newContext(), await browser.newContext()];
    await one.addCookies([{ name: "a", value: "1", url: site.url("/") }]);
    const [first, second] = [await one.newPage(), await two.newPage()];
    await first.goto(site.url("/cookies"));
    await second.goto(site.url("/cookies"));
    assert.equal(await first.evaluate("document.cookie"), "a=1");
    assert.equal(await second.evaluate("document.cookie"), "");
    assert.equal((await two.cookies()).length, 0);
    await one.close();
    await two.close();
  } },
  { title: "a context with a screen and a language", run: async ({ browser, site }) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 700 }, locale: "de-DE", timezoneId: "Asia/Tokyo", userAgent: "probe" });
    const page = await context.newPage();
    await page.goto(site.url("/"));
    const seen = await page.evaluate(() => [innerWidth, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.userAgent]);
    assert.deepEqual(seen, [390, "de-DE", "Asia/Tokyo", "probe"]);
    await context.close();
  } },
  { title: "dialogs", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    page.once("dialog", (dialog) => dialog.accept());
    await page.click("#ask");
    await text(page, "true");
    page.once("dialog", (dialog) => dialog.dismiss());
    await page.click("#ask");
    await text(page, "false");
    page.once("dialog", (dialog) => dialog.accept("Ada"));
    await page.click("#prompt");
    await text(page, "Ada");
    page.once("dialog", (dialog) => dialog.accept());
    await page.click("#alert");
    await text(page, "closed");
  } },
  { title: "upload", quick: true, run: async ({ page, site, folder }) => {
    const file = path.join(folder, "up.txt");
    await writeFile(file, "x");
    await page.goto(site.url("/"));
    await page.setInputFiles("#upload", file);
    await text(page, "up.txt");
    await page.setInputFiles("#upload", { name: "memory.txt", mimeType: "text/plain", buffer: Buffer.from("y") });
    await text(page, "memory.txt");
  } },
  { title: "a file chooser", run: async ({ page, site, folder }) => {
    const file = path.join(folder, "chosen.txt");
    await writeFile(file, "x");
    await page.goto(site.url("/"));
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#upload")]);
    await chooser.setFiles(file);
    await text(page, "chosen.txt");
  } },
  { title: "scripts, bindings and console", run: async ({ page, site }) => {
    await page.addInitScript(() => (globalThis.early = 7));
    await page.exposeFunction("add", (a, b) => a + b);
    await page.goto(site.url("/"));
    assert.equal(await page.evaluate("early"), 7);
    assert.equal(await page.evaluate("add(2, 3)"), 5);
    const [message] = await Promise.all([page.waitForEvent("console"), page.click("#log")]);
    assert.equal(message.text(), "logged 42");
  } },
  { title: "responses and their bodies", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    const [response] = await Promise.all([page.waitForResponse("**/data"), page.click("#fetch")]);
    assert.equal(await response.text(), "served");
  } },
  { title: "workers", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    const [worker] = await Promise.all([page.waitForEvent("worker"), page.click("#worker")]);
    assert.match(worker.url(), /worker\.js/);
    await text(page, "from worker");
  } },
  { title: "a session of its own", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    const session = await page.context().newCDPSession(page);
    const { result } = await session.send("Runtime.evaluate", { expression: "document.title" });
    assert.equal(result.value, "start");
    await session.detach();
  } },
  { title: "reconnect", quick: true, run: async ({ page, site, connect }) => {
    await page.goto(site.url("/next"));
    const other = await connect();
    const seen = other.contexts()[0].pages().map((open) => open.url());
    assert.ok(seen.includes(site.url("/next")), seen.join(" "));
    await other.close();
    assert.equal(await page.title(), "next");
  } },
  { title: "the command line acts beside it", quick: true, run: async ({ page, context, site, browse }) => {
    const [opened] = await Promise.all([context.waitForEvent("page"), browse(["newtab", site.url("/")])]);
    await opened.waitForLoadState();
    await browse(["fill", "#name1", "from the shell"]);
    assert.equal(await opened.inputValue("#name1"), "from the shell");
    await opened.fill("#name1", "from playwright");
    assert.match(await browse(["js", "document.querySelector('#name1').value"]), /from playwright/);
    await opened.close();
    assert.equal(await page.evaluate("1"), 1);
  } },
];

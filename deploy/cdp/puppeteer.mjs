// What Puppeteer does over the address: each script begins with a new tab of the session.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const text = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelector("#out").textContent.includes(wanted), { timeout: 10_000 }, wanted);

export const scripts = [
  { title: "navigate", quick: true, run: async ({ page, site }) => {
    const response = await page.goto(site.url("/"));
    assert.equal(response.status(), 200);
    assert.equal(await page.title(), "start");
  } },
  { title: "click, back and reload", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    await Promise.all([page.waitForNavigation(), page.click("#next")]);
    await page.goBack();
    await page.reload();
    assert.equal(await page.title(), "start");
  } },
  { title: "fill a form", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    await page.locator("#name1").fill("Ada");
    await page.click("#box");
    await page.select("#pick", "b");
    await page.click("#send");
    await text(page, "Ada,true,b");
  } },
  { title: "frames", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/frames"));
    for (const id of ["same", "cross"]) {
      const frame = await (await page.waitForSelector(`#${id}`)).contentFrame();
      await (await frame.waitForSelector("#b")).click();
      assert.equal(await frame.$eval("#b", (button) => button.textContent), "clicked");
    }
  } },
  { title: "popups", quick: true, run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    const [popup] = await Promise.all([new Promise((resolve) => page.once("popup", resolve)), page.click("#open")]);
    await popup.waitForSelector("#say");
    await popup.click("#say");
    assert.equal(await popup.title(), "clicked");
    await popup.close();
  } },
  { title: "downloads", run: async ({ page, browser, site, folder }) => {
    const session = await browser.target().createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
    await page.goto(site.url("/"));
    await page.click("#file");
    const file = path.join(folder, "report.txt");
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await readFile(file, "utf8").catch(() => "")) === "a report") return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail("the file did not come");
  } },
  { title: "screenshots and pdf", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    assert.ok((await page.screenshot({ fullPage: true })).length > 1_000);
    assert.equal(Buffer.from(await page.pdf()).subarray(0, 4).toString(), "%PDF");
  } },
  { title: "requests are intercepted", quick: true, run: async ({ page, site }) => {
    await page.setRequestInterception(true);
    page.on("request", (request) => (request.url().endsWith("/data") ? request.respond({ body: "intercepted" }) : request.continue()));
    await page.goto(site.url("/"));
    await page.click("#fetch");
    await text(page, "intercepted");
  } },
  { title: "two contexts", quick: true, run: async ({ browser, site }) => {
    const [one, two] = [await browser.createBrowserContext(), await browser.createBrowserContext()];
    const [first, second] = [await one.newPage(), await two.newPage()];
    await first.goto(site.url("/cookies"));
    await first.evaluate("document.cookie = 'a=1'");
    await second.goto(site.url("/cookies"));
    assert.equal(await second.evaluate("document.cookie"), "");
    await one.close();
    await two.close();
  } },
  { title: "dialogs", run: async ({ page, site }) => {
    await page.goto(site.url("/"));
    page.once("dialog", (dialog) => dialog.accept("Ada"));
    await page.click("#prompt");
    await text(page, "Ada");
  } },
  { title: "upload", run: async ({ page, site, folder }) => {
    const file = path.join(folder, "up.txt");
    await writeFile(file, "x");
    await page.goto(site.url("/"));
    const input = await page.$("#upload");
    await input.uploadFile(file);
    await text(page, "up.txt");
  } },
  { title: "scripts and bindings", run: async ({ page, site }) => {
    await page.evaluateOnNewDocument(() => (globalThis.early = 7));
    await page.exposeFunction("add", (a, b) => a + b);
    await page.goto(site.url("/"));
    assert.equal(await page.evaluate("early"), 7);
    assert.equal(await page.evaluate("add(2, 3)"), 5);
  } },
  { title: "a screen", run: async ({ page, site }) => {
    await page.setViewport({ width: 390, height: 700 });
    await page.goto(site.url("/"));
    assert.equal(await page.evaluate("innerWidth"), 390);
  } },
  { title: "reconnect", quick: true, run: async ({ page, site, connect }) => {
    await page.goto(site.url("/next"));
    const other = await connect();
    const seen = (await other.pages()).map((open) => open.url());
    assert.ok(seen.includes(site.url("/next")), seen.join(" "));
    await other.disconnect();
    assert.equal(await page.title(), "next");
  } },
];

// Makes the pictures of docs/dashboard.md from a real run:
// node deploy/picture/dashboard.mjs <folder of the binaries> <output folder>
//
// It opens page.html under the name of a shop, lets a session be driven there, and takes pictures of
// the dashboard that shows it: in both themes, wide and narrow. That of a window with its side panel
// needs Xvfb, and is left as it is without it.

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serveAs } from "../demo/site.mjs";
import { Scratch } from "../scratch.mjs";

const require = createRequire(new URL("../../server/dashboard/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const { chromiumPath, launchArgs } = await import("../../server/dashboard/test/harness.mjs");

const host = "shop.example";
const wide = { width: 1200, height: 720 };
const narrow = { width: 360, height: 720 };
const quality = 72;

async function drive(scratch) {
  await scratch.must(["viewport", "900x560"]);
  await scratch.must(["trace", "start", "--steps"]);
  await scratch.must(["goto", `https://${host}/`]);
  await scratch.must(["snapshot", "-i"]);
  await scratch.must(["fill", "label=Search", "hand"]);
  await scratch.must(["click", "text=Add Hand trowel"]);
  await scratch.must(["text", "role=status"]);
  await scratch.must(["trace", "stop", "--steps"]);
  await scratch.must(["newtab", `https://${host}/`]);
  await scratch.must(["tab", "1"]);
  await scratch.must(["say", "The trowel is in the basket."]);
  await scratch.must(["talk", "write", "Please take the cheaper one.", "text=Hand fork"]);
}

/** Takes one picture of the page as it is. */
async function take(page, folder, name) {
  // What moves is at its end.
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(folder, `${name}.jpg`), type: "jpeg", quality });
}

/** A shell in the page, with a command of the person. */
async function takeTerminal(page, folder) {
  await page.goto(new URL("#terminal", page.url()).href);
  await page.getByRole("button", { name: "Start a terminal…" }).click();
  await page.getByRole("button", { name: "Start it" }).click();
  await page.locator(".xterm-screen").waitFor();
  await page.locator(".xterm-screen").click();
  await page.keyboard.type("PS1='$ '; clear; browse tabs 2>/dev/null");
  await page.keyboard.press("Enter");
  // What a terminal prints is drawn, so nothing says when it is there.
  await page.waitForTimeout(1_500);
  await take(page, folder, "terminal");
  await page.getByRole("button", { name: "End" }).click();
}

/**
 * The frame of Xvfb as JPEG: 32 bits a pixel, the lowest byte is blue.
 * Format: the header of `X11/XWDFile.h`, numbers with the highest byte first.
 */
async function jpegOf(browser, frame) {
  const field = (index) => frame.readUInt32BE(4 * index);
  const [width, height, lineBytes] = [field(4), field(5), field(12)];
  const pixels = frame.subarray(field(0) + 12 * field(19));
  const rgba = Buffer.alloc(4 * width * height, 255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [from, to] = [y * lineBytes + 4 * x, 4 * (y * width + x)];
      for (const part of [0, 1, 2]) rgba[to + part] = pixels[from + 2 - part];
    }
  }
  const page = await browser.newPage();
  const draw = async ({ width, height, base64, quality }) => {
    const bytes = Uint8ClampedArray.from(atob(base64), (letter) => letter.charCodeAt(0));
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext("2d").putImageData(new ImageData(bytes, width), 0, 0);
    const jpeg = await canvas.convertToBlob({ type: "image/jpeg", quality });
    return [...new Uint8Array(await jpeg.arrayBuffer())];
  };
  const base64 = rgba.toString("base64");
  const jpeg = await page.evaluate(draw, { width, height, base64, quality: quality / 100 });
  await page.close();
  return Buffer.from(jpeg);
}

/** A window with its side panel, on a screen of its own. */
async function takePanel(browser, scratch, folder) {
  const frames = await mkdtemp(path.join(tmpdir(), "browse-screen-"));
  const size = "1290x800x24";
  const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", size, "-fbdir", frames], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  try {
    const number = await new Promise((resolve, reject) => {
      screen.on("error", reject);
      screen.stdio[3].once("data", (data) => resolve(data.toString().trim()));
    });
    scratch.env.DISPLAY = `:${number}`;
    await scratch.must(["connect"]);
    await scratch.must(["handoff", "Please check the basket"]);
    // Nothing says when a window has been drawn.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const frame = await readFile(path.join(frames, "Xvfb_screen0"));
    await writeFile(path.join(folder, "panel.jpg"), await jpegOf(browser, frame));
    await scratch.must(["resume"]);
    await scratch.must(["disconnect"]);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    console.error(`the picture of the side panel is left as it is: ${error.message}`);
  } finally {
    screen.kill();
    await rm(frames, { recursive: true, force: true });
  }
}

async function openPage(browser, scratch, size, colorScheme) {
  const context = await browser.newContext({ viewport: size, colorScheme });
  const page = await context.newPage();
  await page.goto((await scratch.must(["dashboard", "--scope", "read,write,meta,admin,control"])).trim());
  await page.locator("canvas[data-drawn]").first().waitFor();
  return page;
}

async function main([binaries, folder]) {
  await mkdir(folder, { recursive: true });
  const site = await serveAs(host, fileURLToPath(new URL("page.html", import.meta.url)));
  const scratch = await Scratch.open(binaries, {
    BROWSE_CHROMIUM_ARGS: site.chromiumArguments,
    BROWSE_DASHBOARD_TERMINAL: "true",
    SHELL: "/bin/sh",
    PATH: `${path.resolve(binaries)}${path.delimiter}${process.env.PATH}`,
  });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: launchArgs() });
  try {
    await drive(scratch);
    const page = await openPage(browser, scratch, wide, "light");
    await take(page, folder, "live");
    await page.locator(".card").first().click();
    await page.locator("canvas.page[data-drawn]").waitFor();
    await page.getByRole("button", { name: "Inspect", exact: true }).click();
    const picture = await page.locator("canvas.page").boundingBox();
    await page.mouse.click(picture.x + picture.width * 0.2, picture.y + picture.height * 0.36);
    await page.getByText("Rules, strongest first").waitFor();
    await take(page, folder, "inspector");
    await page.goto(new URL("#timeline/trace/1/4", page.url()).href);
    await page.locator(".trace img").first().waitFor();
    await take(page, folder, "trace");
    await page.goto(new URL("#talk", page.url()).href);
    await page.getByText("Please take the cheaper one.").waitFor();
    await take(page, folder, "talk");
    await page.goto(new URL("#sessions", page.url()).href);
    await page.getByText("Import from a browser").first().waitFor();
    await take(page, folder, "sessions");
    await takeTerminal(page, folder);
    const dark = await openPage(browser, scratch, narrow, "dark");
    await take(dark, folder, "narrow-dark");
    await takePanel(browser, scratch, folder);
  } finally {
    await browser.close();
    await scratch.close();
    site.close();
  }
}

await main(process.argv.slice(2));

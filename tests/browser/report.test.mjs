// report.html as people open it: plots drawn, no error, no request, phone width, dark mode.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, watchedPage } from "./browser.mjs";

let folder;
let browser;
let address;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "dalaup-report-"));
  const dalaup = (...words) => execFileSync(process.env.DALAUP, [...words, "--quiet"], { stdio: "pipe" });
  dalaup("generate", "--out", folder, "--users-a", "400", "--users-b", "380", "--anchors", "300",
    "--edges-a", "2400", "--edges-b", "4000");
  dalaup("experiment", "ratio", "--a", join(folder, "a.edges"), "--b", join(folder, "b.edges"),
    "--truth", join(folder, "truth.tsv"), "--out", join(folder, "out"), "--methods", "propagation",
    "--ratios", "0.3,0.7", "--repeats", "2");
  address = pathToFileURL(join(folder, "out", "report.html")).href;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("plots are drawn, nothing is complained of and no request leaves the page", async () => {
  const { page, problems, requests } = await watchedPage(browser);
  await page.goto(address);
  assert.ok((await page.locator(".chart .wide svg").count()) >= 3);
  const box = await page.locator(".chart .wide svg").first().boundingBox();
  assert.ok(box.width > 400 && box.height > 200);
  assert.ok((await page.locator(".chart .wide .point").count()) >= 4);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")), []);
  await page.close();
});

test("hovering shows the value of the nearest point", async () => {
  const { page } = await watchedPage(browser);
  await page.goto(address);
  await page.locator(".chart .wide .point").first().hover({ force: true });
  const words = await page.locator("#hover").textContent();
  assert.match(words, /propagation: precision@30 [0-9.]+ .* at labelled share/);
  await page.close();
});

test("a legend button hides and shows its series", async () => {
  const { page } = await watchedPage(browser);
  await page.goto(address);
  const chart = page.locator(".chart").first();
  const series = chart.locator(".wide .series").first();
  assert.ok(await series.isVisible());
  await chart.locator("[data-toggle]").first().click();
  assert.ok(!(await series.isVisible()));
  await chart.locator("[data-toggle]").first().click();
  assert.ok(await series.isVisible());
  await page.close();
});

test("a table is saved as CSV with its header", async () => {
  const { page } = await watchedPage(browser, { acceptDownloads: true });
  await page.goto(address);
  const download = page.waitForEvent("download");
  await page.locator("figure.table [data-action=csv]").first().click();
  const text = readFileSync(await (await download).path(), "utf8");
  assert.match(text, /^method,0\.3,0\.7\r\npropagation,/);
  await page.close();
});

test("phone width needs no sideways scrolling and shows the narrow plots", async () => {
  const { page, problems } = await watchedPage(browser, { viewport: { width: 360, height: 740 } });
  await page.goto(address);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `the page is ${width} wide`);
  assert.ok(await page.locator(".chart .narrow svg").first().isVisible());
  assert.ok(!(await page.locator(".chart .wide svg").first().isVisible()));
  assert.deepEqual(problems, []);
  await page.close();
});

test("dark mode darkens the paper and print drops the buttons", async () => {
  const { page } = await watchedPage(browser, { colorScheme: "dark" });
  await page.goto(address);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(paper, "rgb(22, 24, 28)");
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator(".actions button").first().isVisible()));
  await page.close();
});

// report.html as people open it: plots drawn, no error, no request, phone width, dark mode.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, until, watchedPage } from "./browser.mjs";
import { picture } from "./dalaup.mjs";

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
    "--ratios", "0.3,0.7", "--repeats", "4");
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
  assert.match(words, /propagation: precision@30 [0-9.]+.* at labelled share/);
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
  assert.match(text, /^probability at least,pairs,share right,95 % interval,expected right,/);
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

test("a phone shows how many pairs are right without scrolling", async () => {
  const { page } = await watchedPage(browser, { viewport: { width: 390, height: 844 } });
  await page.goto(address);
  const heads = page.locator("figure.table").first().locator("th");
  for (const [place, words] of ["probability at least", "pairs", "share right", "95 % interval"].entries()) {
    assert.equal((await heads.nth(place).textContent()).trim(), words);
    const box = await heads.nth(place).boundingBox();
    assert.ok(box.x + box.width <= 375, `"${words}" ends at ${box.x + box.width}`);
  }
  await page.close();
});

// make screenshots: the report of the demo, as the documentation shows it.
test("pictures of the report", { skip: !process.env.DALAUP_SCREENSHOTS }, async () => {
  execFileSync(process.env.DALAUP, ["demo", "--quiet", "--out", join(folder, "demo")], { stdio: "pipe" });
  for (const [name, options] of [
    ["report-desktop-light", { viewport: { width: 1000, height: 1000 }, colorScheme: "light" }],
    ["report-phone-dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
  ]) {
    const { page } = await watchedPage(browser, options);
    await page.goto(pathToFileURL(join(folder, "demo", "report.html")).href);
    await picture(page, name);
    await page.close();
  }
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

test("logarithmic axes and bands are switched", async () => {
  const { page } = await watchedPage(browser);
  await page.goto(address);
  const degrees = page.locator(".chart", { hasText: "Degrees of both networks" });
  assert.ok(await degrees.locator('[data-axes="log"] .wide').isVisible());
  await degrees.locator("[data-action=axes]").click();
  assert.ok(!(await degrees.locator('[data-axes="log"] .wide').isVisible()));
  assert.ok(await degrees.locator('[data-axes="linear"] .wide').isVisible());
  const curve = page.locator(".chart").first();
  assert.equal(await curve.locator(".wide .band").first().evaluate((band) => getComputedStyle(band).display), "inline");
  await curve.locator("[data-action=bands]").click();
  assert.equal(await curve.locator(".wide .band").first().evaluate((band) => getComputedStyle(band).display), "none");
  await page.close();
});

test("a figure saved in dark mode is drawn for paper, with a legend and without hidden series", async () => {
  const { page } = await watchedPage(browser, { acceptDownloads: true, colorScheme: "dark" });
  await page.goto(address);
  const degrees = page.locator(".chart", { hasText: "Degrees of both networks" });
  await degrees.locator("[data-toggle]").nth(1).click();
  const download = page.waitForEvent("download");
  await degrees.locator("[data-action=svg]").click();
  const svg = readFileSync(await (await download).path(), "utf8");
  assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(svg, /#0072B2/);
  assert.match(svg, />network A<\/text>/);
  assert.doesNotMatch(svg, /network B|var\(/);
  await page.close();
});

test("a table is copied with tabs, and the button says so", async () => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto(address);
  const button = page
    .locator("figure.table", { has: page.locator("th", { hasText: /^method$/ }) })
    .locator("[data-action=copy]")
    .first();
  await button.click();
  await until(page, (one) => one.textContent === "copied", await button.elementHandle());
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^method\t0\.3\t0\.7\r?\npropagation\t/);
  await context.close();
});

test("printed from dark mode, everything is dark on white", async () => {
  const { page } = await watchedPage(browser, { colorScheme: "dark" });
  await page.goto(address);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const colours = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    return ["--paper", "--series-0"].map((name) => style.getPropertyValue(name).trim());
  });
  assert.deepEqual(colours, ["#fff", "#0072b2"]);
  await page.close();
});

test("what is pointed at near the lower edge is told inside the window", async () => {
  const { page } = await watchedPage(browser, { viewport: { width: 900, height: 900 } });
  await page.goto(address);
  const point = page.locator(".chart .wide .point").first();
  const height = Math.ceil((await point.boundingBox()).y) + 10;
  await page.setViewportSize({ width: 900, height });
  await point.hover({ force: true });
  const box = await page.locator("#hover").boundingBox();
  assert.ok(box.y + box.height <= height, `it ends at ${box.y + box.height} of ${height}`);
  await page.close();
});

// Accessibility: axe-core on every view, zoom of 200 %, reduced motion.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { command, makeStudy, openBrowser, openPage, picture, questionShown, startServer, statusWhen } from "./dalaup.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;
before(async () => (browser = await openBrowser()));
after(async () => browser.close());

// What axe-core finds serious or critical, as one line each.
async function seriousFindings(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
  });
}

test("axe-core has no serious finding on any view, light, dark and on a phone", async () => {
  const { study, folder, remove } = makeStudy({ options: ["--questions", "pick"] });
  writeFileSync(join(folder, "rules.md"), "# Rules\n\n- one\n- [two](https://example.org/)\n");
  const server = await startServer(study, ["--overlap", "1", "--guidelines", join(folder, "rules.md")]);
  const bob = await openPage(browser, server.address, "bob");
  const disputed = await questionShown(bob);
  await bob.keyboard.press("1");
  await statusWhen(bob, (status) => status.answers === 1);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  assert.equal(await questionShown(page), disputed);
  await page.keyboard.press("n");
  await statusWhen(page, (status) => status.disputes.length === 1);
  const views = { "#/label": "main[data-ready]", "#/review": ".answers.review .no", "#/progress": "#advice", "#/history": ".history .actions a", "#/users?side=A&text=lima": ".found a", "#/user/A/3": "h3.name", "#/find": ".find .candidate", [`#/question/${disputed}`]: ".comparison .name" };
  for (const [colorScheme, width, height] of [["light", 1280, 700], ["dark", 1280, 700], ["light", 390, 844]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    for (const [view, part] of Object.entries(views)) {
      await page.goto(`${server.address}${view}`);
      await page.waitForSelector(part);
      assert.deepEqual(await seriousFindings(page), [], `${view}, ${colorScheme}, ${width}`);
      await picture(page, `${view.slice(2).split("?")[0].replaceAll("/", "-")}-${colorScheme}-${width}`);
    }
    await page.goto(`${server.address}#/label`);
    await questionShown(page);
    for (const panel of await page.locator(".panel-tab").allTextContents()) {
      await page.click(`#panel-${panel}`);
      await page.waitForSelector(`.panel-body[data-panel="${panel}"]`);
      assert.deepEqual(await seriousFindings(page), [], `${panel}, ${colorScheme}, ${width}`);
    }
  }
  await page.keyboard.press("?");
  await page.waitForSelector("#keys[open]");
  assert.deepEqual(await seriousFindings(page), [], "keys");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.click("#who");
  await page.waitForSelector("#ask-name[open]");
  assert.deepEqual(await seriousFindings(page), [], "name");
  assert.deepEqual([...page.problems, ...bob.problems], []);
  await page.context().close();
  await bob.context().close();
  await server.stop();
  remove();
});

test("axe-core has no serious finding for people who signed in, nor where nothing can be learned", async () => {
  const { study, remove } = makeStudy({ known: 0, profiles: false, options: ["--questions", "pair"] });
  const token = command("annotators", "add", study, "rita", "--role", "owner").token;
  const server = await startServer(study);
  const place = server.address.split("?")[0];
  const page = await openPage(browser, `${place}?token=${token}`, "", {}, "#/label");
  await page.waitForSelector('[data-state="failed"] + .find .candidate');
  assert.deepEqual(await seriousFindings(page), [], "search and pick");
  for (const view of ["progress", "review", "history"]) {
    await page.goto(`${place}#/${view}`);
    await page.waitForSelector("main h2");
    assert.deepEqual(await seriousFindings(page), [], view);
  }
  await page.context().close();
  await server.stop();
  remove();
});

test("at 200 % zoom everything can be read and answered, with the keyboard alone and without motion", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  // 1280 x 700 at 200 % is a window of 640 x 350 pixels of twice the size.
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 640, height: 350 }, deviceScaleFactor: 2, reducedMotion: "reduce" });
  const first = await questionShown(page);
  await picture(page, "zoomed");
  const { over, bar } = await page.evaluate(() => ({
    over: document.documentElement.scrollWidth - window.innerWidth,
    bar: document.querySelector(".answers").getBoundingClientRect(),
  }));
  assert.ok(over <= 0, `sticks out by ${over}`);
  assert.ok(bar.bottom <= 351 && bar.height < 120, `answers at ${bar.bottom}, ${bar.height} high`);
  await page.locator(".picture").scrollIntoViewIfNeeded();
  assert.ok(await page.locator(".picture").isVisible());
  // Tab from the top of the page to an answer and give it.
  await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
  for (let steps = 0; steps < 40; steps++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement.dataset.reply)) === "no") break;
  }
  assert.equal(await page.evaluate(() => document.activeElement.dataset.reply), "no", "reached by Tab");
  await page.keyboard.press("Enter");
  await questionShown(page, first);
  await statusWhen(page, (status) => status.no === 1);
  const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((part) => getComputedStyle(part).transitionDuration.split(",").some((time) => parseFloat(time) > 0) || getComputedStyle(part).animationName !== "none").length);
  assert.equal(moving, 0, "nothing moves when people ask for that");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

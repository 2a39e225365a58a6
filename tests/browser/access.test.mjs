// Accessibility: axe-core on every view, the tree that screen readers are told, zoom of 200 %, reduced motion.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { command, kShown, makeStudy, openBrowser, openPage, picture, questionShown, shownQuestion, startServer, statusWhen } from "./dalaup.mjs";

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
    for (const panel of await page.locator(`${kShown} .panel-tab`).allTextContents()) {
      await page.click(`${kShown} .panel-tab[data-panel="${panel}"]`);
      await page.waitForSelector(`${kShown} .panel-body[data-panel="${panel}"]`);
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

// What Chromium tells a screen reader: what is ignored or hidden is left out.
async function treeOf(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send("Accessibility.getFullAXTree");
  await client.detach();
  const property = (node, name) => node.properties?.find((one) => one.name === name)?.value.value;
  const parts = nodes
    .filter((node) => !node.ignored)
    .map((node) => ({ id: node.nodeId, children: node.childIds, role: node.role.value, name: node.name?.value ?? "", live: property(node, "live"), key: property(node, "keyshortcuts"), isPressed: property(node, "pressed") }));
  return { parts, named: (role) => parts.filter((part) => part.role === role).map((part) => part.name) };
}

test("screen readers are told names, roles and what changed, and nothing of the question laid out behind", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pick"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  const first = await questionShown(page);
  await page.focus(`${kShown} [data-place="1"]`);
  await page.keyboard.press("n");
  await questionShown(page, first);
  await page.waitForSelector(".sheet.ahead .comparison", { state: "attached" });
  assert.ok(await page.evaluate(() => document.activeElement.matches('.sheet:not(.ahead) [data-place="1"]')), "the focus is where it was");
  const question = await shownQuestion(page);

  const tree = await treeOf(page);
  for (const role of ["button", "link", "tab", "tabpanel", "image", "table", "region", "complementary", "navigation", "columnheader", "rowheader", "heading", "group"])
    assert.deepEqual(tree.named(role).filter((name) => !name.trim()), [], `${role} without a name`);
  assert.deepEqual(tree.named("table"), ["Both accounts"]);
  assert.deepEqual(tree.named("region"), [`${question.user.name} and ${question.candidates[0].name}, field by field`]);
  assert.deepEqual(tree.named("heading").slice(1), [`Which of these is ${question.user.name}?`]);
  const answers = tree.parts.filter((part) => part.role === "button" && part.key).map((part) => [part.name, part.key]);
  assert.deepEqual(answers, [["Same person", "y"], ["None of these", "n"], ["Nobody here", "x"], ["Unsure", "u"], ["Skip", "s"], ["Undo", "z"], ["Note", "t"]]);
  const candidates = tree.parts.filter((part) => part.isPressed !== undefined);
  assert.equal(candidates.length, question.candidates.length);
  question.candidates.forEach((candidate, place) => assert.ok(candidates[place].name.startsWith(`${place + 1} ${candidate.name}`), candidates[place].name));
  const byId = new Map(tree.parts.map((part) => [part.id, part]));
  const cells = tree.parts.filter((part) => part.role === "row").map((row) => row.children.filter((child) => byId.has(child)).length);
  assert.ok(cells.length > 4 && cells.every((count) => count === 4), `${cells}`);
  assert.deepEqual(tree.parts.filter((part) => part.role === "status").map((part) => part.live), ["polite", "polite"]);

  const said = () => page.textContent("#announce");
  assert.ok((await said()).startsWith(`Which of these is ${question.user.name}? ${question.candidates.length} candidates, first ${question.candidates[0].name}.`), await said());
  await page.keyboard.press("ArrowDown");
  assert.ok((await said()).startsWith(`2 of ${question.candidates.length}: ${question.candidates[1].name}.`), await said());
  assert.ok((await treeOf(page)).parts.find((part) => part.name.startsWith(`2 ${question.candidates[1].name}`)).isPressed);

  for (const view of ["progress", "history", "users?side=A&text=lima", "find", "review"]) {
    await page.goto(`${server.address}#/${view}`);
    await page.waitForTimeout(400);
    const { named } = await treeOf(page);
    for (const role of ["button", "link", "textbox", "searchbox", "combobox", "columnheader", "image", "region"])
      assert.deepEqual(named(role).filter((name) => !name.trim()), [], `${role} without a name on ${view}`);
  }
  assert.match(await page.title(), /^Review · people\.study · dalaup$/);
  assert.deepEqual(page.problems, []);
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
  await page.locator(`${kShown} .picture`).scrollIntoViewIfNeeded();
  assert.ok(await page.locator(`${kShown} .picture`).isVisible());
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

// Beginning without labels, addresses of views, search, earlier questions, pace, guidelines, notes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "./browser.mjs";
import { api, kShown, makeStudy, openBrowser, openPage, picture, questionShown, shownQuestion, startServer, statusWhen } from "./dalaup.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(async () => browser.close());

test("a study without labels says so at once and begins with pairs found by search", async () => {
  const { study, remove } = makeStudy({ known: 0 });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } }, "#/label");
  const state = await page.waitForSelector('.waiting[data-state="failed"], main[data-ready]');
  const wasAsked = await state.evaluate((part) => part.tagName === "MAIN"); // attributes were enough
  if (!wasAsked) {
    assert.match(await page.textContent(".waiting"), /label|anchor|pair/i, "why, and what to do");
    assert.equal(await page.getAttribute(".waiting", "role"), "alert");
  }
  // Until the model has enough of them; then it asks.
  for (let pair = 1; pair <= 10; pair++) {
    const next = await page.waitForSelector("main[data-ready], .find .ask strong");
    if (await next.evaluate((part) => part.tagName === "MAIN")) break;
    const hub = await page.textContent(".find .ask strong");
    await page.fill("#partner", hub);
    await page.click(`.find .candidate:has(.name:text-is("${hub}_b"))`);
    await page.waitForSelector(".find .comparison");
    await picture(page, "search-and-pick");
    await page.click("#same");
    const status = await statusWhen(page, (latest) => latest.anchors >= pair);
    assert.equal(status.anchors, pair);
    await until(page, (before) => document.querySelector(".find .ask strong")?.textContent !== before, hub);
  }
  if (!wasAsked) assert.ok((await api(page, "/api/status")).anchors > 0);
  await questionShown(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("every view has an address: reload, back, and a link that opens the same", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  const first = await shownQuestion(page);
  await page.keyboard.press("y");
  await questionShown(page, first.id);
  await page.click("nav >> text=Users");
  await page.fill("#search", "lima cello");
  await page.waitForSelector(".found li .signs");
  assert.match(await page.textContent(".found"), /cello in Lima/, "search sees profiles");
  assert.match(page.url(), /#\/users\?side=A&text=lima\+cello/);
  await page.reload();
  await page.waitForSelector(".found li .signs");
  await page.click(".found a >> nth=0");
  await page.waitForSelector("h3.name");
  assert.match(page.url(), /#\/user\/A\/\d+/);
  await page.goBack();
  await until(page, () => !document.querySelector("h3.name"));

  await page.click("nav >> text=History");
  await page.selectOption('select[aria-label="Answer"]', "yes");
  assert.match(page.url(), /#\/history\?reply=yes/);
  await page.waitForSelector(".history .actions a");
  await page.click(".history .actions a >> nth=0");
  await page.waitForSelector(".comparison");
  assert.match(page.url(), new RegExp(`#/question/${first.id}\\?entry=\\d+`));
  const shown = () => page.textContent(".comparison");
  const before = await shown();
  for (const name of [first.user.name, first.candidates[0].name]) assert.ok(before.includes(name));
  assert.ok(before.includes(first.candidates[0].evidence.words), "as it was");
  assert.match(await page.textContent(".said"), /ann says yes/);
  await page.reload();
  await page.waitForSelector(".comparison");
  assert.equal(await shown(), before);
  const shared = await openPage(browser, server.address, "bob", {}, new URL(page.url()).hash);
  await shared.waitForSelector(".comparison");
  assert.equal(await shared.textContent(".comparison"), before);
  await page.goBack();
  await page.waitForSelector(".history");
  assert.equal(await page.inputValue('select[aria-label="Answer"]'), "yes", "back to the same list");
  assert.deepEqual([...page.problems, ...shared.problems], []);
  await page.context().close();
  await shared.context().close();
  await server.stop();
  remove();
});

test("own names, guidelines, budget and pace, a note, the keys", async () => {
  const { study, folder, remove } = makeStudy({ options: ["--questions", "pair", "--name-a", "Foursquare", "--budget", "50"] });
  const guidelines = join(folder, "guidelines.md");
  writeFileSync(guidelines, "# When in doubt\n\nSay **unsure**. Names alone are *not* enough:\n\n- same city\n- same friends\n\n<img src=x onerror=window.hacked=1> [more](https://example.org/a) [bad](javascript:window.hacked=1)\n");
  const server = await startServer(study, ["--name-b", "Twitter", "--guidelines", guidelines]);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  assert.deepEqual(await page.locator(`${kShown} .heading`).allTextContents(), ["Foursquare", "Twitter"]);
  await page.keyboard.press("g");
  await page.waitForSelector(".prose h3");
  assert.equal(await page.textContent(".prose strong"), "unsure");
  assert.equal(await page.locator(".prose li").count(), 2);
  assert.deepEqual(await page.locator(".prose a").evaluateAll((links) => links.map((link) => link.href)), ["https://example.org/a"]);
  assert.equal(await page.locator(".prose img").count(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await picture(page, "guidelines");
  await page.keyboard.press("c");

  const first = await questionShown(page);
  await page.keyboard.press("t");
  await page.keyboard.type("yes or no?"); // letters of a note answer nothing
  await page.keyboard.press("Enter");
  assert.equal(await questionShown(page), first);
  await page.keyboard.press("u");
  await questionShown(page, first);
  await statusWhen(page, (status) => status.unsure === 1);
  assert.equal((await api(page, "/api/history?most=1"))[0].note, "yes or no?");
  assert.equal(await page.inputValue("#note"), "", "a note belongs to one answer");
  for (let more = 0; more < 6; more++) {
    const id = await questionShown(page);
    await page.keyboard.press("n");
    await questionShown(page, id);
  }
  await statusWhen(page, (status) => status.answers === 7);
  await page.locator("#pace", { hasText: /7 today · [\d,]+ an hour · 43 of 50 left, about \d+ min/ }).waitFor();
  await page.reload();
  await page.locator("#pace", { hasText: /^7 today/ }).waitFor();

  await page.keyboard.press("?");
  await page.waitForSelector("#keys[open] dl");
  await page.keyboard.press("n");
  await page.keyboard.press("Escape");
  assert.equal((await api(page, "/api/status")).answers, 7, "keys answer nothing while the list is open");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("what somebody was unsure of is never asked again", async () => {
  const { study, remove } = makeStudy({ users: 40, known: 8, options: ["--questions", "pick", "--batch", "2"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  const unsure = new Set();
  for (let count = 0; count < 8; count++) {
    const question = await shownQuestion(page);
    for (const candidate of question.candidates) {
      const pair = [question.side, question.user.name, candidate.name].join();
      assert.ok(!unsure.has(pair), pair);
      unsure.add(pair);
    }
    await page.keyboard.press("u");
    await questionShown(page, question.id);
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("a name is taken as the study takes it, and a server that is away never means an empty page", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "\u202e" + "名".repeat(30) + "\u200b");
  assert.equal(await page.textContent("#who"), "名".repeat(21), "64 bytes that can be seen");
  const id = await questionShown(page);
  await page.keyboard.press("n");
  await questionShown(page, id);
  await statusWhen(page, (status) => status.annotators[0]?.name === "名".repeat(21));
  await page.route("**/api/next*", (route) => route.abort());
  await page.reload();
  await page.waitForSelector(".waiting >> text=dalaup does not answer");
  await page.unroute("**/api/next*");
  await questionShown(page); // by itself, a moment later
  await page.context().close();
  await server.stop();
  remove();
});

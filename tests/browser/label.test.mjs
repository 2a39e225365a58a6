// The real page in Chromium. DALAUP_SCREENSHOTS=FOLDER also takes the README's pictures.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, faintTexts, isSame, kHostile, kShown, makeStudy, openBrowser, openPage, questionShown, shownQuestion, startServer, statusWhen, unnamedParts } from "./dalaup.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(async () => browser.close());

// Answers as the names say; the next question then stands there at once.
async function answerTruly(page, byMouse = false) {
  const question = await shownQuestion(page);
  const place = question.candidates.findIndex((candidate) => isSame(question.user.name, candidate.name));
  if (byMouse) {
    if (place < 0) await page.click('[data-reply="no"]');
    else if (question.kind === "pair") await page.click('[data-reply="yes"]');
    else for (const pause of [300, 0]) { // the first tap opens, the second confirms
      await page.click(`${kShown} [data-place="${place}"]`);
      await page.waitForTimeout(pause);
    }
  } else {
    await page.keyboard.press(place < 0 ? "n" : question.kind === "pair" ? "y" : String(place + 1));
  }
  await questionShown(page, question.id);
  return question;
}

test("answers by keys and mouse, undo, reload in the middle", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  const asked = new Set();
  for (let count = 0; count < 6; count++) {
    const question = await answerTruly(page, count % 2 === 1);
    assert.ok(!asked.has(question.id));
    asked.add(question.id);
  }
  await statusWhen(page, (status) => status.answers === 6);
  const current = await questionShown(page);
  await page.reload();
  assert.equal(await questionShown(page), current, "a reload shows the same question");

  const settled = (await api(page, "/api/status")).settled_pairs;
  await page.keyboard.press("y");
  await page.waitForSelector("text=pairs settled.");
  assert.ok((await api(page, "/api/status")).settled_pairs > settled);
  const after = await questionShown(page, current);
  await page.keyboard.press("z");
  assert.equal(await questionShown(page, after), current, "undo opens the question again");
  const undone = await api(page, "/api/status");
  assert.equal(undone.answers, 6);
  assert.equal(undone.settled_pairs, settled, "and takes everything back");

  await page.keyboard.press("s");
  const third = await questionShown(page, current);
  await page.keyboard.press("u");
  await questionShown(page, third);
  await statusWhen(page, (status) => status.skipped === 1 && status.unsure === 1);
  assert.equal(await page.locator("text=The model gives them").count(), 0, "blind by default");
  await page.keyboard.press("m");
  await page.waitForSelector("text=The model gives them");

  await page.click("nav >> text=History");
  await page.waitForSelector(".history tbody tr");
  assert.equal(await page.locator(".history tbody tr").count(), 18, "8 imported, 10 by hand");
  await page.selectOption('select[aria-label="Answer"]', "skip");
  await page.locator(".history tbody tr >> nth=1").waitFor({ state: "detached" });
  await page.selectOption('.history select', "no");
  const edited = await statusWhen(page, (status) => status.skipped === 0);
  assert.equal(edited.answers, 8);

  await page.click('text="Users"');
  await page.fill("#search", "ada");
  await page.click(".found a >> nth=0");
  await page.waitForSelector("h3.name");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
  remove();
});

test("a key counts for the question that was seen, and for no other", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  // No answer reaches the server for now: the next questions are there all the same.
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/api/answer", async (route) => {
    await released;
    await route.continue();
  });
  let shown = await questionShown(page);
  for (const key of ["n", "u"]) {
    await page.keyboard.press(key);
    shown = await questionShown(page, shown);
  }
  assert.equal((await api(page, "/api/status")).answers, 0);
  release();
  await statusWhen(page, (status) => status.no === 1 && status.unsure === 1);
  await page.unroute("**/api/answer");

  // Two presses in a row answer one question: nobody has seen the second.
  shown = await questionShown(page);
  await page.evaluate(() => {
    for (let press = 0; press < 2; press++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
    document.querySelector('[data-reply="no"]').click();
  });
  await questionShown(page, shown);
  await statusWhen(page, (status) => status.no === 2);
  await page.waitForTimeout(300);
  assert.equal((await api(page, "/api/status")).no, 2);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("an undo with nothing to take back leaves the question to be answered", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  const id = await questionShown(page);
  await page.keyboard.press("z");
  await page.waitForSelector("text=There is nothing to undo.");
  assert.equal(await questionShown(page), id);
  await page.route("**/api/undo", (route) => route.abort());
  await page.keyboard.press("z"); // and when the server cannot be asked
  await page.waitForSelector("text=dalaup does not answer");
  await page.waitForSelector(`main[data-ready="${id}"]`);
  await page.keyboard.press("n");
  await questionShown(page, id);
  await statusWhen(page, (status) => status.answers === 1);
  await page.context().close();
  await server.stop();
  remove();
});

test("two annotators never hold the same question", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const ann = await openPage(browser, server.address, "ann");
  const bob = await openPage(browser, server.address, "bob");
  const held = [];
  for (const name of ["ann", "bob"]) {
    const next = await api(ann, `/api/next?annotator=${name}&ahead=2`);
    held.push(next.question.id, ...next.upcoming.map((question) => question.id));
  }
  assert.equal(new Set(held).size, 6);
  await ann.context().close();
  await bob.context().close();
  await server.stop();
  remove();
});

test("pick questions by number, progress page, screenshot for the README", async () => {
  const { study, remove } = makeStudy({ users: 120, known: 14, options: ["--batch", "4"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  for (let count = 0; count < 12; count++) await answerTruly(page);
  assert.ok(["pair", "pick"].includes((await shownQuestion(page)).kind));
  await page.click("nav >> text=Progress");
  await page.waitForSelector("#advice");
  const { rounds } = await statusWhen(page, (status) => status.rounds.length >= 1 && !status.is_learning);
  if (rounds.length >= 3) await page.waitForSelector(".u-wrap");
  if (process.env.DALAUP_SCREENSHOTS) await page.screenshot({ path: `${process.env.DALAUP_SCREENSHOTS}/progress.png` });
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();

  const again = await startServer(study, ["--questions", "pair"]);
  const second = await openPage(browser, again.address, "ann");
  if (process.env.DALAUP_SCREENSHOTS) {
    for (let more = 0; more < 30; more++) {
      const { shared, matched } = (await shownQuestion(second)).candidates[0].evidence;
      if (shared >= 4 && shared < matched) break;
      await answerTruly(second);
    }
    await second.screenshot({ path: `${process.env.DALAUP_SCREENSHOTS}/label.png` });
    await second.emulateMedia({ colorScheme: "dark" });
    await second.reload();
    await questionShown(second);
    await second.screenshot({ path: `${process.env.DALAUP_SCREENSHOTS}/dark.png` });
    await second.setViewportSize({ width: 390, height: 844 });
    await second.waitForTimeout(200);
    await second.screenshot({ path: `${process.env.DALAUP_SCREENSHOTS}/phone.png` });
  }
  const width = await second.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(width <= 0, "nothing sticks out sideways");
  await second.context().close();
  await again.stop();
  remove();
});

test("two people answer one question differently, and that can be resolved", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study, ["--overlap", "1"]);
  const ann = await openPage(browser, server.address, "ann");
  const first = await questionShown(ann);
  await ann.keyboard.press("y");
  await statusWhen(ann, (status) => status.answers === 1);
  const bob = await openPage(browser, server.address, "bob");
  assert.equal(await questionShown(bob), first, "bob gives a second opinion");
  await bob.keyboard.press("n");
  await statusWhen(bob, (status) => status.disputes.length === 1);
  await ann.waitForSelector(".badge");
  await ann.click("nav >> text=Review");
  await ann.waitForSelector(".comparison");
  await ann.waitForSelector('.picture svg');
  assert.match(await ann.textContent(".said"), /ann says yes/);
  assert.match(await ann.textContent(".said"), /bob says no/);
  assert.match(ann.url(), /#\/review/);
  await ann.click('.answers.review button:has-text("Different")');
  const resolved = await statusWhen(ann, (status) => status.disputes.length === 0);
  await ann.waitForSelector("text=Nothing to review");
  assert.equal(resolved.agreement.overall.questions, 1);
  assert.deepEqual([...ann.problems, ...bob.problems], []);
  await ann.context().close();
  await bob.context().close();
  await server.stop();
  remove();
});

test("the server is stopped and started again; nothing is lost", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  let server = await startServer(study);
  let page = await openPage(browser, server.address, "ann");
  for (let count = 0; count < 3; count++) await answerTruly(page);
  await statusWhen(page, (status) => status.answers === 3);
  const open = await questionShown(page);
  await server.stop("SIGKILL");
  await page.keyboard.press("y");
  await page.waitForSelector("text=dalaup does not answer");
  assert.equal(await questionShown(page), open, "an answer that was not saved is asked for again");
  await page.context().close();
  server = await startServer(study);
  page = await openPage(browser, server.address, "ann");
  assert.equal((await api(page, "/api/status")).answers, 3);
  await page.context().close();
  await server.stop();
  remove();
});

test("hostile names are shown as text", async () => {
  const { study, remove } = makeStudy({ hostile: true, options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, '<script>window.hacked=1</script>');
  await page.click('text="Users"');
  await page.fill("#search", "img");
  await page.click(".found a");
  assert.equal(await page.textContent("h3.name"), kHostile);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img, main script, main b, main a[href^=javascript]").count(), 0);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("every view has names for screen readers and texts with contrast, light, dark and on a phone", async () => {
  const { study, remove } = makeStudy({ options: ["--batch", "3"] });
  const server = await startServer(study, ["--overlap", "1"]);
  const bob = await openPage(browser, server.address, "bob");
  const question = await shownQuestion(bob);
  await bob.keyboard.press(question.kind === "pick" ? "1" : "y");
  await statusWhen(bob, (status) => status.answers === 1);
  const ann = await openPage(browser, server.address, "ann");
  assert.equal(await questionShown(ann), String(question.id));
  await ann.keyboard.press("n");
  await statusWhen(ann, (status) => status.disputes.length === 1);
  for (const colorScheme of ["light", "dark"])
    for (const viewport of [{ width: 1100, height: 860 }, { width: 360, height: 740 }]) {
      await ann.emulateMedia({ colorScheme });
      await ann.setViewportSize(viewport);
      for (const tab of ["Label", "Review", "Progress", "History", "Users"]) {
        await ann.click(`nav >> text=${tab}`);
        await ann.waitForSelector({ Label: "main[data-ready]", Review: ".answers.review .no", Progress: "#advice", History: ".history tbody tr", Users: "#search" }[tab]);
        const where = `${tab}, ${colorScheme}, ${viewport.width}`;
        assert.deepEqual(await faintTexts(ann), [], where);
        assert.deepEqual(await unnamedParts(ann), [], where);
        const over = await ann.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(over <= 0, `${where}: sticks out by ${over}`);
        if (process.env.DALAUP_SCREENSHOTS)
          await ann.screenshot({ path: `${process.env.DALAUP_SCREENSHOTS}/${tab}-${colorScheme}-${viewport.width}.png` });
      }
    }
  assert.deepEqual([...ann.problems, ...bob.problems], []);
  await ann.context().close();
  await bob.context().close();
  await server.stop();
  remove();
});

test("the keyboard alone is enough, and the focus stays where it was", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  const first = await questionShown(page);
  await page.focus('[data-reply="no"]');
  await page.keyboard.press("Enter");
  const second = await questionShown(page, first);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.reply), "no");
  await page.keyboard.press("Enter");
  await questionShown(page, second);
  await statusWhen(page, (status) => status.no === 2);
  assert.match(await page.textContent("#announce"), /same person\?/, "the next question is read out");
  await page.context().close();
  await server.stop();
  remove();
});

test("progress is live, imports list contradictions, any earlier answer can be taken back", async () => {
  const { study, folder, remove } = makeStudy({ options: ["--questions", "pair", "--batch", "2"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  await page.click("nav >> text=Progress");
  await page.waitForSelector("#advice");
  const before = (await api(page, "/api/status")).rounds.length;
  const other = await openPage(browser, server.address, "bob");
  for (let count = 0; count < 5; count++) await answerTruly(other);
  await page.waitForSelector(".number:has-text('answers') strong:text-is('5')", { timeout: 10000 });
  await statusWhen(page, (status) => status.rounds.length > before);
  const known = readFileSync(join(folder, "known.tsv"), "utf8").split("\n")[0].split("\t");
  const more = join(folder, "more.tsv");
  writeFileSync(more, `${known[0]}\t${known[1]}\n${known[0]}\tben_b\n`);
  await page.setInputFiles('input[type="file"]', more);
  await page.waitForSelector(`.conflicts li:has-text("line 2: ${known[0]} = ben_b contradicts")`);
  // The answer to the first, unfiltered request comes last: it must not replace what was asked for.
  await page.route(/\/api\/history/, async (route) => {
    if (!route.request().url().includes("annotator")) await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  const everything = page.waitForResponse((reply) => reply.url().includes("/api/history") && !reply.url().includes("annotator"));
  await page.click("nav >> text=History");
  await page.selectOption('select[aria-label="Person"]', "bob");
  await (await everything).finished();
  await page.waitForTimeout(200);
  await page.waitForSelector(".history tbody tr");
  assert.equal((await api(page, "/api/history?annotator=bob")).length, 5);
  assert.equal(await page.locator(".history tbody tr").count(), 5);
  await page.click('.history tbody tr:last-child button:has-text("Undo")');
  await statusWhen(page, (status) => status.answers === 4);
  assert.deepEqual([...page.problems, ...other.problems], []);
  await page.context().close();
  await other.context().close();
  await server.stop();
  remove();
});

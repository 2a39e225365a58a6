// Users without a partner, retries, people with tokens and roles, the review queue, progress.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./browser.mjs";
import { answerTruly, api, command, isSame, makeStudy, openBrowser, openPage, picture, questionShown, shownQuestion, startServer, statusWhen } from "./dalaup.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(async () => browser.close());

test("nobody here is an answer of its own, in the history, and can be taken back", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pick", "--name-b", "Twitter"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  const question = await shownQuestion(page);
  assert.match(await page.getAttribute('[data-reply="no-partner"]', "title"), /has no partner in /);
  await picture(page, "label");
  await page.keyboard.press("x");
  await questionShown(page, question.id);
  const status = await statusWhen(page, (latest) => latest.no_partner === 1);
  assert.equal(status.without_partner.a + status.without_partner.b, 1);
  await page.click("nav >> text=History");
  await page.waitForSelector(".history .no-partner");
  assert.ok((await page.textContent(".history tbody tr")).includes(`${question.user.name} has no partner`));
  await page.goto(`${server.address}#/user/${question.side}/${question.user.id}`);
  await page.waitForSelector("text=Known to have no partner.");
  await page.click("nav >> text=Label");
  await questionShown(page);
  await page.keyboard.press("z");
  await statusWhen(page, (latest) => latest.no_partner === 0);
  await page.waitForSelector(`main[data-ready="${question.id}"]`);

  await page.goto(`${server.address}#/find`);
  const hub = await page.textContent(".find .ask strong");
  await page.click("#nobody");
  await statusWhen(page, (latest) => latest.without_partner.a === 1);
  await until(page, (before) => document.querySelector(".find .ask strong")?.textContent !== before, hub);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("the program asks of its own accord whether somebody has a partner at all", async () => {
  const { study, remove } = makeStudy({ known: 16, strangers: 12, profiles: false, options: ["--pick-until", "10", "--partner-share", "0.4", "--final-audit", "0", "--name-b", "Twitter"] });
  const server = await startServer(study, ["--batch", "8"]);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  const where = () => page.locator(".answers button:visible").evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().left)));
  const places = await where();
  const kinds = new Set();
  let question = await shownQuestion(page);
  for (let asked = 0; asked < 40 && !(question.kind === "partner" && kinds.has("pair")); asked++) {
    kinds.add(question.kind);
    assert.deepEqual(await where(), places, "buttons stay where they are, whatever is asked");
    await answerTruly(page);
    question = await shownQuestion(page);
  }
  assert.equal(question.kind, "partner");
  assert.deepEqual(await where(), places);
  assert.match(await page.textContent("#ask"), /^Is lone\d+ in Twitter at all\? Search$/);
  assert.ok(question.candidates.length > 0);
  await picture(page, "partner");
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, "partner-phone");
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.click("#ask a");
  await page.waitForSelector(".find .ask");
  assert.match(await page.textContent(".find .ask"), new RegExp(`Who is ${question.user.name} of`));
  await page.goBack();
  await page.waitForSelector(`main[data-ready="${question.id}"]`);
  await page.keyboard.press("x");
  await questionShown(page, question.id);
  const status = await statusWhen(page, (latest) => latest.no_partner === 1);
  assert.equal(status.without_partner.a, 1);
  const [entry] = await api(page, "/api/history?most=1");
  assert.equal(entry.asked.kind, "partner");
  await page.click("nav >> text=History");
  await page.click(".history .actions a >> nth=0");
  await page.waitForSelector(".comparison");
  assert.match(await page.textContent(".ask"), new RegExp(`^Is ${question.user.name} in Twitter at all`));
  assert.match(await page.textContent(".said"), /nobody here/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("on a phone the five answers stand in two rows without scrolling", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pick"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 390, height: 844 }, hasTouch: true });
  const boxes = await page.locator(".answers button:visible").evaluateAll((buttons) => buttons.map((button) => ({ name: button.dataset.reply, ...button.getBoundingClientRect().toJSON() })));
  assert.deepEqual(boxes.map(({ name }) => name), ["yes", "no", "no-partner", "unsure", "skip", "undo"]);
  assert.equal(new Set(boxes.map(({ top }) => Math.round(top))).size, 2);
  for (const { name, bottom, right, height } of boxes) assert.ok(bottom <= 844 && right <= 390 && height >= 34, `${name} ${bottom} ${right} ${height}`);
  await picture(page, "label-phone");
  await page.context().close();
  await server.stop();
  remove();
});

test("an answer whose reply got lost is sent again and counted once", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "ann");
  const sent = [];
  await page.route("**/api/answer", async (route) => {
    sent.push(route.request().postDataJSON());
    if (sent.length > 1) return route.continue();
    await route.fetch(); // it arrives
    await route.abort(); // its reply does not
  });
  const first = await questionShown(page);
  await page.keyboard.press("n");
  await questionShown(page, first);
  const status = await statusWhen(page, (latest) => latest.answers === 1 && sent.length === 2);
  assert.equal(status.no, 1);
  assert.ok(sent[0].request.length > 10);
  assert.equal(sent[1].request, sent[0].request);
  assert.equal((await api(page, "/api/history")).filter((entry) => entry.kind === "answer").length, 1);
  assert.equal(await page.getAttribute("#notice", "data-kind"), "good", "nobody is told of it");
  await page.context().close();
  await server.stop();
  remove();
});

test("people with tokens: names nobody can borrow, roles, review, agreement", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const tokens = {};
  for (const [name, role] of [["ann", "annotator"], ["bob", "annotator"], ["rita", "reviewer"]]) tokens[name] = command("annotators", "add", study, name, "--role", role).token;
  const server = await startServer(study, ["--overlap", "1"]);
  const place = server.address.split("?")[0];
  const stranger = await fetch(`${place}api/status`);
  assert.equal(stranger.status, 401);
  const signIn = (name, where) => openPage(browser, `${place}?token=${tokens[name]}`, "", { viewport: { width: 1280, height: 700 } }, where);

  const ann = await signIn("ann");
  assert.equal(await ann.textContent("#who"), "ann");
  assert.ok(await ann.isDisabled("#who"));
  assert.ok(!ann.url().includes(tokens.ann), "the token is not in the address");
  assert.ok(!(await ann.isVisible("nav >> text=Review")));
  const question = await shownQuestion(ann);
  const yes = isSame(question.user.name, question.candidates[0].name);
  await ann.keyboard.press(yes ? "y" : "n");
  await statusWhen(ann, (status) => status.answers === 1);
  const borrowed = await ann.evaluate((id) => fetch("/api/answer", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ annotator: "bob", question: id, reply: "no" }) }).then((reply) => reply.status), question.id);
  assert.equal(borrowed, 403);

  const bob = await signIn("bob");
  assert.equal(await questionShown(bob), String(question.id), "a second opinion");
  await bob.keyboard.press(yes ? "n" : "y");
  await statusWhen(bob, (status) => status.annotators[0]?.answers === 1);
  await bob.click("nav >> text=History");
  await bob.waitForSelector(".history tbody tr");
  assert.ok(!(await bob.textContent(".history tbody")).includes("ann"), "what others said is not shown");

  const rita = await signIn("rita");
  assert.equal(await rita.textContent(".badge"), "1");
  await rita.click("nav >> text=Review");
  await rita.waitForSelector("#why");
  assert.match(await rita.textContent("#why"), /answered differently/);
  await picture(rita, "review");
  await rita.waitForTimeout(350); // a key that comes before anybody has seen the question does not count
  await rita.keyboard.press(yes ? "y" : "n");
  await statusWhen(rita, (status) => status.review.length === 0);
  await rita.click("nav >> text=Progress");
  await until(rita, () => /ann\s*1\s*[01]\s*1 of 1/.test(document.querySelector("main").innerText.replace(/\s+/g, " ")));
  assert.match((await rita.innerText("main")).replace(/\s+/g, " "), /bob 1 [01] 0 of 1/);

  command("annotators", "revoke", study, "bob");
  assert.equal(await bob.evaluate(() => fetch("/api/status").then((reply) => reply.status)), 401);
  assert.deepEqual(rita.problems, []);
  for (const page of [ann, bob, rita]) await page.context().close();
  await server.stop();
  remove();
});

test("what only somebody of low agreement answered is to be reviewed", async () => {
  const { study, remove } = makeStudy({ options: ["--questions", "pair"] });
  const server = await startServer(study);
  const page = await openPage(browser, server.address, "rita", {}, "#/review");
  await page.waitForSelector("text=Nothing to review");
  const send = (path, body) => page.evaluate(([where, what]) => fetch(where, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(what) }).then((reply) => reply.json()), [path, body]);
  const answer = async (reply) => {
    for (;;) {
      const { question } = await api(page, "/api/next?annotator=carl");
      if (!question) continue; // the model is learning
      assert.ok((await send("/api/answer", { annotator: "carl", question: question.id, reply, seconds: 1 })).taken);
      return question.id;
    }
  };
  for (let asked = 0; asked < 8; asked++) await send("/api/resolve", { annotator: "rita", question: await answer("unsure"), reply: "no" });
  const alone = await answer("no");
  await statusWhen(page, (status) => status.review.length > 0);
  assert.deepEqual((await api(page, "/api/status")).review, [{ question: alone, reason: "low-agreement" }]);
  await page.waitForSelector("#why");
  assert.match(await page.textContent("#why"), /somebody who often differs/);
  await page.click('.answers.review [data-reply="no"]');
  await page.waitForSelector("text=Nothing to review");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("progress: right pairs with their interval, and the stop advice in one sentence above the question", async () => {
  const { study, remove } = makeStudy({ users: 60, known: 10 });
  const server = await startServer(study, ["--batch", "3"]);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  for (let count = 0; count < 8; count++) {
    const question = await shownQuestion(page);
    const right = question.candidates.findIndex((candidate) => isSame(question.user.name, candidate.name));
    await page.keyboard.press(right < 0 ? "n" : question.kind === "pair" ? "y" : String(right + 1));
    await questionShown(page, question.id);
  }
  const status = await statusWhen(page, (latest) => latest.progress.length >= 2 && !latest.is_learning);
  for (const round of status.progress) assert.ok(round.anchors <= round.right_low && round.right_low <= round.right && round.right <= round.right_high);
  const line = await page.textContent("#advice-line");
  assert.ok(line.length > 10 && status.advice.words.startsWith(status.advice.sentence), line);
  await page.click("nav >> text=Progress");
  await page.waitForSelector("#right-pairs");
  assert.match(await page.textContent("#right-pairs"), /right pairs so far, [\d,]+\sto\s[\d,]+/);
  await page.waitForSelector(".u-wrap");
  await picture(page, "progress");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("progress states the audit once the study may stop, and the curve of right pairs", async () => {
  const { study, remove } = makeStudy({ users: 120, known: 30, options: ["--pick-until", "10", "--final-audit", "3", "--measuring-share", "0"] });
  const server = await startServer(study, ["--batch", "3"]);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  let status = await api(page, "/api/status");
  for (let asked = 0; asked < 60 && !status.audit; asked++) {
    await answerTruly(page);
    status = await api(page, "/api/status");
  }
  assert.match(status.audit, /\d+ (of|to)/, JSON.stringify(status.advice));
  await page.click("nav >> text=Progress");
  await page.waitForSelector("#audit");
  assert.equal(await page.textContent("#audit"), `Audit. ${status.audit}`);
  assert.ok(!(await page.textContent("#advice")).includes(status.audit), "said once");
  await page.waitForSelector(".curve canvas");
  assert.match(await page.textContent("main"), /Right pairs that may be expected/);
  await picture(page, "progress-audit");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

test("where pairs are kept back to measure with, the curve is of accuracy", async () => {
  const { study, remove } = makeStudy({ users: 60, known: 19, options: ["--questions", "pair", "--measuring-from", "10", "--measuring-share", "0.5"] });
  const server = await startServer(study, ["--batch", "2"]);
  const page = await openPage(browser, server.address, "ann", { viewport: { width: 1280, height: 700 } });
  for (let asked = 0; asked < 4; asked++) await answerTruly(page);
  const status = await statusWhen(page, (latest) => latest.rounds.filter((round) => round.precision_at_30 !== null).length >= 2);
  await page.click("nav >> text=Progress");
  await page.waitForSelector(".curve canvas");
  assert.match(await page.textContent("main"), new RegExp(`Learning curve: precision@30 on ${status.rounds.at(-1).validation_size} pairs kept back`));
  assert.match(await page.textContent(".u-legend"), /precision@30/);
  await picture(page, "progress-measured");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
  remove();
});

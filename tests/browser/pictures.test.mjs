// Every view as people see it, on the desk and on a phone, light and dark: nothing overlaps, nothing sticks out. With
// DALAUP_SCREENSHOTS=FOLDER the pictures of the documentation are taken on the way (make screenshots).
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerTruly, command, isSame, makeStudy, openBrowser, openPage, picture, questionShown, shownQuestion, startServer, statusWhen } from "./dalaup.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(async () => browser.close());

const kDesk = { width: 1280, height: 700 };
const kPhone = { width: 390, height: 844 };
const kGuidelines = `# Who is the same person?

Look at the **contacts** first, then at the profile.

- A name alone is *not* enough.
- Two shared contacts and the same city are.
- Firms and bands are nobody: answer **Nobody here**.

When you cannot tell within a minute, say **Unsure**.
`;

// Texts and controls, as far as they can be seen, that lie over one another or leave the window.
const collisions = (page) =>
  page.evaluate(() => {
    const seen = (part) => {
      let { left, top, right, bottom } = part.getBoundingClientRect();
      for (let place = part.parentElement; place && place !== document.body; place = place.parentElement) {
        if (getComputedStyle(place).overflow === "visible") continue;
        const box = place.getBoundingClientRect();
        left = Math.max(left, box.left), top = Math.max(top, box.top), right = Math.min(right, box.right), bottom = Math.min(bottom, box.bottom);
      }
      return { left, top, right, bottom };
    };
    const isPlain = (part) => [...part.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
    const parts = [...document.querySelectorAll("body *")]
      .filter((part) => part.checkVisibility() && getComputedStyle(part).visibility === "visible" && !part.closest(".unseen, .skip-link, dialog, .u-over, .u-under, script, style, .picture"))
      .filter((part) => part.matches("button, a, input, select") || isPlain(part))
      .map((part) => ({ part, words: (part.textContent.trim() || part.id || part.tagName).slice(0, 30), box: seen(part) }))
      .filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1);
    const found = [];
    parts.forEach(({ part, words, box }, place) => {
      if (box.left < -1 || box.right > window.innerWidth + 1) found.push(`"${words}" sticks out`);
      for (const other of parts.slice(place + 1)) {
        if (part.contains(other.part) || other.part.contains(part)) continue;
        const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (wide > 3 && high > 3) found.push(`"${words}" over "${other.words}"`);
      }
    });
    return found;
  });

async function look(page, name) {
  assert.deepEqual(await collisions(page), [], name);
  await picture(page, name);
}

test("every view is tidy on the desk and on a phone, light and dark", async () => {
  const { study, folder, remove } = makeStudy({ options: ["--questions", "pick", "--name-a", "Foursquare", "--name-b", "Twitter", "--budget", "300", "--compare", "full_name=Full Name,city=City,website=link:category"] });
  writeFileSync(join(folder, "rules.md"), kGuidelines);
  const tokens = {};
  for (const [name, role] of [["ann", "annotator"], ["bob", "annotator"], ["rita", "owner"]]) tokens[name] = command("annotators", "add", study, name, "--role", role).token;
  const server = await startServer(study, ["--overlap", "1", "--batch", "4", "--guidelines", join(folder, "rules.md")]);
  const place = server.address.split("?")[0];
  const signIn = (name, options) => openPage(browser, `${place}?token=${tokens[name]}`, "", { viewport: kDesk, ...options });

  const ann = await signIn("ann");
  const right = (question) => question.candidates.findIndex((candidate) => isSame(question.user.name, candidate.name));
  for (let asked = 0; asked < 8 && (asked < 2 || right(await shownQuestion(ann)) < 0); asked++) await answerTruly(ann); // to one worth a picture
  const shown = await shownQuestion(ann);
  for (let step = 0; step < right(shown); step++) await ann.keyboard.press("ArrowDown");
  await look(ann, "label");
  await ann.keyboard.press("g");
  await look(ann, "guidelines");
  await ann.keyboard.press("c");
  await ann.emulateMedia({ colorScheme: "dark" });
  await look(ann, "label-dark");
  await ann.setViewportSize(kPhone);
  await look(ann, "label-phone-dark");
  await ann.emulateMedia({ colorScheme: "light" });
  await look(ann, "label-phone");
  for (const [width, height] of [[320, 640], [700, 500], [780, 700], [844, 390], [900, 700], [1024, 768], [1920, 1080]]) {
    await ann.setViewportSize({ width, height });
    await ann.waitForTimeout(100);
    await (height > 520 ? look : picture)(ann, `label-${width}`); // very low windows scroll behind the answers
    const outside = await ann.locator(".answers button:visible").evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect()).filter((box) => box.right > window.innerWidth || box.bottom > window.innerHeight).length);
    assert.equal(outside, 0, `answers at ${width} x ${height}`);
  }
  await ann.setViewportSize(kDesk);

  const bob = await signIn("bob");
  for (let asked = 0; asked < 3; asked++) {
    const id = await questionShown(bob);
    await bob.keyboard.press(asked === 0 ? "x" : "n");
    await questionShown(bob, id);
  }
  for (let asked = 0; asked < 8; asked++) await answerTruly(bob);
  const rita = await signIn("rita");
  await statusWhen(rita, (status) => status.review.length > 0 && status.progress.length > 0 && !status.is_learning);
  const views = { review: ".answers.review .no", progress: "#right-pairs", history: ".history .actions a", "users?side=A&text=lima": ".found a", find: ".find .candidate" };
  for (const [colorScheme, viewport] of [["light", kDesk], ["dark", kDesk], ["light", kPhone], ["dark", kPhone]]) {
    await rita.emulateMedia({ colorScheme });
    await rita.setViewportSize(viewport);
    for (const [view, part] of Object.entries(views)) {
      await rita.goto(`${place}#/${view}`);
      await rita.waitForSelector(part);
      await rita.waitForTimeout(150);
      await look(rita, `${view.split("?")[0]}${viewport === kPhone ? "-phone" : ""}${colorScheme === "dark" ? "-dark" : ""}`);
    }
  }
  for (const page of [ann, bob, rita]) assert.deepEqual(page.problems, []);
  for (const page of [ann, bob, rita]) await page.context().close();
  await server.stop();
  remove();
});

// What the browser tests share: networks, a study, the running program, Chromium.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const program = process.env.DALAUP;

export const kHostile = '<img/src=x/onerror="window.hacked=1">';

// Two views of one small society: the same names with an ending, most edges in both.
export function makeStudy({ users = 80, known = 8, options = [], hostile = false, profiles = true, portraits = false, strangers = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "dalaup-browser-"));
  let seed = 7;
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
  const names = ["ada", "ben", "cleo", "dan", "eva", "finn", "gus", "hana", "ivo", "jana", "kim", "leo", "mia", "noa", "otto", "pia", "quin", "rosa", "sven", "tara"];
  const person = (user) => `${names[user % names.length]}${Math.floor(user / names.length) || ""}`;
  const nameA = (user) => (hostile && user === 0 ? kHostile : person(user));
  const nameB = (user) => (hostile && user === 0 ? kHostile : `${person(user)}_b`);
  const a = new Set();
  const b = new Set();
  for (let user = 0; user < users; user++)
    for (let tie = 0; tie < 4; tie++) {
      const other = Math.floor(random() * (tie < 2 ? users : Math.min(users, user + 8)));
      if (other === user) continue;
      if (random() < 0.9) a.add(`${nameA(user)}\t${nameA(other)}`);
      if (random() < 0.9) b.add(`${nameB(user)}\t${nameB(other)}`);
    }
  for (let user = 0; user < users; user++) {
    a.add(`${nameA(user)}\t${nameA((user + 1) % users)}`);
    b.add(`${nameB(user)}\t${nameB((user + 1) % users)}`);
  }
  for (let stranger = 0; stranger < strangers; stranger++)
    for (let tie = 0; tie < 5; tie++) a.add(`lone${stranger}\t${nameA(Math.floor(random() * users))}`); // in A only
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const labels = [];
  for (let user = 1; user <= known; user++) labels.push(`${nameA(user * 3)}\t${nameB(user * 3)}`);
  const cities = ["Lima", "Oslo", "Kyiv", "Porto", "Graz"];
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const families = ["Moreau", "Okafor", "Lindqvist", "Petrov", "Tanaka", "Silva"];
  const given = (user) => names[user % names.length][0].toUpperCase() + names[user % names.length].slice(1);
  const bio = (user) => `${["Plays the cello", "Runs marathons", "Bakes bread", "Paints boats"][user % 4]} in ${cities[user % 5]}. ` + (user % 3 === 0 ? "Writes about long walks, short books and the weather of the coast, whenever the office leaves an evening free. ".repeat(1 + (user % 7)) : "");
  const profile = (name, isA) =>
    (isA ? "name,full_name,city,joined,bio,website" : "name,Full Name,City,joined,bio,link") + (portraits ? ",photo\n" : "\n") +
    Array.from({ length: users }, (_, user) => {
      const family = families[user % families.length];
      const city = hostile ? "<b>bold</b>" : cities[user % 5];
      return [name(user), isA ? `${given(user)} ${family}` : `${family}, ${given(user)}`, isA ? city : city.toUpperCase(), 2010 + (user % 9) + (isA ? 0 : user % 2), bio(isA ? user : user - (user % 2)), hostile ? "javascript:window.hacked=1" : `https://people.example/${user}`, ...(portraits ? [`https://pictures.example/${user}.png`] : [])].map(quoted).join(",");
    }).join("\n") + "\n";
  const study = join(folder, "people.study");
  execFileSync(program, [
    "new", study, "--a", write("a.edges", [...a].join("\n")), "--b", write("b.edges", [...b].join("\n")),
    ...(known > 0 ? ["--labels", write("known.tsv", labels.join("\n") + "\n")] : []),
    ...(profiles ? ["--profiles-a", write("a.csv", profile(nameA, true)), "--profiles-b", write("b.csv", profile(nameB, false))] : []), ...options,
  ], { stdio: "pipe" });
  return { folder, study, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

// What a command says with --json.
export const command = (...words) => JSON.parse(execFileSync(program, [...words, "--json"], { encoding: "utf8" }));

// Same person: the names agree up to the ending.
export const isSame = (left, right) => `${left}_b` === right || left === `${right}_b` || left === right;

// A test that fails leaves its server behind: it must not keep the tests from ending.
const running = new Set();
process.on("exit", () => running.forEach((server) => server.kill("SIGKILL")));

export async function startServer(study, options = []) {
  const server = spawn(program, ["label", study, "--port", "0", "--threads", "1", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (bytes) => {
      text += bytes;
      const found = /open (http:\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    server.on("exit", (code) => reject(new Error(`dalaup ended with ${code}`)));
  });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  running.add(server);
  server.unref();
  server.stdout.unref();
  return {
    address,
    stop: async (signal = "SIGINT") => {
      server.kill(signal);
      return ended;
    },
  };
}

export async function openBrowser() {
  return chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
}

// A person with a name at the page; complains about anything the console complains about.
// Without a name: somebody whose token is in the address. `where`: a view's address, such as "#/find"; without it the question is waited for.
export async function openPage(browser, address, name, options = {}, where = "") {
  const context = await browser.newContext({ viewport: { width: 1100, height: 860 }, ...options });
  context.setDefaultTimeout(90000); // machines may be busy
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("request", (request) => {
    const { hostname } = new URL(request.url().startsWith("data:") ? "http://127.0.0.1" : request.url());
    if (hostname !== "127.0.0.1") page.problems.push(`asked ${hostname}`);
  });
  if (process.env.DALAUP_PAGE) await page.route(/\/(app\.(js|css))?(\?.*)?$/, (route) => withOwnPage(route));
  await page.goto(address + where);
  if (name) {
    await page.fill("#name", name);
    await page.keyboard.press("Enter");
  }
  if (!where) await questionShown(page);
  return page;
}

// DALAUP_PAGE=FOLDER: the page as Vite built it there, without building the program anew.
async function withOwnPage(route) {
  const file = new URL(route.request().url()).pathname.slice(1);
  if (file) return route.fulfill({ path: join(process.env.DALAUP_PAGE, file) });
  const response = await route.fetch({ maxRedirects: 0 }); // for its headers
  if (response.status() !== 200) return route.fulfill({ response });
  return route.fulfill({ response, body: readFileSync(join(process.env.DALAUP_PAGE, "index.html"), "utf8") });
}

// The question on the page: the one after it may be laid out behind it already.
export const kShown = ".sheet:not(.ahead)";

// Waits until a question stands on the page and takes answers; gives its number.
export async function questionShown(page, other) {
  const ready = await page.waitForSelector(other ? `main[data-ready]:not([data-ready="${other}"])` : "main[data-ready]");
  return ready.getAttribute("data-ready");
}

export const api = (page, path) => page.evaluate((where) => fetch(where).then((reply) => reply.json()), path);
// What stands on the page, as the API describes it, without candidates that were settled since it was chosen.
export async function shownQuestion(page) {
  const id = await questionShown(page);
  const question = await api(page, `/api/question?id=${id}`);
  const shown = await page.locator(`${kShown} ol.candidates:visible .name`).allTextContents();
  if (shown.length) question.candidates = question.candidates.filter((candidate) => shown.includes(candidate.name));
  return question;
}

// Answers the question on the page as somebody who knows; gives the next one's number.
export async function answerTruly(page) {
  const question = await shownQuestion(page);
  const right = question.candidates.findIndex((candidate) => isSame(question.user.name, candidate.name));
  await page.keyboard.press(right < 0 ? "n" : question.kind === "pair" ? "y" : String(right + 1));
  return questionShown(page, question.id);
}

// Waits until `check` of the status holds.
export async function statusWhen(page, check) {
  let status;
  for (let attempt = 0; attempt < 600; attempt++) {
    status = await api(page, "/api/status");
    if (check(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the status never came: ${JSON.stringify({ ...status, arms: [] }).slice(0, 1500)}`);
}

// Texts whose contrast with what is behind them is below 4.5 (3 for large ones), as WCAG counts it.
export const faintTexts = (page) =>
  page.evaluate(() => {
    const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
    const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
    const behind = (part) => {
      for (let place = part; place; place = place.parentElement) {
        const colour = numbers(getComputedStyle(place).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return numbers(getComputedStyle(document.documentElement).backgroundColor);
    };
    const faint = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const part = texts.currentNode.parentElement;
      const text = texts.currentNode.textContent.trim();
      if (!text || !part.checkVisibility() || part.closest(".unseen, .skip-link, script, style")) continue;
      const style = getComputedStyle(part);
      const [light, dark] = [luminance(numbers(style.color)), luminance(behind(part))].sort((a, b) => b - a);
      const contrast = (light + 0.05) / (dark + 0.05);
      const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
      if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${text.slice(0, 30)}: ${contrast.toFixed(2)}`);
    }
    return faint;
  });

// Controls and pictures that a screen reader could not name.
export const unnamedParts = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, [role=img]")]
      .filter((part) => part.checkVisibility() && !(part.getAttribute("aria-label") || part.textContent.trim() || part.labels?.length))
      .map((part) => part.outerHTML),
  );

// DALAUP_SCREENSHOTS=FOLDER: pictures for the documentation and for looking at; DALAUP_PICTURES="NAME NAME": only these.
export async function picture(page, name) {
  if (!process.env.DALAUP_SCREENSHOTS) return;
  if (process.env.DALAUP_PICTURES && !process.env.DALAUP_PICTURES.split(" ").includes(name)) return;
  await page.waitForTimeout(200);
  await page.screenshot({ path: `${process.env.DALAUP_SCREENSHOTS}/${name}.png` });
}

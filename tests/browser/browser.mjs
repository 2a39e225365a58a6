// What browser tests share: Debian's Chromium, and a page that remembers every error and request.
import { chromium } from "playwright-core";

export const launch = () =>
  chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox"] });

export async function watchedPage(browser, options = {}) {
  const page = await browser.newPage(options);
  const problems = [];
  const requests = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  return { page, problems, requests };
}

// Waits until `check` holds in the page. Playwright's waitForFunction asks again by eval, which the page's
// Content-Security-Policy refuses.
export async function until(page, check, value) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await page.evaluate(check, value)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never came true in 30 s: ${check}`);
}

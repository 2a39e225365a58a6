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

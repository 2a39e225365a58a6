import "./style.css";
import { get, Requests, type Side, type Status } from "./api";
import { byId, element, grouped, notice, plural } from "./dom";
import { FindView } from "./find";
import { HistoryView } from "./history";
import { toggleKeys } from "./keys";
import { ProgressView } from "./progress";
import { QuestionView } from "./question";
import { ReviewView } from "./review";
import { routeOf, type Route } from "./router";
import { learnOfStudy, study } from "./study";
import { UsersView } from "./users";

const kTabs = { Label: "label", Review: "review", Progress: "progress", History: "history", Users: "users" } as const;
type Tab = keyof typeof kTabs;
// Views that are part of a tab without being what it opens with.
const kTabOf: Record<string, Tab> = { label: "Label", find: "Users", review: "Review", question: "History", progress: "Progress", history: "History", users: "Users", user: "Users" };
const kNameKey = "dalaup-annotator";
const kLongestName = 64; // bytes

const main = byId("main");
let annotator = localStorage.getItem(kNameKey) ?? "";
let route: Route = routeOf(location.hash);
let status: Status | null = null;
const refreshes = new Requests();

const me = () => annotator;
const refresh = () => void refreshStatus();
const find = new FindView(main, me, refresh);
const question = new QuestionView(main, me, new FindView(main, me, refresh), refresh);
const review = new ReviewView(main, me, refresh);
const history = new HistoryView(main, me, () => status?.annotators.map((person) => person.name) ?? [], refresh);
const progress = new ProgressView(main, me, refresh);
const users = new UsersView(main);

const tabs = new Map(Object.entries(kTabs).map(([name, view]) => [name as Tab, element("a", { class: "tab", href: `#/${view}` }, name)]));
const badge = element("span", { class: "badge", title: "to review" });
byId("tabs").append(...tabs.values());

// The links stay the same ones: whoever has the focus on one keeps it.
function drawTabs(): void {
  for (const [name, link] of tabs)
    if (name === kTabOf[route.view]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  document.title = [kTabOf[route.view], status?.study, "dalaup"].filter(Boolean).join(" · ");
  const toReview = status?.review.length ?? 0;
  badge.textContent = String(toReview);
  tabs.get("Review")!.hidden = study.role === "annotator";
  if (toReview > 0) tabs.get("Review")!.append(badge);
  else badge.remove();
}

function drawStatus(): void {
  if (!status) return;
  byId("study").replaceChildren(
    element("span", { class: "spare" }, `${status.study} · `),
    `${plural(status.answers, "answer")} · ${grouped(status.yes)} yes`,
    element("span", { class: "spare" }, ` · ${grouped(status.settled_pairs)} pairs settled`),
    element("span", { class: "learning" }, status.is_learning ? " · learning…" : ""),
  );
  byId("who").textContent = annotator;
  byId<HTMLButtonElement>("who").disabled = status.signed_in !== null;
  byId("who").title = status.signed_in ? `Signed in as ${status.signed_in.role}` : "Change your name";
  drawTabs();
}

async function refreshStatus(): Promise<void> {
  const isLast = refreshes.begin();
  try {
    const latest = await get<Status>("/api/status");
    if (!isLast()) return;
    status = latest;
    learnOfStudy(status);
    if (status.signed_in) annotator = status.signed_in.name;
    drawStatus();
    question.know(status);
    if (route.view === "progress") progress.update(status);
    if (route.view === "review") await review.update(status);
  } catch (error) {
    notice((error as Error).message, "bad");
  }
}

async function openRoute(): Promise<void> {
  question.close();
  review.close();
  progress.close();
  find.close();
  notice("");
  route = routeOf(location.hash);
  if (!(route.view in kTabOf)) route = routeOf("");
  drawTabs();
  const [first, second] = route.rest;
  const isUser = (first === "A" || first === "B") && /^\d+$/.test(second ?? "");
  const number = /^\d+$/.test(first ?? "") ? Number(first) : null;
  const entry = route.query.get("entry");
  if (!status) await refreshStatus();
  if (route.view === "label") await question.open();
  else if (route.view === "history") await history.open(route.query);
  else if (route.view === "find") await (isUser ? find.open(first as Side, Number(second)) : find.open());
  else if (route.view === "users" || route.view === "user") await users.open(route.query, isUser ? { side: first as Side, id: Number(second) } : undefined);
  else if (!status) return;
  else if (route.view === "progress") progress.open(status);
  else if (route.view === "question") await review.openQuestion(status, number ?? 0, entry === null ? null : Number(entry));
  else await review.openQueue(status, number);
}

// As the study takes names: nothing that cannot be seen, at most 64 bytes.
function visibleName(text: string): string {
  const letters = [...text.normalize("NFC").replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, "").trim()];
  while (new TextEncoder().encode(letters.join("")).length > kLongestName) letters.pop();
  return letters.join("").trim();
}

function askName(): Promise<void> {
  const dialog = byId<HTMLDialogElement>("ask-name");
  const input = byId<HTMLInputElement>("name");
  input.value = annotator || status?.default_annotator || "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        annotator = visibleName(input.value) || annotator || "me";
        localStorage.setItem(kNameKey, annotator);
        drawStatus();
        resolve();
      },
      { once: true },
    );
  });
}

// One request waits at the server until something changes, so that several people see each other.
async function watch(): Promise<void> {
  for (;;) {
    try {
      const before = status?.event ?? 0;
      const { event } = await get<{ event: number }>("/api/events", { after: before });
      if (event !== status?.event) {
        const wasAway = byId("notice").dataset.kind === "bad" && status === null;
        await refreshStatus();
        question.refresh();
        if (wasAway) notice("");
      }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const target = event.target as HTMLElement;
  if (target.closest("input, select, textarea, #ask-name")) return;
  if (event.key === "?") toggleKeys();
  else if (target.closest("dialog")) return;
  else if (route.view === "label" ? question.key(event.key.toLowerCase()) : review.key(event.key.toLowerCase())) event.preventDefault();
});

byId("who").addEventListener("click", () => void askName().then(() => {
    question.forget();
    return openRoute();
  }));
byId("help").addEventListener("click", toggleKeys);
document.querySelector(".skip-link")!.addEventListener("click", (event) => {
  event.preventDefault(); // the part after # is the view's
  main.focus();
});
window.addEventListener("hashchange", () => void openRoute());

async function start(): Promise<void> {
  await refreshStatus();
  if (!annotator) await askName();
  drawStatus();
  await openRoute();
  void watch();
}

void start();

import "./style.css";
import { get, Requests, type Status } from "./api";
import { byId, element, grouped, notice, plural } from "./dom";
import { HistoryView } from "./history";
import { ProgressView } from "./progress";
import { QuestionView } from "./question";
import { UsersView } from "./users";

const kTabs = ["Label", "Progress", "History", "Users"] as const;
type Tab = (typeof kTabs)[number];
const kNameKey = "dalaup-annotator";

const main = byId("main");
let annotator = localStorage.getItem(kNameKey) ?? "";
let tab: Tab = "Label";
let status: Status | null = null;
const refreshes = new Requests();

const question = new QuestionView(main, () => annotator, () => void refreshStatus());
const history = new HistoryView(main, () => annotator, () => status?.annotators.map((person) => person.name) ?? [], () => void refreshStatus());
const progress = new ProgressView(main, () => annotator, () => void refreshStatus());
const users = new UsersView(main);

const tabs = new Map(kTabs.map((name) => [name, element("button", { class: "tab", click: () => void openTab(name) }, name)]));
const badge = element("span", { class: "badge", title: "disagreements" });
byId("tabs").append(...tabs.values());

// The buttons stay the same ones: whoever has the focus on one keeps it.
function drawTabs(): void {
  for (const [name, button] of tabs)
    if (name === tab) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  const disputes = status?.disputes.length ?? 0;
  badge.textContent = String(disputes);
  if (disputes > 0) tabs.get("Progress")!.append(badge);
  else badge.remove();
}

function drawStatus(): void {
  if (!status) return;
  byId("study").replaceChildren(
    element("span", { class: "spare" }, `${status.study} · `),
    `${plural(status.answers, "answer")} · ${grouped(status.yes)} yes`,
    element("span", { class: "spare" }, ` · ${grouped(status.settled_pairs)} pairs settled`),
    status.is_learning ? " · learning…" : "",
  );
  byId("who").textContent = annotator;
  drawTabs();
}

async function refreshStatus(): Promise<void> {
  const isLast = refreshes.begin();
  try {
    const latest = await get<Status>("/api/status");
    if (!isLast()) return;
    status = latest;
    drawStatus();
    if (tab === "Progress") await progress.update(status);
  } catch (error) {
    notice((error as Error).message, "bad");
  }
}

async function openTab(name: Tab): Promise<void> {
  question.close();
  progress.close();
  tab = name;
  drawTabs();
  if (name === "Label") await question.open();
  else if (name === "History") await history.open();
  else if (name === "Users") users.open();
  else {
    if (!status) await refreshStatus();
    if (status) await progress.open(status);
  }
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
        annotator = input.value.trim() || annotator || "me";
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
  if (target.closest("input, select, textarea, dialog")) return;
  if (tab === "Label" && question.key(event.key.toLowerCase())) event.preventDefault();
});

byId("who").addEventListener("click", () => void askName().then(() => {
    question.forget();
    return openTab(tab);
  }));

async function start(): Promise<void> {
  await refreshStatus();
  if (!annotator) await askName();
  drawStatus();
  await openTab("Label");
  void watch();
}

void start();

import "./style.css";
import { get, type Status } from "./api";
import { byId, element, grouped, notice } from "./dom";
import { HistoryView } from "./history";
import { PeopleView } from "./people";
import { ProgressView } from "./progress";
import { QuestionView } from "./question";

const kTabs = ["Label", "Progress", "History", "People"] as const;
type Tab = (typeof kTabs)[number];
const kNameKey = "dalaup-annotator";

const main = byId("main");
let annotator = localStorage.getItem(kNameKey) ?? "";
let tab: Tab = "Label";
let status: Status | null = null;

const question = new QuestionView(main, () => annotator, () => void refreshStatus());
const history = new HistoryView(main, () => annotator, () => void refreshStatus());
const progress = new ProgressView(main, () => annotator, () => void openTab("Progress"));
const people = new PeopleView(main);

function drawTabs(): void {
  byId("tabs").replaceChildren(
    ...kTabs.map((name) =>
      element(
        "button",
        { class: "tab", "aria-current": name === tab ? "page" : undefined, click: () => void openTab(name) },
        name,
        name === "Progress" && status !== null && status.disputes.length > 0 && element("span", { class: "badge", title: "disagreements" }, status.disputes.length),
      ),
    ),
  );
}

function drawStatus(): void {
  if (!status) return;
  byId("study").textContent = `${status.study} · ${grouped(status.answers)} answers · ${grouped(status.yes)} yes · ${grouped(status.settled_pairs)} pairs settled${status.is_learning ? " · learning…" : ""}`;
  byId("who").textContent = annotator;
  drawTabs();
}

async function refreshStatus(): Promise<void> {
  try {
    status = await get<Status>("/api/status");
    drawStatus();
  } catch (error) {
    notice((error as Error).message, "bad");
  }
}

async function openTab(name: Tab): Promise<void> {
  question.close();
  progress.close();
  tab = name;
  drawTabs();
  if (name === "Label") await question.load();
  else if (name === "History") await history.open();
  else if (name === "People") people.open();
  else {
    await refreshStatus();
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

byId("who").addEventListener("click", () => void askName().then(() => openTab(tab)));

async function start(): Promise<void> {
  await refreshStatus();
  if (!annotator) await askName();
  drawStatus();
  await openTab("Label");
  void watch();
}

void start();

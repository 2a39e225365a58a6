// Every answer ever given, newest first: filter, take back, change.
import { enter, get, Requests, type HistoryItem, type Outcome, type Reply } from "./api";
import { element, notice, replyInWords } from "./dom";
import { showsOnePair } from "./kinds";
import { addressOf, remember } from "./router";

import { study } from "./study";

const kPage = 50;

function saidInWords(item: HistoryItem): string {
  const { a, b } = item.pair ?? { a: null, b: null };
  if (item.reply === "no-partner") return `${(a ?? b)?.name} has no partner`;
  return `${a?.name} ${item.reply === "yes" ? "=" : "≠"} ${b?.name}`;
}

function inWords(item: HistoryItem): string {
  if (item.kind === "undo") return `took back entry ${item.undoes}`;
  if (item.kind === "import") return `${saidInWords(item)}, ${item.source === "search" ? "found by search" : `imported from ${item.source.split("/").pop()}`}`;
  if (!item.asked) return replyInWords(item.reply);
  return item.kind === "resolve" ? `settled: ${answerInWords(item)}` : answerInWords(item);
}

function answerInWords(item: HistoryItem): string {
  const asked = item.asked!;
  if (item.reply === "yes" || item.reply === "no-partner") return saidInWords(item);
  const user = asked.user.name;
  const others = asked.candidates.map((candidate) => candidate.name).join(", ");
  if (item.reply === "no") return !showsOnePair(asked) ? `${user}: none of ${others}` : `${user} ≠ ${others}`;
  return `${user} ? ${others}`;
}

export class HistoryView {
  private annotatorFilter = "";
  private replyFilter = "";
  private text = "";
  private onlyInForce = false;
  private readonly rows = element("tbody");
  private readonly more = element("button", { click: () => void this.load(this.last) }, "Older");
  private last = 0;
  private readonly loads = new Requests();

  constructor(
    private readonly root: HTMLElement,
    private readonly annotator: () => string,
    private readonly people: () => string[],
    private readonly onChanged: () => void,
  ) {}

  async open(query: URLSearchParams): Promise<void> {
    this.annotatorFilter = query.get("who") ?? "";
    this.replyFilter = query.get("reply") ?? "";
    this.text = query.get("text") ?? "";
    this.onlyInForce = query.get("now") === "1";
    const reply = element("select", { "aria-label": "Answer", change: () => this.set(() => (this.replyFilter = reply.value)) });
    for (const [value, words] of [["", "all answers"], ["yes", "yes"], ["no", "no"], ["no-partner", "nobody here"], ["unsure", "unsure"], ["skip", "skipped"]])
      reply.append(element("option", { value }, words));
    const who = element("select", { "aria-label": "Person", change: () => this.set(() => (this.annotatorFilter = who.value)) });
    who.append(element("option", { value: "" }, "everybody"), element("option", { value: this.annotator() }, "only mine"));
    for (const name of this.people()) if (name !== this.annotator()) who.append(element("option", { value: name }, name));
    who.value = this.annotatorFilter;
    reply.value = this.replyFilter;
    const text = element("input", { type: "search", placeholder: "name contains", "aria-label": "Name contains", input: () => this.set(() => (this.text = text.value)) });
    text.value = this.text;
    const inForce = element("input", { type: "checkbox", checked: this.onlyInForce, change: () => this.set(() => (this.onlyInForce = inForce.checked)) });
    const head = element("tr", {}, ...["When", "Who", "Answer"].map((words) => element("th", { scope: "col" }, words)), element("th", { scope: "col" }, element("span", { class: "unseen" }, "Open or change")));
    this.root.replaceChildren(
      element("h2", {}, "History"),
      element("div", { class: "filters" }, who, reply, text, element("label", { class: "check" }, inForce, "only what counts now")),
      element("div", { class: "scroll" }, element("table", { class: "history" }, element("thead", {}, head), this.rows)),
      this.more,
    );
    await this.load(0);
  }

  private set(change: () => void): void {
    change();
    remember(addressOf("history", { who: this.annotatorFilter, reply: this.replyFilter, text: this.text, now: this.onlyInForce ? "1" : "" }));
    void this.load(0);
  }

  private async load(before: number): Promise<void> {
    const isLast = this.loads.begin();
    try {
      const query: Record<string, string | number> = { most: kPage, before };
      if (this.annotatorFilter) query.annotator = this.annotatorFilter;
      if (this.replyFilter) query.reply = this.replyFilter;
      if (this.text) query.text = this.text;
      if (this.onlyInForce) query.in_force = 1;
      const items = await get<HistoryItem[]>("/api/history", query);
      if (!isLast()) return;
      if (before === 0) this.rows.replaceChildren();
      for (const item of items) this.rows.append(this.row(item));
      this.last = items.length > 0 ? items[items.length - 1].id : 0;
      this.more.hidden = items.length < kPage;
      if (this.rows.childElementCount === 0)
        this.rows.append(element("tr", {}, element("td", { colspan: 4, class: "quiet" }, "Nothing here.")));
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  private row(item: HistoryItem): HTMLElement {
    const when = new Date(item.at);
    const actions = element("td", { class: "actions" });
    if (item.asked) actions.append(element("a", { class: "button plain", href: `#/question/${item.question}?entry=${item.kind === "undo" ? item.undoes : item.id}`, "aria-label": `Open question ${item.question} as it was` }, "Open"));
    if (item.is_in_force && (study.role !== "annotator" || item.annotator === this.annotator())) {
      actions.append(
        element("button", { class: "plain", "aria-label": `Undo entry ${item.id}`, click: () => void this.undo(item.id) }, "Undo"),
      );
      if (item.kind === "answer" && item.asked) actions.append(this.editor(item));
    }
    return element(
      "tr",
      { class: item.is_in_force || item.kind === "undo" ? "" : "gone" },
      element("td", { class: "quiet" }, element("time", { datetime: item.at, title: item.at }, when.toLocaleString([], { dateStyle: "short", timeStyle: "short" }))),
      element("td", {}, item.annotator),
      element("td", {}, element("span", { class: `reply ${item.kind === "undo" ? "undo" : item.reply}` }, item.kind === "undo" ? "undo" : replyInWords(item.reply)), " ", inWords(item), item.note && element("span", { class: "quiet note" }, ` “${item.note}”`)),
      actions,
    );
  }

  private editor(item: HistoryItem): HTMLElement {
    const asked = item.asked!;
    const choice = element("select", {
      "aria-label": `Change entry ${item.id}`,
      change: () => {
        const [reply, chosen] = choice.value.split(":");
        if (reply) void this.edit(item, reply as Reply, chosen ? Number(chosen) : undefined);
      },
    });
    choice.append(element("option", { value: "" }, "Change to…"));
    for (const candidate of asked.candidates)
      choice.append(element("option", { value: `yes:${candidate.id}` }, showsOnePair(asked) ? "yes" : `yes: ${candidate.name}`));
    for (const reply of ["no", "no-partner", "unsure", "skip"]) choice.append(element("option", { value: reply }, replyInWords(reply)));
    return choice;
  }

  private async change(path: string, body: object): Promise<void> {
    try {
      const outcome = await enter<Outcome>(path, body);
      notice(outcome.taken ? "Saved." : outcome.message, outcome.taken ? "good" : "bad");
    } catch (error) {
      notice((error as Error).message, "bad");
    }
    this.onChanged();
    await this.load(0);
  }
  private undo(entry: number): Promise<void> {
    return this.change("/api/undo", { annotator: this.annotator(), entry });
  }
  private edit(item: HistoryItem, reply: Reply, chosen?: number): Promise<void> {
    return this.change("/api/edit", { annotator: this.annotator(), entry: item.id, reply, chosen: chosen ?? null, question: item.question });
  }
}

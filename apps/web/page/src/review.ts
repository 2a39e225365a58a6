// Questions that were asked already: one of them as it was, or those that somebody should look at
// again.
import { type ApiError, enter, get, type Entry, type Outcome, type Question, type Reply, type Status } from "./api";
import { element, isEqual, keyHint, notice, plural, replyInWords } from "./dom";
import { askedInWords, showsOnePair } from "./kinds";
import { Sheet } from "./sheet";
import { study } from "./study";

const kRetryMilliseconds = 2000;
const kUnseenMilliseconds = 300;
const kReplies: Record<string, Reply> = { y: "yes", n: "no", x: "no-partner", u: "unsure" };
const kReasons = { disputed: "Two people answered differently.", unsure: "Somebody was unsure, somebody else was not.", changed: "An answer was replaced by another.", "low-agreement": "Answered only by somebody who often differs from what was settled or most said." };

export class ReviewView {
  private readonly sheet = new Sheet(undefined, () => void this.load(true));
  private readonly list = element("nav", { class: "chips", "aria-label": "To review" });
  private readonly said = element("ul", { class: "said" });
  private readonly bar = element("div", { class: "answers review", role: "group", "aria-label": "Settle it" });
  private readonly ask = element("h2", { class: "ask" });
  private wanted: number | null = null;
  private question: Question | null = null; // on the screen
  private entry: number | null = null;
  private status: Status | null = null;
  private isOpen = false;
  private timer = 0;
  private shown = 0; // the question that was shown last, and since when
  private shownAt = 0;
  private isQueue = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly annotator: () => string,
    private readonly onChanged: () => void,
  ) {}

  // One question; with `entry`, as it stood when that answer was given.
  async openQuestion(status: Status, id: number, entry: number | null): Promise<void> {
    this.isOpen = true;
    this.isQueue = false;
    this.status = status;
    await this.show(id, entry);
  }

  // The queue: disagreements, doubts, changed answers and those of people of low agreement, the one with this number first.
  async openQueue(status: Status, id: number | null): Promise<void> {
    this.isOpen = true;
    this.isQueue = true;
    this.status = status;
    const first = id !== null && this.holds(id) ? id : status.review[0]?.question;
    if (first === undefined) this.renderEmpty();
    else await this.show(first, null);
  }

  async update(status: Status): Promise<void> {
    const isSame = isEqual(this.status?.review, status.review);
    this.status = status;
    if (!this.isOpen || !this.isQueue || isSame) return;
    const id = this.wanted !== null && this.holds(this.wanted) ? this.wanted : null;
    await this.openQueue(status, id);
  }

  private holds(id: number): boolean {
    return this.status?.review.some((item) => item.question === id) ?? false;
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.timer);
    this.wanted = null;
    this.question = null;
    this.sheet.destroy();
    this.root.classList.remove("labelling");
  }

  private renderEmpty(): void {
    this.sheet.destroy();
    this.question = null;
    this.root.classList.remove("labelling");
    this.root.replaceChildren(
      element("section", { class: "card waiting", "data-state": "agreed" }, element("h2", {}, "Nothing to review"), element("p", {}, "Nobody disagrees on any question, hesitated over one that others answered, or changed an answer that was not looked at since; nobody differs often from the others.")),
    );
  }

  private async show(id: number, entry: number | null): Promise<void> {
    this.wanted = id;
    this.entry = entry;
    await this.load(false);
  }

  private async load(withModel: boolean): Promise<void> {
    const id = this.wanted!;
    const query: Record<string, number> = { id };
    if (this.entry !== null) query.entry = this.entry;
    if (withModel) query.model = 1;
    try {
      const question = await get<Question>("/api/question", query);
      if (!this.isOpen || this.wanted !== id) return;
      this.question = question;
      this.render();
    } catch (error) {
      if (!this.isOpen || this.wanted !== id) return;
      const { message, status } = error as ApiError;
      const isThere = status !== 400 && status !== 404; // only not to be had just now
      if (isThere) this.timer = window.setTimeout(() => void this.load(withModel), kRetryMilliseconds);
      if (isThere) notice(message, "bad");
      this.root.classList.remove("labelling");
      const words = isThere ? element("p", {}, "The question could not be had just now; it is asked for again.") : element("p", {}, "No question with this number was answered or asked so far. ", element("a", { href: "#/history" }, "History"), " lists those that were.");
      this.root.replaceChildren(element("section", { class: "card waiting" }, element("h2", {}, isThere ? "One moment" : "No such question"), words));
    }
  }

  private render(): void {
    const question = this.question!;
    const queue = this.status?.review ?? [];
    const reason = queue.find((item) => item.question === question.id)?.reason;
    const maySettle = reason !== undefined && study.role !== "annotator";
    this.ask.textContent = askedInWords(question);
    this.list.replaceChildren(
      ...(this.isQueue ? queue.slice(0, 50) : []).map(({ question: id, reason: why }) =>
        element("a", { href: `#/review/${id}`, class: "chip", "aria-current": id === question.id ? "true" : undefined, title: kReasons[why] }, `question ${id}`),
      ),
    );
    this.said.replaceChildren(...question.answers.map((answer) => this.answerInWords(answer)));
    if (reason && this.isQueue) this.said.append(element("li", { class: "quiet", id: "why" }, kReasons[reason]));
    if (question.answers.length === 0) this.said.append(element("li", { class: "quiet" }, "Nobody's answer counts at present."));
    this.bar.replaceChildren(...(maySettle ? this.choices(question) : [element("a", { class: "button", href: "#/history" }, "History"), element("a", { class: "button", href: "#/label" }, "Go on labelling")]));
    this.root.classList.add("labelling");
    this.root.replaceChildren(
      element("div", { class: "asking" }, element("div", {}, this.ask, this.list), element("div", { class: "asides" }, this.said, this.entry !== null && element("p", { class: "quiet" }, "Shown as it was when it was answered."))),
      this.sheet.root,
      this.bar,
    );
    this.sheet.show(question, this.pickedPlace(question));
    if (this.shown !== question.id) this.shownAt = performance.now();
    this.shown = question.id;
  }

  // The candidate that somebody picked is what a reviewer wants to see first.
  private pickedPlace(question: Question): number {
    const picked = question.answers.find((answer) => answer.reply === "yes")?.pair;
    const far = question.side === "A" ? picked?.b : picked?.a;
    return Math.max(0, question.candidates.findIndex((candidate) => candidate.id === far?.id));
  }

  private answerInWords(answer: Entry): HTMLElement {
    const question = this.question!;
    const chosen = answer.pair && (question.side === "A" ? answer.pair.b : answer.pair.a)?.name;
    return element(
      "li",
      {},
      `${answer.annotator} says `,
      element("span", { class: `reply ${answer.reply}` }, replyInWords(answer.reply)),
      !showsOnePair(question) && answer.reply === "yes" && `: ${chosen}`,
      answer.note && element("span", { class: "quiet" }, ` “${answer.note}”`),
    );
  }

  private choices(question: Question): HTMLElement[] {
    const isPair = showsOnePair(question);
    const settle = (key: string, reply: Reply, words: string, kind = "") => element("button", { class: kind, "data-reply": reply, "aria-keyshortcuts": key, click: () => void this.resolve(reply) }, keyHint(key), words);
    return [settle("y", "yes", "Same person", "yes"), settle("n", "no", isPair ? "Different" : "None of these", "no"), settle("x", "no-partner", "Nobody here", "nobody"), settle("u", "unsure", "Leave open")];
  }

  private async resolve(reply: Reply): Promise<void> {
    const question = this.question!;
    try {
      const outcome = await enter<Outcome>("/api/resolve", { annotator: this.annotator(), question: question.id, reply, chosen: reply === "yes" ? this.sheet.open!.id : null });
      const left = (this.status?.review.length ?? 1) - 1;
      notice(outcome.taken ? `Settled. ${left > 0 ? `${plural(left, "question")} left to review.` : "Nothing is left to review."}` : outcome.message, outcome.taken ? "good" : "bad");
    } catch (error) {
      notice((error as Error).message, "bad");
    }
    this.onChanged();
  }

  key(key: string): boolean {
    const steps: Record<string, number> = { arrowdown: 1, arrowright: 1, arrowup: -1, arrowleft: -1 };
    if (!this.question) return false;
    if (key in steps) return this.sheet.step(steps[key]);
    // A key that was meant for the last one does not settle the next.
    const button = this.bar.querySelector<HTMLButtonElement>(`button[data-reply="${kReplies[key]}"]`);
    if (!button || performance.now() - this.shownAt < kUnseenMilliseconds) return false;
    button.click();
    return true;
  }
}

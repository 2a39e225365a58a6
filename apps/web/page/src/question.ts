// The question on the screen: the sheet, the answer buttons that never move, and what one key does.
import { get, type Candidate, type Next, type Outcome, type Question, type Reply, type Status } from "./api";
import { announce, element, isEqual, keyHint, notice, plural } from "./dom";
import type { FindView } from "./find";
import { askedInWords, showsOnePair } from "./kinds";
import { Pace } from "./pace";
import { QuestionQueue, type QueueListener } from "./queue";
import { Sheet, type Panel } from "./sheet";
import { networkName, study } from "./study";

const kLearningPollMilliseconds = 400;
const kRetryMilliseconds = 2000;
const kUnseenMilliseconds = 120;
const kPaintedMilliseconds = 50; // drawing on the screen goes on beside scripts for a while

export class QuestionView implements QueueListener {
  private readonly queue: QuestionQueue;
  private readonly pace = new Pace();
  private isOpen = false;
  private question: Question | null = null; // on the screen
  private wasAway = false; // for a moment there was none to answer
  private isPainted = false;
  private isReady = false; // it has been on the screen long enough to be seen
  private shownAt = 0;
  private showsModel = false;
  private timer = 0;
  private pollTimer = 0;
  private status: Status | null = null;

  private readonly ask = element("h2", { class: "ask", id: "ask" });
  private readonly paceLine = element("p", { class: "quiet pace", id: "pace" });
  private readonly adviceLine = element("p", { class: "quiet advice-line", id: "advice-line" });
  private readonly head = element("div", { class: "asking" }, this.ask, element("div", { class: "asides" }, this.paceLine, this.adviceLine));
  private sheet = this.newSheet();
  private ahead = this.newSheet(); // the next question, laid out behind this one
  private readonly yes = this.button("y", "yes", "yes");
  private readonly no = this.button("n", "no", "no");
  private readonly nobody = this.button("x", "no-partner", "nobody", "Nobody here");
  private readonly noteInput = element("input", { id: "note", type: "text", maxlength: 1000, placeholder: "Note with this answer", "aria-label": "Note with this answer" });
  private readonly noteButton = element("button", { class: "plain spare", id: "note-button", "aria-expanded": "false", "aria-keyshortcuts": "t", click: () => this.openNote() }, keyHint("t"), "Note");
  private readonly bar = element(
    "div",
    { class: "answers", role: "group", "aria-label": "Your answer" },
    this.noteInput,
    this.yes,
    this.no,
    this.nobody,
    this.button("u", "unsure", "", "Unsure"),
    this.button("s", "skip", "", "Skip"),
    element("button", { class: "plain", "data-reply": "undo", "aria-keyshortcuts": "z", click: () => void this.queue.undo() }, keyHint("z"), "Undo"),
    this.noteButton,
  );

  constructor(
    private readonly root: HTMLElement,
    private readonly annotator: () => string,
    private readonly find: FindView,
    private readonly onAnswered: () => void,
  ) {
    this.queue = new QuestionQueue(annotator, this);
    this.noteInput.hidden = true;
    this.noteInput.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      if (event.key === "Escape") this.noteInput.value = "";
      event.preventDefault();
      this.noteInput.hidden = this.noteInput.value === "";
      this.noteButton.setAttribute("aria-expanded", String(!this.noteInput.hidden));
      this.noteButton.focus();
    });
  }

  private button(key: string, reply: Reply, kind: string, words = ""): HTMLButtonElement {
    return element("button", { class: kind, "data-reply": reply, "aria-keyshortcuts": key, click: () => this.answer(reply) }, keyHint(key), element("span", {}, words));
  }

  private newSheet(): Sheet {
    return new Sheet((candidate) => this.answer("yes", candidate.id), () => void this.reveal());
  }

  async open(): Promise<void> {
    this.isOpen = true;
    void this.pace.load(this.annotator()).then(() => this.drawPace(), () => undefined);
    await this.queue.load();
  }

  know(status: Status): void {
    this.status = status;
    this.drawPace();
  }

  // Something changed at the server: there may be questions again.
  refresh(): void {
    if (this.isOpen && this.queue.waiting) void this.queue.load();
  }

  forget(): void {
    this.queue.clear();
  }

  close(): void {
    this.isOpen = false;
    this.question = null;
    this.destroySheets();
    clearTimeout(this.pollTimer);
    clearTimeout(this.timer);
    this.root.removeAttribute("aria-busy");
    this.root.classList.remove("labelling");
    delete this.root.dataset.ready;
    delete this.root.dataset.question;
    this.find.close();
  }

  private destroySheets(): void {
    this.sheet.destroy();
    this.ahead.destroy();
  }

  changed(): void {
    if (!this.isOpen) return;
    clearTimeout(this.pollTimer);
    const next = this.queue.current;
    this.root.toggleAttribute("aria-busy", !next);
    if (!next) {
      this.wasAway = true;
      this.isReady = false;
      delete this.root.dataset.ready;
      if (this.queue.waiting) this.renderWaiting(this.queue.waiting);
      return;
    }
    const isBack = this.wasAway; // after an undo or an answer that came to nothing, the same question
    this.wasAway = false;
    if (next.id !== this.question?.id) this.start(next);
    else if (isBack) this.awaitEyes(next);
    else if (!this.showsModel && !isEqual(next, this.question)) this.update(next);
    if (this.isPainted) this.layOutNext();
  }

  saved(outcome: Outcome, reply: Reply): void {
    if (!outcome.taken) notice(outcome.message, "bad");
    else if (outcome.disputed) notice("Saved. Somebody answered this otherwise: see Review.", "plain");
    else if (outcome.settled > 0) notice(`Saved. ${plural(outcome.settled, "pair")} settled.`, "good");
    else notice(reply === "skip" ? "Skipped." : "Saved.", "good");
    if (outcome.taken && reply !== "skip") this.pace.answered();
    this.drawPace();
    this.onAnswered();
  }

  takenBack(outcome: Outcome): void {
    if (!outcome.taken) notice(outcome.message, "bad");
    else if (outcome.settled < 0) notice(`Taken back. ${plural(-outcome.settled, "pair")} open again.`, "good");
    else notice("Taken back.", "good");
    if (outcome.taken) this.pace.takenBack();
    this.drawPace();
    this.onAnswered();
  }

  failed(words: string): void {
    notice(words, "bad");
    if (this.isOpen && !this.question && !this.root.querySelector(".waiting")) this.root.replaceChildren(element("section", { class: "card waiting", role: "alert" }, element("h2", {}, "No question can be had just now"), element("p", { class: "message" }, words)));
    if (this.isOpen && !this.queue.current) this.pollTimer = window.setTimeout(() => void this.queue.load(), kRetryMilliseconds);
  }

  private drawPace(): void {
    this.paceLine.textContent = this.pace.inWords(this.status?.answers ?? 0, study.budget);
    this.adviceLine.textContent = this.status && this.status.rounds.length > 0 ? this.status.advice.sentence : "";
    this.adviceLine.title = this.status?.advice.words ?? "";
  }

  private start(question: Question): void {
    this.question = question;
    this.showsModel = false;
    this.isPainted = false;
    this.isReady = false;
    delete this.root.dataset.ready;
    this.noteInput.value = "";
    if (document.activeElement !== this.noteInput) this.noteInput.hidden = true;
    this.render();
    const [first] = question.candidates;
    const whom = showsOnePair(question) ? `${question.user.name} and ${first.name}.` : `${plural(question.candidates.length, "candidate")}, first ${first.name}.`;
    announce(`${askedInWords(question)} ${whom} ${first.evidence.words}`);
    this.awaitEyes(question);
  }

  // Nobody answers a question before having seen it: a key that was meant for the last one, or
  // bounced, does not count. Two frames paint it; no person reacts within the pause after that.
  private awaitEyes(question: Question): void {
    clearTimeout(this.timer);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.timer = window.setTimeout(() => {
          if (!this.isOn(question)) return;
          this.isReady = true;
          this.shownAt = performance.now();
          this.root.dataset.ready = String(question.id);
        }, kUnseenMilliseconds);
        window.setTimeout(() => {
          if (!this.isOn(question)) return;
          this.isPainted = true;
          this.layOutNext();
        }, kPaintedMilliseconds);
      }),
    );
  }

  private isOn(question: Question): boolean {
    return this.question?.id === question.id && this.queue.current?.id === question.id;
  }

  // An answer has only to bring it to the front: its card and drawing are made, and their places known.
  private layOutNext(): void {
    const next = this.queue.upcoming[0];
    if (next && !this.ahead.isReadyFor(next, this.sheet.panelShown)) this.ahead.begin(next, this.sheet.panelShown);
  }

  private bringForward(): void {
    [this.sheet, this.ahead] = [this.ahead, this.sheet];
    this.sheet.putAhead(false);
    this.sheet.takeFocusFrom(this.ahead);
    this.ahead.putAhead(true);
  }

  // The same question with newer evidence; numbers of candidates stay unless somebody settled one.
  private update(question: Question): void {
    if (question.candidates.length !== this.question!.candidates.length) {
      this.start(question);
      return;
    }
    this.question = question;
    this.render();
  }

  private renderWaiting(next: Next): void {
    this.destroySheets();
    this.question = null;
    delete this.root.dataset.question;
    this.root.classList.remove("labelling");
    const title = { learning: "One moment", nothing: "All done", failed: "The model cannot learn yet", question: "One moment" }[next.state];
    const isFailed = next.state === "failed";
    if (!(isFailed && this.find.isShown)) {
      this.find.close();
      this.root.replaceChildren(
        element(
          "section",
          { class: "card waiting", "aria-busy": next.state === "learning", "data-state": next.state, role: isFailed ? "alert" : undefined },
          element("h2", {}, title),
          isFailed && element("p", {}, study.takesPairs ? "Find pairs below, or import known ones on " : "Known pairs can be imported on ", element("a", { href: "#/progress" }, "Progress"), ". Learning then goes on by itself."),
          element("p", { class: isFailed ? "quiet message" : "message" }, next.message),
        ),
      );
      if (isFailed && study.takesPairs) void this.find.openBelow(this.root);
    } else {
      this.root.querySelector(".waiting .message")!.textContent = next.message;
    }
    if (next.state !== "nothing") this.pollTimer = window.setTimeout(() => void this.queue.load(), isFailed ? kRetryMilliseconds : kLearningPollMilliseconds);
  }

  private render(): void {
    const question = this.question!;
    const isPair = showsOnePair(question);
    this.ask.textContent = askedInWords(question);
    if (question.kind === "partner" && study.takesPairs) this.ask.append(" ", element("a", { class: "search", href: `#/find/${question.side}/${question.user.id}` }, "Search"));
    this.bar.dataset.kind = question.kind;
    this.yes.lastElementChild!.textContent = "Same person";
    this.no.lastElementChild!.textContent = isPair ? "Different" : "None of these";
    this.nobody.title = `${question.user.name} has no partner in ${networkName(question.side === "A" ? "B" : "A")}`;
    this.noteButton.hidden = !this.status?.takes_notes;
    if (this.sheet.root.parentElement !== this.root) {
      this.find.close();
      this.root.classList.add("labelling");
      this.ahead.putAhead(true);
      this.root.replaceChildren(this.head, this.sheet.root, this.ahead.root, this.bar);
    }
    if (this.ahead.isReadyFor(question, this.sheet.panelShown)) this.bringForward();
    else this.sheet.show(question);
    this.root.dataset.question = String(question.id);
  }

  private openNote(): void {
    this.noteInput.hidden = false;
    this.noteButton.setAttribute("aria-expanded", "true");
    this.noteInput.focus();
  }

  async reveal(): Promise<void> {
    if (!this.question || this.showsModel) return;
    const { id } = this.question;
    try {
      const full = await get<Question>("/api/question", { id, model: 1 });
      if (this.question?.id !== id) return;
      const open = new Set(this.question.candidates.map((candidate) => candidate.id));
      full.candidates = full.candidates.filter((candidate) => open.has(candidate.id));
      this.question = full;
      this.showsModel = true;
      this.sheet.show(full);
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  answer(reply: Reply, chosen?: number): void {
    const question = this.question;
    if (!question || !this.isReady) return;
    if (reply === "yes" && chosen === undefined) chosen = (this.sheet.open as Candidate).id;
    this.isReady = false;
    this.queue.answer(reply, reply === "yes" ? chosen! : null, (performance.now() - this.shownAt) / 1000, this.noteInput.value.trim());
  }

  key(key: string): boolean {
    if (key === "z") {
      void this.queue.undo();
      return true;
    }
    if (!this.question) return false;
    const replies: Record<string, Reply> = { y: "yes", n: "no", x: "no-partner", u: "unsure", s: "skip" };
    const panels: Record<string, Panel> = { m: "Model", c: "Contacts", o: "Others", g: "Guidelines" };
    const steps: Record<string, number> = { arrowdown: 1, arrowright: 1, arrowup: -1, arrowleft: -1 };
    if (key in panels) this.sheet.turnTo(panels[key] === this.sheet.panelShown ? "Contacts" : panels[key]);
    else if (key === "t" && this.status?.takes_notes) this.openNote();
    else if (key in replies) this.answer(replies[key]);
    else if (key in steps) return this.sheet.step(steps[key]);
    else if (/^[1-9]$/.test(key)) {
      const candidate = this.question.candidates[Number(key) - 1];
      if (!candidate || showsOnePair(this.question)) return false;
      this.answer("yes", candidate.id);
    } else return false;
    return true;
  }
}

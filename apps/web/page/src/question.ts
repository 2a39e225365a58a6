// One question: the two users, what speaks for and against, and the answers.
import type cytoscape from "cytoscape";
import { get, type Candidate, type Next, type Outcome, type Question, type Reply, type User } from "./api";
import { announce, element, grouped, isEqual, notice, plural } from "./dom";
import { drawNeighbourhoods } from "./graph";
import { QuestionQueue, type QueueListener } from "./queue";

const kLearningPollMilliseconds = 400;
const kRetryMilliseconds = 2000;
const kUnseenMilliseconds = 120;

function profileOf(user: User): HTMLElement | null {
  if (user.profile.length === 0) return null;
  const list = element("dl", { class: "profile" });
  for (const { column, value } of user.profile) list.append(element("dt", {}, column), element("dd", {}, value));
  return list;
}

function card(user: User, title: string): HTMLElement {
  return element(
    "section",
    { class: `card user side-${user.side}`, "aria-label": `${title}: ${user.name}` },
    element("p", { class: "side" }, title),
    element("h2", { class: "name" }, user.name),
    element("p", { class: "quiet" }, plural(user.contacts, "contact")),
    profileOf(user),
  );
}

// A selector for the button that has the focus, so that the one in its place gets it again.
function focusIn(root: HTMLElement): string | null {
  const focused = document.activeElement as HTMLElement | null;
  if (!focused || !root.contains(focused)) return null;
  if (focused.dataset.reply) return `[data-reply="${focused.dataset.reply}"]`;
  if (focused.dataset.place) return '[data-place="0"]';
  return null;
}

function ordinal(rank: number): string {
  return Number.isInteger(rank) ? `#${grouped(rank)}` : `#${grouped(Math.round(rank))}, tied`;
}

export class QuestionView implements QueueListener {
  private readonly queue: QuestionQueue;
  private isOpen = false;
  private question: Question | null = null; // on the screen
  private isReady = false; // it has been on the screen long enough to be seen
  private shownAt = 0;
  private picture: cytoscape.Core | null = null;
  private candidate = 0;
  private showsModel = false;
  private timer = 0;
  private pollTimer = 0;

  constructor(
    private readonly root: HTMLElement,
    annotator: () => string,
    private readonly onAnswered: () => void,
  ) {
    this.queue = new QuestionQueue(annotator, this);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.question && this.render());
  }

  async open(): Promise<void> {
    this.isOpen = true;
    await this.queue.load();
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
    this.picture?.destroy();
    this.picture = null;
    clearTimeout(this.pollTimer);
    clearTimeout(this.timer);
    this.root.removeAttribute("aria-busy");
  }

  changed(): void {
    if (!this.isOpen) return;
    clearTimeout(this.pollTimer);
    const next = this.queue.current;
    this.root.toggleAttribute("aria-busy", !next);
    if (!next) {
      this.isReady = false;
      delete this.root.dataset.ready;
      if (this.queue.waiting) this.renderWaiting(this.queue.waiting);
      return;
    }
    if (next.id !== this.question?.id) this.start(next);
    else if (!this.showsModel && !isEqual(next, this.question)) this.update(next);
  }

  saved(outcome: Outcome, reply: Reply): void {
    if (!outcome.taken) notice(outcome.message, "bad");
    else if (outcome.disputed) notice("Saved. Somebody answered this otherwise: see Progress.", "plain");
    else if (outcome.settled > 0)
      notice(`Saved. ${plural(outcome.settled, "pair is", "pairs are")} settled by this answer.`, "good");
    else notice(reply === "skip" ? "Skipped." : "Saved.", "good");
    this.onAnswered();
  }

  takenBack(outcome: Outcome): void {
    if (!outcome.taken) notice(outcome.message, "bad");
    else if (outcome.settled < 0) notice(`Taken back. ${plural(-outcome.settled, "pair is", "pairs are")} open again.`, "good");
    else notice("Taken back.", "good");
    this.onAnswered();
  }

  failed(words: string): void {
    notice(words, "bad");
    if (this.isOpen && !this.queue.current) this.pollTimer = window.setTimeout(() => void this.queue.load(), kRetryMilliseconds);
  }

  private start(question: Question): void {
    this.question = question;
    this.candidate = 0;
    this.showsModel = false;
    this.isReady = false;
    delete this.root.dataset.ready;
    this.render();
    announce(`${this.ask(question)} ${question.user.name}${question.kind === "pair" ? ` and ${question.candidates[0].name}` : ""}. ${question.candidates[0].evidence.words}`);
    window.scrollTo({ top: 0 });
    // Nobody answers a question before having seen it: a key that was meant for the last one, or
    // bounced, does not count. Two frames paint it; no person reacts within the pause after that.
    clearTimeout(this.timer);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.timer = window.setTimeout(() => {
          if (this.question?.id !== question.id || this.queue.current?.id !== question.id) return;
          this.isReady = true;
          this.shownAt = performance.now();
          this.root.dataset.ready = String(question.id);
        }, kUnseenMilliseconds);
      }),
    );
  }

  // The same question with newer evidence; numbers of candidates stay unless somebody settled one.
  private update(question: Question): void {
    const isShorter = question.candidates.length !== this.question!.candidates.length;
    if (isShorter) {
      this.start(question);
      return;
    }
    this.question = question;
    this.render();
  }

  private renderWaiting(next: Next): void {
    this.picture?.destroy();
    this.picture = null;
    this.question = null;
    const title = { learning: "One moment", nothing: "All done", failed: "Cannot learn yet", question: "One moment" }[next.state];
    this.root.replaceChildren(
      element(
        "section",
        { class: "card waiting", "aria-busy": next.state === "learning" },
        element("h2", {}, title),
        element("p", {}, next.message),
        next.state === "failed" &&
          element("p", { class: "quiet" }, "Import known pairs on the Progress page to begin with."),
      ),
    );
    if (next.state !== "nothing")
      this.pollTimer = window.setTimeout(() => void this.queue.load(), kLearningPollMilliseconds);
  }

  private ask(question: Question): string {
    return question.kind === "pair" ? "Are these two accounts the same person?" : `Which of these is ${question.user.name}?`;
  }

  private render(): void {
    const question = this.question!;
    const focused = focusIn(this.root);
    this.picture?.destroy();
    const picture = element("div", { class: "picture" });
    const shown = question.candidates[this.candidate];
    const frame = element(
      "figure",
      { class: "card graph", role: "img", "aria-label": this.pictureInWords(question, shown) },
      picture,
      this.legend(),
    );
    const isPair = question.kind === "pair";
    const left = question.side === "A" ? question.user : shown;
    const right = question.side === "A" ? shown : question.user;
    this.root.replaceChildren(
      element("h2", { class: "ask", id: "ask" }, this.ask(question)),
      ...(isPair
        ? [
            element("div", { class: "pair" }, card(left, "Network A"), card(right, "Network B")),
            element("p", { class: "evidence" }, shown.evidence.words),
            this.buttons(question),
            frame,
          ]
        : [
            element(
              "div",
              { class: "pick" },
              card(question.user, `Network ${question.side}`),
              element("div", { class: "choice" }, this.candidates(question), this.buttons(question)),
              frame,
            ),
          ]),
      this.modelView(question, shown),
      this.rivals(question),
    );
    this.picture = drawNeighbourhoods(picture, left, right, shown.evidence);
    if (focused) this.root.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
  }

  private candidates(question: Question): HTMLElement {
    const list = element("ol", { class: "candidates", "aria-label": "Candidates" });
    question.candidates.forEach((candidate, place) => {
      list.append(
        element(
          "li",
          {},
          element(
            "button",
            {
              class: place === this.candidate ? "candidate shown" : "candidate",
              "data-place": place,
              click: () => this.answer("yes", candidate.id),
              mouseenter: () => this.show(place),
              focus: () => this.show(place),
            },
            element("kbd", {}, place + 1),
            element("span", { class: "name" }, candidate.name),
            element("span", { class: "quiet" }, plural(candidate.contacts, "contact")),
            element("span", { class: "words" }, candidate.evidence.words),
            candidate.profile.length > 0 &&
              element("span", { class: "words" }, ...candidate.profile.map(({ column, value }) => element("span", { class: "cell" }, element("span", { class: "quiet" }, `${column} `), value))),
          ),
        ),
      );
    });
    return list;
  }

  // Shows the neighbourhood of another candidate without rebuilding what has the focus.
  private show(place: number): void {
    const question = this.question;
    if (!question || place === this.candidate) return;
    this.candidate = place;
    const shown = question.candidates[place];
    this.root.querySelectorAll(".candidate").forEach((button, index) => button.classList.toggle("shown", index === place));
    this.root.querySelector(".graph")!.setAttribute("aria-label", this.pictureInWords(question, shown));
    this.picture?.destroy();
    const left = question.side === "A" ? question.user : shown;
    const right = question.side === "A" ? shown : question.user;
    this.picture = drawNeighbourhoods(this.root.querySelector(".picture")!, left, right, shown.evidence);
    this.root.querySelector(".model")!.replaceWith(this.modelView(question, shown));
  }

  private buttons(question: Question): HTMLElement {
    const button = (key: string, words: string, reply: Reply, kind: string) =>
      element("button", { class: kind, "data-reply": reply, click: () => this.answer(reply) }, element("kbd", {}, key), words);
    const isPair = question.kind === "pair";
    return element(
      "div",
      { class: "answers", role: "group", "aria-label": "Your answer" },
      isPair && button("y", "Same person", "yes", "yes"),
      button("n", isPair ? "Different" : "None of these", "no", "no"),
      button("u", "Unsure", "unsure", ""),
      button("s", "Skip", "skip", ""),
      element("button", { class: "plain", "data-reply": "undo", click: () => void this.queue.undo() }, element("kbd", {}, "z"), "Undo"),
    );
  }

  private legend(): HTMLElement {
    const item = (kind: string, words: string) => element("li", {}, element("span", { class: `dot ${kind}` }), words);
    return element(
      "figcaption",
      {},
      element(
        "ul",
        { class: "legend" },
        item("shared", "contact of both: same colour, same person"),
        item("elsewhere", "matched, but to no contact of the other"),
        item("open", "not matched yet"),
        this.showsModel && item("likely", "one person, the model thinks"),
      ),
    );
  }

  private pictureInWords(question: Question, shown: Candidate): string {
    const names = shown.evidence.contacts_a.filter((contact) => contact.kind === "shared").map((contact) => contact.name);
    return `Contacts of ${question.user.name} and of ${shown.name}. ${shown.evidence.words}${names.length > 0 ? ` Shared: ${names.join(", ")}.` : ""}`;
  }

  private modelView(question: Question, shown: Candidate): HTMLElement {
    if (!this.showsModel)
      return element(
        "section",
        { class: "model" },
        element("button", { class: "plain", click: () => this.reveal() }, element("kbd", {}, "m"), "Show what the model thinks"),
      );
    return element(
      "section",
      { class: "model card", "aria-label": "What the model thinks" },
      element("p", {}, `The model gives them ${Math.round(100 * (shown.probability ?? 0))} %.`),
      shown.rank_of_candidate !== undefined &&
        element(
          "p",
          {},
          `${shown.name} is ${ordinal(shown.rank_of_candidate)} for ${question.user.name}; ${question.user.name} is ${ordinal(shown.rank_of_user!)} for ${shown.name}.`,
        ),
      element("p", { class: "quiet" }, `Asked by strategy ${question.strategy} in round ${question.round}.`),
    );
  }

  private rivals(question: Question): HTMLElement | string {
    if (question.rivals.length === 0) return "";
    const list = element("ul", { class: "rivals" });
    for (const rival of question.rivals)
      list.append(
        element(
          "li",
          {},
          element("span", { class: "quiet" }, `${rival.side} `),
          rival.name,
          element("span", { class: "quiet" }, ` ${plural(rival.contacts, "contact")}${rival.probability === undefined ? "" : `, ${Math.round(100 * rival.probability)} %`}`),
        ),
      );
    return element("details", { class: "card" }, element("summary", {}, `${plural(question.rivals.length, "rival")}: who else might fit`), list);
  }

  async reveal(): Promise<void> {
    if (!this.question || this.showsModel) return;
    try {
      const full = await get<Question>("/api/question", { id: this.question.id, model: 1 });
      const open = new Set(this.question.candidates.map((candidate) => candidate.id));
      full.candidates = full.candidates.filter((candidate) => open.has(candidate.id));
      this.question = full;
      this.showsModel = true;
      this.render();
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  answer(reply: Reply, chosen?: number): void {
    const question = this.question;
    if (!question || !this.isReady) return;
    if (reply === "yes" && chosen === undefined) {
      if (question.kind === "pick") return;
      chosen = question.candidates[0].id;
    }
    this.isReady = false;
    this.queue.answer(reply, reply === "yes" ? chosen! : null, (performance.now() - this.shownAt) / 1000);
  }

  key(key: string): boolean {
    if (key === "z") {
      void this.queue.undo();
      return true;
    }
    if (!this.question) return false;
    const replies: Record<string, Reply> = { y: "yes", n: "no", u: "unsure", s: "skip" };
    if (key === "m") void this.reveal();
    else if (key in replies) this.answer(replies[key]);
    else if (/^[1-9]$/.test(key)) {
      const candidate = this.question.candidates[Number(key) - 1];
      if (!candidate || this.question.kind !== "pick") return false;
      this.answer("yes", candidate.id);
    } else return false;
    return true;
  }
}

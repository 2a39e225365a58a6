// One question: the two users, what speaks for and against, and the answers.
import type cytoscape from "cytoscape";
import { ApiError, get, post, type Candidate, type Next, type Outcome, type Question, type Reply, type User } from "./api";
import { element, grouped, notice, plural } from "./dom";
import { drawNeighbourhoods } from "./graph";

const kLearningPollMilliseconds = 700;

function profileOf(user: User): HTMLElement | null {
  if (user.profile.length === 0) return null;
  const list = element("dl", { class: "profile" });
  for (const { column, value } of user.profile) list.append(element("dt", {}, column), element("dd", {}, value));
  return list;
}

function card(user: User, title: string): HTMLElement {
  return element(
    "section",
    { class: "card user", "aria-label": `${title}: ${user.name}` },
    element("p", { class: "quiet" }, title),
    element("h2", { class: "name" }, user.name),
    element("p", { class: "quiet" }, plural(user.contacts, "contact")),
    profileOf(user),
  );
}

function ordinal(rank: number): string {
  return Number.isInteger(rank) ? `#${grouped(rank)}` : `#${grouped(Math.round(rank))}, tied`;
}

export class QuestionView {
  private question: Question | null = null;
  private shownAt = 0;
  private picture: cytoscape.Core | null = null;
  private candidate = 0;
  private showsModel = false;
  private isSending = false;
  private pollTimer = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly annotator: () => string,
    private readonly onAnswered: () => void,
  ) {}

  async load(): Promise<void> {
    clearTimeout(this.pollTimer);
    try {
      const next = await get<Next>("/api/next", { annotator: this.annotator() });
      if (next.question && next.question.id === this.question?.id && this.picture) return;
      this.question = next.question;
      this.candidate = 0;
      this.showsModel = false;
      if (next.question) {
        this.shownAt = performance.now();
        this.render();
      } else {
        this.renderWaiting(next);
      }
    } catch (error) {
      notice((error as Error).message, "bad");
      this.pollTimer = window.setTimeout(() => this.load(), 2000);
    }
  }

  close(): void {
    clearTimeout(this.pollTimer);
    this.picture?.destroy();
    this.picture = null;
    this.question = null;
  }

  private renderWaiting(next: Next): void {
    this.picture?.destroy();
    this.picture = null;
    const title = { learning: "One moment", nothing: "All done", failed: "Cannot learn yet", question: "" }[next.state];
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
      this.pollTimer = window.setTimeout(() => this.load(), kLearningPollMilliseconds);
  }

  private render(): void {
    const question = this.question!;
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
      element("h2", { class: "ask", id: "ask" }, isPair ? "Are these two accounts the same person?" : `Which of these is ${question.user.name}?`),
      isPair
        ? element("div", { class: "pair" }, card(left, "Network A"), card(right, "Network B"))
        : element("div", { class: "pick" }, card(question.user, `Network ${question.side}`), this.candidates(question)),
      element("p", { class: "evidence", id: "evidence" }, shown.evidence.words),
      this.buttons(question),
      frame,
      this.modelView(question, shown),
      this.rivals(question),
    );
    this.picture = drawNeighbourhoods(picture, left, right, shown.evidence);
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
            element("span", { class: "quiet" }, `${plural(candidate.contacts, "contact")}. ${candidate.evidence.words}`),
            ...candidate.profile.map(({ column, value }) => element("span", { class: "quiet" }, `${column}: ${value}`)),
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
    this.root.querySelector("#evidence")!.textContent = shown.evidence.words;
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
      element("button", { class: "plain", "data-reply": "undo", click: () => this.undo() }, element("kbd", {}, "z"), "Undo"),
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

  async answer(reply: Reply, chosen?: number): Promise<void> {
    const question = this.question;
    if (!question || this.isSending) return;
    if (reply === "yes" && chosen === undefined) {
      if (question.kind === "pick") return;
      chosen = question.candidates[0].id;
    }
    this.isSending = true;
    try {
      const outcome = await post<Outcome>("/api/answer", {
        annotator: this.annotator(),
        question: question.id,
        reply,
        chosen: reply === "yes" ? chosen : null,
        seconds: (performance.now() - this.shownAt) / 1000,
      });
      this.report(outcome, reply);
      if (outcome.taken || outcome.message) this.question = null;
      await this.load();
    } catch (error) {
      const words = error instanceof ApiError && error.status !== 0 ? `Not saved: ${error.message}` : (error as Error).message;
      notice(words, "bad");
    } finally {
      this.isSending = false;
    }
    this.onAnswered();
  }

  private report(outcome: Outcome, reply: Reply): void {
    if (!outcome.taken) notice(outcome.message, "bad");
    else if (outcome.disputed) notice("Saved. Somebody answered this otherwise: see Progress.", "plain");
    else if (outcome.settled > 0)
      notice(`Saved. ${plural(outcome.settled, "pair is", "pairs are")} settled by this answer.`, "good");
    else notice(reply === "skip" ? "Skipped." : "Saved.", "good");
  }

  async undo(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      const outcome = await post<Outcome>("/api/undo", { annotator: this.annotator() });
      if (outcome.taken)
        notice(
          outcome.settled < 0
            ? `Taken back. ${plural(-outcome.settled, "pair is", "pairs are")} open again.`
            : "Taken back.",
          "good",
        );
      else notice(outcome.message, "bad");
      this.question = null;
      await this.load();
    } catch (error) {
      notice((error as Error).message, "bad");
    } finally {
      this.isSending = false;
    }
    this.onAnswered();
  }

  key(key: string): boolean {
    if (!this.question) {
      if (key === "z") void this.undo();
      return key === "z";
    }
    const replies: Record<string, Reply> = { y: "yes", n: "no", u: "unsure", s: "skip" };
    if (key === "z") void this.undo();
    else if (key === "m") void this.reveal();
    else if (key in replies) void this.answer(replies[key]);
    else if (/^[1-9]$/.test(key)) {
      const candidate = this.question.candidates[Number(key) - 1];
      if (!candidate || this.question.kind !== "pick") return false;
      void this.answer("yes", candidate.id);
    } else return false;
    return true;
  }
}

// One question laid out: the candidates of a pick question, the comparison card of the one that is
// open, and beside it a panel with the drawing, guidelines, others who fit, and the model's view.
// Every view that shows a question shows this.
import { comparisonCard, inShort } from "./card";
import type { Candidate, Question, User } from "./api";
import { announce, element, grouped, isEqual, plural } from "./dom";
import { drawNeighbourhoods } from "./graph";
import { markdown } from "./markdown";
import { fieldLabel } from "./compare";
import { networkName, study } from "./study";

export type Panel = "Contacts" | "Guidelines" | "Others" | "Model";
let sheetCount = 0;
const kConfirmAfterMilliseconds = 250; // a bounced tap must not confirm what it has just opened

// Never 0 or 100 %: the model is never certain.
function chance(probability: number): string {
  const percent = Math.round(100 * probability);
  return percent < 1 ? "less than 1\u00a0%" : percent > 99 ? "more than 99\u00a0%" : `${percent}\u00a0%`;
}

function ordinal(rank: number): string {
  return Number.isInteger(rank) ? `#${grouped(rank)}` : `#${grouped(Math.round(rank))}, tied`;
}

const signed = (ratio: number) => `${ratio < 0 ? "−" : "+"}${Math.abs(ratio).toFixed(1)}`;

// A field as the comparison card calls it; the model's name of a mapped one is "a=b".
function shownField(name: string): string {
  const mapped = study.compare.find(({ a, b }) => `${a}=${b}` === name);
  return mapped ? fieldLabel(mapped) : name;
}

// What each attribute adds to the model's view of a pair: "location +2.1 of +3.4".
function fieldShares(fields: NonNullable<Candidate["fields"]>): HTMLElement {
  const total = fields.reduce((sum, { ratio }) => sum + ratio, 0);
  const longest = Math.max(...fields.map(({ ratio }) => Math.abs(ratio)));
  const bar = (ratio: number) => {
    const drawn = element("span", { class: ratio < 0 ? "bar against" : "bar", "aria-hidden": "true" });
    drawn.style.width = `${((100 * Math.abs(ratio)) / longest).toFixed(0)}%`;
    return element("span", { class: "track" }, drawn);
  };
  return element(
    "div",
    { class: "shares" },
    element("p", { title: "Natural logarithm of the odds: +1 makes one person 2.7 times likelier, +2.3 ten times." }, `The compared fields add ${signed(total)} to the log-odds that they are one person:`),
    element("ul", {}, ...fields.map(({ name, ratio }) => element("li", {}, element("span", { class: "field" }, shownField(name)), bar(ratio), element("span", { class: "amount" }, signed(ratio))))),
  );
}

export class Sheet {
  readonly root = element("div", { class: "sheet" });
  private readonly number = ++sheetCount;
  private readonly list = element("ol", { class: "candidates", "aria-label": "Candidates" });
  private readonly place = element("div", { class: "opened" });
  private readonly tabs = element("div", { class: "panel-tabs", role: "tablist", "aria-label": "What to see" });
  private readonly body = element("div", { class: "panel-body", role: "tabpanel", tabindex: 0 });
  private readonly side = element("aside", { class: "card panel", "aria-label": "Beside the question" }, this.tabs, this.body);
  // The drawing's place stays the same one: its size is known without laying out the page anew.
  private readonly picture = element("div", { class: "picture", role: "img" });
  private readonly undrawn = element("li", { class: "undrawn" });
  private size = { width: 0, height: 0 };
  private question: Question | null = null;
  private panel: Panel = "Contacts";
  private opened = 0;
  private openedAt = 0;
  private legendKind = "";
  private isChosen = false; // somebody opened it: the next tap on it confirms

  // `confirm`: somebody chose a candidate; without it candidates can only be opened.
  // `reveal`: somebody wants to see what the model thinks; without it there is nothing to see.
  constructor(
    private readonly confirm?: (candidate: Candidate) => void,
    private readonly reveal?: () => void,
  ) {
    this.root.append(this.list, this.place, this.side);
    let redraw = 0;
    new ResizeObserver(() => {
      cancelAnimationFrame(redraw);
      redraw = requestAnimationFrame(() => {
        if (!this.question || this.panel !== "Contacts") return;
        const { clientWidth: width, clientHeight: height } = this.picture;
        if (width === 0 || (width === this.size.width && height === this.size.height)) return;
        this.size = { width, height };
        this.draw();
      });
    }).observe(this.picture);
  }

  get open(): Candidate | null {
    return this.question?.candidates[this.opened] ?? null;
  }

  // Whether it shows exactly this, as a new question begins.
  isReadyFor(question: Question, panel: Panel): boolean {
    return this.opened === 0 && !this.isChosen && this.panel === this.panelFor(question, panel) && isEqual(this.question, question);
  }

  // Behind another one with the next question, or in front. What has the focus in the one that was in front has it here.
  putAhead(isAhead: boolean): void {
    this.root.classList.toggle("ahead", isAhead);
    this.root.inert = isAhead;
  }
  takeFocusFrom(other: Sheet): void {
    const held = document.activeElement as HTMLElement | null;
    if (!held || !other.root.contains(held)) return;
    const { place, panel } = held.dataset;
    const alike = place ? `[data-place="${place}"]` : panel ? `[data-panel="${panel}"]` : ".rows";
    (this.root.querySelector<HTMLElement>(alike) ?? this.body).focus({ preventScroll: true });
  }

  // What the model thinks of a question is not shown until asked for.
  private panelFor(question: Question, panel: Panel): Panel {
    return panel === "Model" || (panel === "Others" && question.rivals.length === 0) ? "Contacts" : panel;
  }

  // As a new question begins, with this panel open.
  begin(question: Question, panel: Panel): void {
    this.question = null;
    this.panel = panel;
    this.show(question);
  }

  // A new question begins with its first candidate, or the one at `place`; the same question again
  // stays as it is.
  show(question: Question, place = 0): void {
    const isSame = this.question?.id === question.id && this.question.candidates.length === question.candidates.length;
    this.question = question;
    if (!isSame) {
      this.opened = place;
      this.isChosen = false;
      this.panel = this.panelFor(question, this.panel);
    }
    if (this.panel === "Others") this.panel = this.panelFor(question, this.panel);
    this.root.classList.toggle("pick", question.candidates.length > 1);
    this.renderList();
    this.renderOpened();
    this.renderTabs();
  }

  destroy(): void {
    this.question = null;
  }

  // By arrow keys: the next or the one before, round and round.
  step(by: number): boolean {
    const count = this.question?.candidates.length ?? 0;
    if (count < 2) return false;
    const hadFocus = this.list.contains(document.activeElement);
    this.choose((this.opened + by + count) % count);
    if (hadFocus) this.list.querySelectorAll("button")[this.opened].focus();
    return true;
  }

  turnTo(panel: Panel): void {
    if (panel === "Model" && this.question?.strategy === undefined) {
      this.panel = panel;
      this.reveal?.();
      return;
    }
    this.panel = panel;
    this.renderTabs();
  }
  get panelShown(): Panel {
    return this.panel;
  }

  private choose(place: number): void {
    this.isChosen = true;
    this.openedAt = performance.now();
    this.opened = place;
    this.renderList();
    this.renderOpened();
    if (this.panel === "Contacts" || this.panel === "Model") this.renderPanel();
    const signs = inShort(this.question!.user, this.open!).replace("=", "Equal:").replace("≈", "Similar:");
    announce(`${place + 1} of ${this.question!.candidates.length}: ${this.open!.name}. ${this.open!.evidence.words} ${signs}`);
  }

  private tap(place: number): void {
    const isConfirmed = this.isChosen && place === this.opened && this.confirm && performance.now() - this.openedAt > kConfirmAfterMilliseconds;
    if (isConfirmed) this.confirm!(this.question!.candidates[place]);
    else this.choose(place);
  }

  // The buttons stay the same ones while only their state changes: whoever has the focus keeps it.
  private renderList(): void {
    const { candidates, user } = this.question!;
    this.list.hidden = candidates.length < 2;
    if (this.list.hidden) {
      this.list.replaceChildren();
      return;
    }
    while (this.list.childElementCount > candidates.length) this.list.lastElementChild!.remove();
    candidates.forEach((candidate, place) => {
      if (!this.list.children[place]) this.list.append(element("li", {}, element("button", { class: "candidate", "data-place": place, click: () => this.tap(place) })));
      const button = this.list.children[place].firstElementChild as HTMLElement;
      const isOpen = place === this.opened;
      button.classList.toggle("shown", isOpen);
      button.setAttribute("aria-pressed", String(isOpen));
      const { shared, matched } = candidate.evidence;
      button.replaceChildren(
        element("kbd", {}, place + 1),
        element("span", { class: "name" }, candidate.name),
        element("span", { class: "quiet detail" }, isOpen && this.isChosen && this.confirm ? "once more: same person" : `${plural(candidate.contacts, "contact")}${matched > 0 ? `, ${shared} of ${matched} shared` : ""}`),
        element("span", { class: "quiet signs" }, inShort(user, candidate)),
      );
    });
  }

  private pair(): [User, User] {
    const { user, side } = this.question!;
    return side === "A" ? [user, this.open!] : [this.open!, user];
  }

  private renderOpened(): void {
    const [a, b] = this.pair();
    this.place.replaceChildren(comparisonCard(a, b, this.open!.evidence));
  }

  private panels(): Panel[] {
    const panels: Panel[] = ["Contacts"];
    if (study.guidelines) panels.push("Guidelines");
    if ((this.question?.rivals.length ?? 0) > 0) panels.push("Others");
    if (this.reveal || this.question?.strategy !== undefined) panels.push("Model");
    return panels;
  }

  private renderTabs(): void {
    const shown = this.panels();
    if (!shown.includes(this.panel)) this.panel = "Contacts";
    const keys: Partial<Record<Panel, string>> = { Guidelines: "g", Model: "m", Contacts: "c", Others: "o" };
    const wanted = shown.join();
    if (this.tabs.dataset.panels !== wanted) {
      this.tabs.dataset.panels = wanted;
      this.tabs.replaceChildren(
        ...shown.map((name) => element("button", { class: "panel-tab", role: "tab", id: `panel-${this.number}-${name}`, "data-panel": name, "aria-keyshortcuts": keys[name], click: () => this.turnTo(name) }, name)),
      );
    }
    for (const tab of this.tabs.querySelectorAll<HTMLElement>("[role=tab]")) {
      const isOpen = tab.dataset.panel === this.panel;
      tab.setAttribute("aria-selected", String(isOpen));
    }
    this.body.setAttribute("aria-labelledby", `panel-${this.number}-${this.panel}`);
    this.renderPanel();
  }

  private renderPanel(): void {
    this.body.dataset.panel = this.panel;
    if (this.panel === "Contacts") this.renderContacts();
    else if (this.panel === "Guidelines") this.body.replaceChildren(element("div", { class: "prose" }, ...markdown(study.guidelines)));
    else if (this.panel === "Others") this.body.replaceChildren(this.others());
    else this.body.replaceChildren(this.model());
  }

  private renderContacts(): void {
    this.picture.setAttribute("aria-label", this.inWords());
    if (this.picture.parentElement !== this.body || this.legendKind !== this.wantedLegend()) this.body.replaceChildren(this.picture, this.legend());
    if (this.size.width === 0) this.size = { width: this.picture.clientWidth, height: this.picture.clientHeight };
    this.draw();
  }

  private draw(): void {
    if (this.size.width === 0) return;
    const [a, b] = this.pair();
    const left = a.contacts + b.contacts - drawNeighbourhoods(this.picture, this.size, a, b, this.open!.evidence);
    this.undrawn.textContent = left > 0 ? `${plural(left, "further contact")} not drawn` : "";
  }

  private wantedLegend(): string {
    return this.question!.strategy === undefined ? "blind" : "model";
  }
  private legend(): HTMLElement {
    const item = (kind: string, words: string) => element("li", {}, element("span", { class: `dot ${kind}` }), words);
    this.legendKind = this.wantedLegend();
    return element(
      "ul",
      { class: "legend" },
      item("shared", "one person, contact of both"),
      item("elsewhere", "matched to somebody else"),
      item("open", "not matched yet"),
      this.legendKind === "model" && item("likely", "one person, the model thinks"),
      this.undrawn,
    );
  }

  private inWords(): string {
    const [a, b] = this.pair();
    const names = this.open!.evidence.contacts_a.filter((contact) => contact.kind === "shared").map((contact) => contact.name);
    return `Contacts of ${a.name} and of ${b.name}. ${this.open!.evidence.words}${names.length > 0 ? ` Shared: ${names.join(", ")}.` : ""}`;
  }

  private others(): HTMLElement {
    const list = element("ul", { class: "rivals" });
    for (const rival of this.question!.rivals)
      list.append(
        element(
          "li",
          {},
          element("a", { href: `#/user/${rival.side}/${rival.id}` }, rival.name),
          element("span", { class: "quiet" }, ` ${networkName(rival.side)}, ${plural(rival.contacts, "contact")}${rival.probability === undefined ? "" : `, ${chance(rival.probability)}`}`),
        ),
      );
    return element("div", {}, element("p", { class: "quiet" }, "Who else might fit one of the two:"), list);
  }

  private model(): HTMLElement {
    const question = this.question!;
    const shown = this.open!;
    if (question.strategy === undefined) return element("p", { class: "quiet" }, "One moment.");
    return element(
      "div",
      { class: "model" },
      element("p", {}, `The model gives them ${chance(shown.probability ?? 0)}.`),
      shown.rank_of_candidate !== undefined &&
        element("p", {}, `${shown.name} is ${ordinal(shown.rank_of_candidate)} for ${question.user.name}; ${question.user.name} is ${ordinal(shown.rank_of_user!)} for ${shown.name}.`),
      shown.fields !== undefined && shown.fields.length > 0 && fieldShares(shown.fields),
      element("p", { class: "quiet" }, `Asked by strategy ${question.strategy} in round ${question.round}.`),
    );
  }
}

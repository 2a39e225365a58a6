// Search and pick: the page proposes a user with many contacts, the person searches for its partner.
// So a study can begin without a single known pair.
import { enter, get, Requests, type Outcome, type Question, type Side, type User } from "./api";
import { shortProfile } from "./compare";
import { element, notice, plural } from "./dom";
import { Sheet } from "./sheet";
import { networkName } from "./study";

const kSearchDelayMilliseconds = 150;

export class FindView {
  private readonly sheet = new Sheet();
  private readonly place = element("section", { class: "find", "aria-label": "Find a pair" });
  private readonly title = element("h2", { class: "ask" });
  private readonly text = element("input", { type: "search", id: "partner", "aria-label": "Search for the partner", placeholder: "name, or anything in the profile", input: () => this.searchSoon() });
  private readonly found = element("ol", { class: "found", "aria-label": "Found", "aria-live": "polite" });
  private readonly opened = element("div", { class: "found-pair" });
  private readonly searches = new Requests();
  private readonly looks = new Requests();
  private side: Side = "A";
  private hubs: User[] = []; // proposed, most contacts first
  private user: User | null = null;
  private timer = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly annotator: () => string,
    private readonly onFound: () => void,
  ) {}

  get isShown(): boolean {
    return this.place.isConnected;
  }

  // A page of its own, for one user or for whoever is proposed.
  async open(side?: Side, id?: number): Promise<void> {
    this.root.replaceChildren();
    await this.openBelow(this.root, side, id);
  }

  async openBelow(place: HTMLElement, side: Side = "A", id?: number): Promise<void> {
    place.append(this.place);
    this.side = side;
    this.place.replaceChildren(
      this.title,
      element("div", { class: "filters" }, this.text, element("button", { id: "nobody", click: () => void this.enterAlone() }, "Has no partner"), element("button", { id: "somebody-else", click: () => void this.propose() }, "Somebody else")),
      element("div", { class: "lookup" }, this.found, this.opened),
    );
    try {
      if (id !== undefined) return this.ask(await get<User>("/api/user", { side, id }));
    } catch (error) {
      notice((error as Error).message, "bad");
    }
    await this.propose();
  }

  close(): void {
    clearTimeout(this.timer);
    this.sheet.destroy();
    this.place.remove();
  }

  private async propose(): Promise<void> {
    try {
      if (this.hubs.length === 0) this.hubs = await get<User[]>("/api/search", { side: this.side, text: "", open: 1 });
    } catch (error) {
      notice((error as Error).message, "bad");
      return;
    }
    const next = this.hubs.shift();
    if (next) this.ask(next);
    else this.title.textContent = "Everybody has a partner.";
  }

  private ask(user: User): void {
    this.user = user;
    const far = user.side === "A" ? "B" : "A";
    this.title.replaceChildren("Who is ", element("strong", {}, user.name), ` of ${networkName(user.side)} in ${networkName(far)}? `, element("span", { class: "quiet" }, plural(user.contacts, "contact")));
    this.text.value = "";
    this.opened.replaceChildren(
      element("div", { class: "card" }, element("p", { class: "quiet" }, `What is known of ${user.name}:`), ...user.profile.map(({ column, value }) => element("p", {}, element("span", { class: "quiet" }, `${column} `), value)), user.profile.length === 0 && element("p", {}, "Only its name and its contacts.")),
    );
    void this.search();
  }

  private searchSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.search(), kSearchDelayMilliseconds);
  }

  // Without a word: users with many contacts, since those tend to have many in both networks.
  private async search(): Promise<void> {
    const isLast = this.searches.begin();
    try {
      const far = this.user!.side === "A" ? "B" : "A";
      const users = await get<User[]>("/api/search", { side: far, text: this.text.value, open: 1 });
      if (!isLast()) return;
      this.found.replaceChildren(
        ...users.map((user) =>
          element(
            "li",
            {},
            element(
              "button",
              { class: "candidate", "data-user": user.id, click: () => void this.look(user) },
              element("span", { class: "name" }, user.name),
              element("span", { class: "quiet detail" }, plural(user.contacts, "contact")),
              element("span", { class: "quiet signs" }, shortProfile(user.profile, this.text.value)),
            ),
          ),
        ),
      );
      if (users.length === 0) this.found.append(element("li", { class: "quiet" }, "Nobody without a partner has that in name or profile."));
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  private async look(user: User): Promise<void> {
    const isLast = this.looks.begin();
    const [a, b] = this.user!.side === "A" ? [this.user!.id, user.id] : [user.id, this.user!.id];
    try {
      const pair = await get<Question>("/api/pair", { a, b });
      if (!isLast()) return;
      for (const button of this.found.querySelectorAll<HTMLElement>(".candidate")) button.classList.toggle("shown", button.dataset.user === String(user.id));
      this.opened.replaceChildren(
        this.sheet.root,
        element("div", { class: "answers small" }, element("button", { class: "yes", id: "same", click: () => void this.enter(a, b) }, "Same person"), element("button", { click: () => this.ask(this.user!) }, "Not this one")),
      );
      this.sheet.show(pair);
      if (matchMedia("(max-width: 760px)").matches) this.opened.scrollIntoView({ block: "start" });
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  private enter(a: number, b: number): Promise<void> {
    return this.save({ a, b, reply: "yes" }, "Saved. They are known to be one person now.");
  }

  private async enterAlone(): Promise<void> {
    const { side, id, name } = this.user!;
    await this.save({ [side.toLowerCase()]: id, reply: "no-partner" }, `Saved. ${name} is known to have no partner now.`);
  }

  private async save(found: object, words: string): Promise<void> {
    try {
      const outcome = await enter<Outcome>("/api/pair", { annotator: this.annotator(), ...found });
      notice(outcome.taken ? words : outcome.message, outcome.taken ? "good" : "bad");
      if (!outcome.taken) return;
      this.onFound();
      await this.propose();
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }
}

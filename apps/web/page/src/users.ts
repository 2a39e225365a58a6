// Look a user up: who it is, whom it is matched with, or who might fit.
import { get, Requests, type Side, type User, type UserView } from "./api";
import { element, notice, plural } from "./dom";

export class UsersView {
  private readonly found = element("ul", { class: "found", "aria-live": "polite" });
  private readonly details = element("div");
  private timer = 0;
  private readonly searches = new Requests();
  private readonly looks = new Requests();

  constructor(private readonly root: HTMLElement) {}

  open(): void {
    const side = element("select", { "aria-label": "Network", change: () => search() });
    side.append(element("option", { value: "A" }, "network A"), element("option", { value: "B" }, "network B"));
    const text = element("input", { type: "search", id: "search", placeholder: "part of a name", "aria-label": "Part of a name", input: () => search() });
    const search = () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.search(side.value as Side, text.value), 150);
    };
    this.found.replaceChildren();
    this.details.replaceChildren();
    this.root.replaceChildren(
      element("h2", {}, "Users"),
      element("div", { class: "filters" }, side, text),
      element("div", { class: "lookup" }, this.found, this.details),
    );
    text.focus();
  }

  private async search(side: Side, text: string): Promise<void> {
    const isLast = this.searches.begin();
    if (text === "") {
      this.found.replaceChildren();
      return;
    }
    try {
      const users = await get<User[]>("/api/search", { side, text });
      if (!isLast()) return;
      this.found.replaceChildren(
        ...users.map((user) =>
          element("li", {}, element("button", { class: "plain", click: () => void this.show(user.side, user.id) }, user.name), element("span", { class: "quiet" }, ` ${plural(user.contacts, "contact")}`)),
        ),
      );
      if (users.length === 0) this.found.append(element("li", { class: "quiet" }, "Nobody by that name."));
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  private async show(side: Side, id: number): Promise<void> {
    const isLast = this.looks.begin();
    try {
      const user = await get<UserView>("/api/user", { side, id });
      if (!isLast()) return;
      const candidates = user.candidates.map((candidate) =>
        element("li", {}, element("button", { class: "plain", click: () => void this.show(candidate.side, candidate.id) }, candidate.name), element("span", { class: "quiet" }, ` ${plural(candidate.contacts, "contact")}`)),
      );
      this.details.replaceChildren(
        element(
          "section",
          { class: "card" },
          element("h3", { class: "name" }, user.name),
          element("p", { class: "quiet" }, `network ${user.side}, ${plural(user.contacts, "contact")}`),
          ...user.profile.map(({ column, value }) => element("p", {}, `${column}: ${value}`)),
          user.partner
            ? element("p", {}, "Known to be ", element("strong", {}, user.partner.name), `, network ${user.partner.side}.`)
            : candidates.length > 0
              ? element("div", {}, element("p", {}, "Not matched yet. Who might fit:"), element("ul", { class: "found" }, ...candidates))
              : element("p", {}, "Not matched yet."),
        ),
      );
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }
}

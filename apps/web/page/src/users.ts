// Look a user up: who it is, whom it is matched with, or who might fit.
import { get, Requests, type Side, type User, type UserView } from "./api";
import { comparisonCard } from "./card";
import { shortProfile } from "./compare";
import { element, notice, plural } from "./dom";
import { addressOf, remember } from "./router";
import { networkName, study } from "./study";

export class UsersView {
  private readonly found = element("ul", { class: "found", "aria-live": "polite" });
  private readonly details = element("div");
  private timer = 0;
  private shown = ""; // side and number of whoever is open
  private readonly searches = new Requests();
  private readonly looks = new Requests();

  constructor(private readonly root: HTMLElement) {}

  async open(query: URLSearchParams, shown?: { side: Side; id: number }): Promise<void> {
    const side = element("select", { "aria-label": "Network", change: () => search() });
    for (const one of ["A", "B"] as const) side.append(element("option", { value: one }, networkName(one)));
    const text = element("input", { type: "search", id: "search", placeholder: "name, or anything in the profile", "aria-label": "Name, or anything in the profile", input: () => search() });
    const wanted = query.get("side") ?? shown?.side;
    side.value = wanted === "B" ? "B" : "A";
    text.value = query.get("text") ?? "";
    const search = () => {
      remember(addressOf("users", { side: side.value, text: text.value }));
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.search(side.value as Side, text.value), 150);
    };
    this.shown = shown ? `${shown.side}${shown.id}` : "";
    this.found.replaceChildren();
    this.details.replaceChildren(element("p", { class: "quiet" }, "Search by name or by anything in a profile, and open somebody to see the partner, or who might fit."));
    this.root.replaceChildren(element("h2", {}, "Users"), element("div", { class: "filters" }, side, text), element("div", { class: "lookup" }, this.found, this.details));
    if (shown) await this.show(shown.side, shown.id);
    else text.focus();
    if (text.value) await this.search(side.value as Side, text.value);
  }

  private line(user: User): HTMLElement {
    const isShown = this.shown === `${user.side}${user.id}`;
    return element(
      "li",
      {},
      element(
        "a",
        { class: `candidate ${isShown ? "shown" : ""}`, "aria-current": isShown ? "true" : undefined, href: addressOf(`user/${user.side}/${user.id}`, this.searched()) },
        element("span", { class: "name" }, user.name),
        element("span", { class: "quiet detail" }, plural(user.contacts, "contact")),
        user.profile.length > 0 && element("span", { class: "quiet signs" }, shortProfile(user.profile, this.searched().text ?? "")),
      ),
    );
  }

  // The search stays in the address of whoever was found by it.
  private searched(): Record<string, string> {
    const text = this.root.querySelector<HTMLInputElement>("#search")?.value ?? "";
    const side = this.root.querySelector<HTMLSelectElement>("select")?.value ?? "A";
    return text ? { side, text } : {};
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
      this.found.replaceChildren(...users.map((user) => this.line(user)));
      if (users.length === 0) this.found.append(element("li", { class: "quiet" }, "Nobody has that in name or profile."));
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  private async show(side: Side, id: number): Promise<void> {
    const isLast = this.looks.begin();
    try {
      const user = await get<UserView>("/api/user", { side, id });
      if (!isLast()) return;
      this.details.replaceChildren(
        element(
          "section",
          { class: "card" },
          element("h3", { class: "name" }, user.name),
          element("p", { class: "quiet" }, `${networkName(user.side)}, ${plural(user.contacts, "contact")}`),
          ...user.profile.map(({ column, value }) => element("p", { class: "profile-line" }, element("span", { class: "quiet" }, `${column} `), value)),
          user.partner ? element("p", {}, "Known to be ", element("a", { href: `#/user/${user.partner.side}/${user.partner.id}` }, user.partner.name), ` of ${networkName(user.partner.side)}.`) : user.has_no_partner ? element("p", {}, "Known to have no partner.") : this.candidates(user),
        ),
        user.partner ? comparisonCard(...((side === "A" ? [user, user.partner] : [user.partner, user]) as [User, User]), null) : "",
      );
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }

  private candidates(user: UserView): HTMLElement {
    return element(
      "div",
      {},
      element("p", {}, "Not matched yet. ", study.takesPairs && element("a", { href: `#/find/${user.side}/${user.id}` }, "Find the partner")),
      user.candidates.length > 0 && element("p", {}, "Who might fit:"),
      element("ul", { class: "found" }, ...user.candidates.map((candidate) => this.line(candidate))),
    );
  }
}

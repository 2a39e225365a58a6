// The comparison card: what is known of two users in the same rows, with what is equal, similar or
// different marked by shape as well as by colour.
import { compare, rowsOf, type Comparison, type Likeness, type Part } from "./compare";
import type { Evidence, Side, User } from "./api";
import { element, grouped } from "./dom";
import { networkName, study } from "./study";

const kClampLetters = 90; // longer texts are shown in part until asked for
const kClampLines = 3;
const kSigns: Record<Likeness, string> = { equal: "=", similar: "≈", different: "≠" };

// Only http and https, in a new window that learns nothing of this one.
function linked(text: string): Node[] {
  const nodes: Node[] = [];
  let from = 0;
  for (const found of text.matchAll(/https?:\/\/[^\s<>"']+/gi)) {
    const address = safeAddress(found[0]);
    if (!address) continue;
    nodes.push(document.createTextNode(text.slice(from, found.index)));
    nodes.push(element("a", { href: address.href, target: "_blank", rel: "noopener noreferrer nofollow", title: address.href }, ...breakable(found[0] === text.trim() ? found[0].replace(/^https?:\/\//i, "").replace(/\/$/, "") : found[0])));
    from = found.index + found[0].length;
  }
  nodes.push(document.createTextNode(text.slice(from)));
  return nodes;
}

// Long addresses break after a slash, and elsewhere only if they must.
function breakable(address: string): Node[] {
  return address.split(/(?<=\/)(?!\/)/).flatMap((part, place) => (place > 0 ? [element("wbr"), document.createTextNode(part)] : [document.createTextNode(part)]));
}

export function safeAddress(text: string): URL | null {
  try {
    const address = new URL(text);
    return address.protocol === "http:" || address.protocol === "https:" ? address : null;
  } catch {
    return null;
  }
}

function picture(text: string): HTMLElement | null {
  if (!study.pictures || !/^https:\/\/\S+\.(png|jpe?g|gif|webp|avif)(\?\S*)?$/i.test(text.trim())) return null;
  const address = safeAddress(text.trim());
  return address && element("img", { class: "portrait", src: address.href, alt: "", loading: "lazy", referrerpolicy: "no-referrer" });
}

function marked(parts: Part[]): Node[] {
  return parts.map(({ text, likeness }) => (likeness === "different" ? document.createTextNode(text) : element("mark", { class: likeness }, text)));
}

function value(text: string, parts: Part[] | null): HTMLElement {
  if (!text) return element("span", { class: "quiet" }, element("span", { "aria-hidden": "true" }, "–"), element("span", { class: "unseen" }, "not given"));
  const hasLink = /https?:\/\//i.test(text);
  const isEqual = parts?.length === 1 && parts[0].likeness === "equal";
  const link = () => (isEqual ? [element("mark", { class: "equal" }, ...linked(text))] : linked(text));
  const body = element("span", { class: "text" }, picture(text), ...(hasLink || !parts ? link() : marked(parts)));
  if (text.length <= kClampLetters && text.split("\n").length <= kClampLines) return body;
  body.classList.add("clamped");
  const more = element("button", { class: "plain more", "aria-expanded": "false", click: () => toggle() }, "more");
  const toggle = () => {
    const isOpen = !body.classList.toggle("clamped");
    more.textContent = isOpen ? "less" : "more";
    more.setAttribute("aria-expanded", String(isOpen));
  };
  return element("span", {}, body, more);
}

function sign(likeness: Likeness | null): HTMLElement {
  return element("div", { class: `sign ${likeness ?? ""}`, role: "cell" }, likeness && element("span", { "aria-hidden": "true" }, kSigns[likeness]), likeness && element("span", { class: "unseen" }, likeness));
}

function row(label: string, a: string, b: string, kind = ""): HTMLElement {
  const found: Comparison | null = a && b ? compare(a, b) : null;
  return element(
    "div",
    { class: `row ${kind}`, role: "row" },
    element("div", { class: "field", role: "rowheader" }, label),
    element("div", { class: "side-A", role: "cell" }, value(a, found?.a ?? null)),
    sign(found?.likeness ?? null),
    element("div", { class: "side-B", role: "cell" }, value(b, found?.b ?? null)),
  );
}

function heading(side: Side): HTMLElement {
  return element("div", { class: `heading side-${side}`, role: "columnheader" }, networkName(side));
}

export function comparisonCard(a: User, b: User, evidence: Evidence | null): HTMLElement {
  return element(
    "section",
    { class: "card comparison", "aria-label": `${a.name} and ${b.name}, field by field` },
    element(
      "div",
      { class: "rows", role: "table", tabindex: 0, "aria-label": "Both accounts" },
      element("div", { class: "row head", role: "row" }, element("div", { role: "columnheader" }, element("span", { class: "unseen" }, "Field")), heading("A"), element("div", { role: "columnheader" }, element("span", { class: "unseen" }, "Compared")), heading("B")),
      row("name", a.name, b.name, "name"),
      contactRow(a, b),
      ...rowsOf(a.profile, b.profile, study.compare).map((field) => row(field.label, field.a, field.b)),
    ),
    evidence && element("p", { class: "evidence" }, evidence.words),
  );
}

// Degrees differ between networks for many reasons: they are shown, not judged.
function contactRow(a: User, b: User): HTMLElement {
  return element(
    "div",
    { class: "row", role: "row" },
    element("div", { class: "field", role: "rowheader" }, "contacts"),
    element("div", { class: "side-A", role: "cell" }, grouped(a.contacts)),
    sign(null),
    element("div", { class: "side-B", role: "cell" }, grouped(b.contacts)),
  );
}

// In a list of candidates: which fields agree, in a few letters.
export function inShort(asked: User, candidate: User): string {
  const [a, b] = asked.side === "A" ? [asked, candidate] : [candidate, asked];
  const fields = rowsOf(a.profile, b.profile, study.compare).filter((field) => field.a && field.b);
  const compared = fields.map((field) => ({ label: field.label.split(" / ")[0], likeness: compare(field.a, field.b).likeness }));
  const alike = (likeness: Likeness) => {
    const labels = compared.filter((field) => field.likeness === likeness).map((field) => field.label);
    return labels.length > 0 ? `${kSigns[likeness]} ${labels.join(", ")}` : "";
  };
  return [alike("equal"), alike("similar")].filter(Boolean).join("  ");
}

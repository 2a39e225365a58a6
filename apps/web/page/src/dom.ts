// Elements from words. Text always goes in as text, never as markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else made.setAttribute(name, String(value));
  }
  for (const child of children) if (child || child === 0) made.append(typeof child === "object" ? child : String(child));
  return made;
}

export function byId<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

let noticeTimer = 0;
export function notice(text: string, kind: "good" | "bad" | "plain" = "plain"): void {
  const place = byId("notice");
  place.textContent = text;
  place.dataset.kind = text ? kind : "";
  clearTimeout(noticeTimer);
  if (text && kind !== "bad") noticeTimer = window.setTimeout(() => notice(""), 6000);
}

export const grouped = (value: number): string => value.toLocaleString("en");

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

// What somebody said, as people say it.
export function replyInWords(reply: string): string {
  return { "no-partner": "nobody here", skip: "skipped" }[reply] ?? reply;
}

// The key of a button, for the eyes: its aria-keyshortcuts tells others, and "ySame person" is no name.
export function keyHint(key: string): HTMLElement {
  return element("kbd", { "aria-hidden": "true" }, key);
}

// Said by screen readers, shown nowhere.
export function announce(text: string): void {
  byId("announce").textContent = text;
}

export const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

// The two neighbourhoods side by side: A on the left, B on the right, one contact a row, so that no
// two labels meet. A person known to be a contact of both stands on one row, joined by a line.
import type { Contact, Evidence, Side, User } from "./api";

const kPalette = ["#2a78b5", "#c2571a", "#3f8f3f", "#8a5bb5", "#b5455f", "#1f8a8a", "#8a6d1f", "#5c6bc0"];
const kLeastRow = 20;
const kMostRow = 34;
const kMargin = 14;
const kLabelGap = 11; // from the middle of a dot to its label
const kLabelFont = "12px system-ui, sans-serif";
const kNameFont = "600 13px system-ui, sans-serif";

const measure = document.createElement("canvas").getContext("2d")!;
function widthOf(text: string, font: string): number {
  measure.font = font;
  return measure.measureText(text).width;
}
function fitted(name: string, width: number, font: string): string {
  if (widthOf(name, font) <= width) return name;
  const letters = [...name];
  let count = letters.length;
  while (count > 1 && widthOf(`${letters.slice(0, count).join("")}…`, font) > width) count--;
  return `${letters.slice(0, count).join("")}…`;
}

function shape(tag: string, attributes: Record<string, string | number>, ...children: (SVGElement | string)[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

interface Rows {
  a: (Contact | null)[];
  b: (Contact | null)[];
}

// People on both sides first, each on a row of its own; then the others, next to each other.
function rowsOf(evidence: Evidence, most: number): Rows {
  const joined: [Contact, Contact][] = [];
  for (const left of evidence.contacts_a) {
    const right = left.person < 0 ? undefined : evidence.contacts_b.find((contact) => contact.person === left.person);
    if (right) joined.push([left, right]);
  }
  const inJoined = new Set(joined.flat());
  const rest = (contacts: Contact[]) => contacts.filter((contact) => !inJoined.has(contact));
  const pad = (contacts: Contact[], count: number) => [...contacts, ...Array<null>(Math.max(0, count - contacts.length)).fill(null)];
  const [restA, restB] = [rest(evidence.contacts_a), rest(evidence.contacts_b)];
  const count = Math.max(restA.length, restB.length);
  return {
    a: [...joined.map(([left]) => left), ...pad(restA, count)].slice(0, most),
    b: [...joined.map(([, right]) => right), ...pad(restB, count)].slice(0, most),
  };
}

// Where things are, counted from the outer edge of a side.
interface Places {
  width: number;
  height: number;
  self: number;
  contact: number;
  row: (place: number) => number;
}

function placesIn(width: number, height: number, count: number): Places {
  const step = Math.min(kMostRow, (height - 2 * kMargin) / count);
  const top = (height - step * (count - 1)) / 2;
  const self = Math.min(70, width * 0.13);
  return { width, height, self, contact: self + Math.min(110, width * 0.17), row: (place) => top + place * step };
}

class HalfDrawing {
  readonly lines: SVGElement[] = [];
  readonly dots: SVGElement[] = [];
  private readonly ends = new Map<number, number>(); // of labels, by contact

  constructor(
    private readonly side: Side,
    private readonly user: User,
    private readonly contacts: readonly (Contact | null)[],
    private readonly places: Places,
  ) {
    this.drawSelf();
    contacts.forEach((contact, row) => contact && this.drawContact(contact, row));
  }

  get drawn(): number {
    return this.ends.size;
  }
  labelEnd(contact: Contact): number {
    return this.ends.get(contact.id)!;
  }

  private x(fromEdge: number): number {
    return this.side === "A" ? fromEdge : this.places.width - fromEdge;
  }

  private drawSelf(): void {
    const { self, height } = this.places;
    this.dots.push(
      shape(
        "g",
        { class: `self side-${this.side}` },
        shape("title", {}, this.user.name),
        shape("circle", { cx: this.x(self), cy: height / 2, r: 15 }),
        shape("text", { x: this.x(self), y: height / 2 + 27, "text-anchor": "middle" }, fitted(this.user.name, 2 * self - 8, kNameFont)),
      ),
    );
  }

  private drawContact(contact: Contact, row: number): void {
    const { self, contact: at, width, height } = this.places;
    const [x, y] = [this.x(at), this.places.row(row)];
    const label = fitted(contact.name, width / 2 - at - 2 * kLabelGap, kLabelFont);
    this.ends.set(contact.id, this.x(at + kLabelGap + widthOf(label, kLabelFont)));
    this.lines.push(shape("line", { class: "tie", x1: this.x(self), y1: height / 2, x2: x, y2: y }));
    const group = shape(
      "g",
      { class: `contact ${contact.kind}` },
      shape("title", {}, contact.name),
      contact.kind === "elsewhere" ? shape("rect", { x: x - 5.5, y: y - 5.5, width: 11, height: 11 }) : shape("circle", { cx: x, cy: y, r: 6 }),
      shape("text", { x: this.x(at + kLabelGap), y, "text-anchor": this.side === "A" ? "start" : "end" }, label),
    );
    group.style.setProperty("--person", kPalette[Math.max(0, contact.person % 1000) % kPalette.length]);
    this.dots.push(group);
  }

  // Ties among contacts bow towards their user, where no labels are.
  drawAmong(edges: [number, number][]): void {
    const rows = new Map(this.contacts.flatMap((contact, row) => (contact ? [[contact.id, row] as const] : [])));
    for (const [left, right] of edges) {
      const [one, other] = [rows.get(left), rows.get(right)];
      if (one === undefined || other === undefined) continue;
      const bend = Math.min(60, 14 + 6 * Math.abs(other - one));
      const [y1, y2] = [this.places.row(one), this.places.row(other)];
      const x = this.x(this.places.contact);
      this.lines.push(shape("path", { class: "among", d: `M${x} ${y1}Q${this.x(this.places.contact - bend)} ${(y1 + y2) / 2} ${x} ${y2}` }));
    }
  }
}

// Gives how many contacts of both were drawn.
export function drawNeighbourhoods(container: HTMLElement, size: { width: number; height: number }, a: User, b: User, evidence: Evidence): number {
  const width = Math.max(240, size.width);
  const height = Math.max(120, size.height);
  const rows = rowsOf(evidence, Math.max(1, Math.floor((height - 2 * kMargin) / kLeastRow)));
  const places = placesIn(width, height, Math.max(1, rows.a.length));
  const left = new HalfDrawing("A", a, rows.a, places);
  const right = new HalfDrawing("B", b, rows.b, places);
  left.drawAmong(evidence.edges_a);
  right.drawAmong(evidence.edges_b);
  const same = rows.a.flatMap((one, row) => {
    const other = rows.b[row];
    if (!one || !other || one.person < 0 || one.person !== other.person) return [];
    return [shape("line", { class: `same ${one.kind}`, x1: left.labelEnd(one) + 5, y1: places.row(row), x2: right.labelEnd(other) - 5, y2: places.row(row) })];
  });
  container.replaceChildren(shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...left.lines, ...right.lines, ...same, ...left.dots, ...right.dots));
  return left.drawn + right.drawn;
}

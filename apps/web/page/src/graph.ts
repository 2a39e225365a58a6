// The two neighbourhoods side by side: A on the left, B on the right, one contact a row, so that no
// two labels meet. A person known to be a contact of both stands on one row, joined by a line.
import cytoscape from "cytoscape";
import type { Contact, Evidence, User } from "./api";

const kPalette = ["#2a78b5", "#c2571a", "#3f8f3f", "#8a5bb5", "#b5455f", "#1f8a8a", "#8a6d1f", "#5c6bc0"];
const kLeastRow = 20;
const kMostRow = 34;
const kMargin = 14;
const kFont = "system-ui, sans-serif";

const measure = document.createElement("canvas").getContext("2d")!;
function fitted(name: string, width: number, font: string): string {
  measure.font = font;
  if (measure.measureText(name).width <= width) return name;
  const letters = [...name];
  let count = letters.length;
  while (count > 1 && measure.measureText(`${letters.slice(0, count).join("")}…`).width > width) count--;
  return `${letters.slice(0, count).join("")}…`;
}

function styleValue(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
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

export interface Drawing {
  drawn: number; // contacts, of both
  core: cytoscape.Core;
}

export function drawNeighbourhoods(container: HTMLElement, a: User, b: User, evidence: Evidence): Drawing {
  const width = Math.max(240, container.clientWidth);
  const height = Math.max(120, container.clientHeight);
  const rows = rowsOf(evidence, Math.max(1, Math.floor((height - 2 * kMargin) / kLeastRow)));
  const count = Math.max(1, rows.a.length);
  const step = Math.min(kMostRow, (height - 2 * kMargin) / count);
  const top = (height - step * (count - 1)) / 2;
  const selfX = Math.min(70, width * 0.13);
  const contactX = selfX + Math.min(110, width * 0.17);
  const labelWidth = width / 2 - contactX - 22;
  const elements: cytoscape.ElementDefinition[] = [];
  const sides = [
    { side: "a", user: a, contacts: rows.a, edges: evidence.edges_a, at: (x: number) => x },
    { side: "b", user: b, contacts: rows.b, edges: evidence.edges_b, at: (x: number) => width - x },
  ] as const;
  for (const { side, user, contacts, edges, at } of sides) {
    elements.push({
      data: { id: side, label: fitted(user.name, 2 * selfX - 8, `600 13px ${kFont}`), kind: "self", colour: styleValue(`--side-${side}`) },
      position: { x: at(selfX), y: height / 2 },
    });
    contacts.forEach((contact, row) => {
      if (!contact) return;
      elements.push({
        data: {
          id: side + contact.id,
          label: fitted(contact.name, labelWidth, `12px ${kFont}`),
          kind: contact.kind,
          side,
          colour: kPalette[Math.max(0, contact.person % 1000) % kPalette.length],
        },
        position: { x: at(contactX), y: top + row * step },
      });
      elements.push({ data: { id: `${side}-${contact.id}`, source: side, target: side + contact.id, kind: "tie" } });
    });
    const isDrawn = new Set(contacts.map((contact) => contact?.id));
    for (const [left, right] of edges)
      if (isDrawn.has(left) && isDrawn.has(right))
        elements.push({ data: { id: `${side}${left}-${right}`, source: side + left, target: side + right, kind: "among", bend: bendOf(side, contacts, left, right) } });
  }
  rows.a.forEach((left, row) => {
    const right = rows.b[row];
    if (left && right && left.person >= 0 && left.person === right.person)
      elements.push({ data: { id: `same-${left.id}`, source: `a${left.id}`, target: `b${right.id}`, kind: `same-${left.kind}` } });
  });
  const core = cytoscape({
    container,
    elements,
    layout: { name: "preset", fit: false },
    zoom: 1,
    pan: { x: 0, y: 0 },
    userZoomingEnabled: false,
    userPanningEnabled: false,
    boxSelectionEnabled: false,
    autoungrabify: true,
    style: styles(),
  });
  return { core, drawn: core.nodes().length - 2 };
}

// Ties among contacts bow towards their user, where no labels are.
function bendOf(side: "a" | "b", contacts: readonly (Contact | null)[], left: number, right: number): number {
  const row = (id: number) => contacts.findIndex((contact) => contact?.id === id);
  const isDown = row(right) > row(left);
  return (side === "a" ? 1 : -1) * (isDown ? 1 : -1) * Math.min(44, 12 + 5 * Math.abs(row(right) - row(left)));
}

function styles(): cytoscape.StylesheetStyle[] {
  const quiet = styleValue("--quiet");
  const surface = styleValue("--surface");
  return [
    {
      selector: "node",
      style: {
        label: "data(label)",
        width: 13,
        height: 13,
        "font-size": 12,
        "font-family": kFont,
        color: styleValue("--ink"),
        "background-color": surface,
        "border-width": 1.5,
        "border-color": quiet,
        "text-valign": "center",
        "text-halign": "right",
        "text-margin-x": 5,
        "text-background-color": surface,
        "text-background-opacity": 1,
        "text-background-padding": "1px",
      },
    },
    { selector: "node[side = 'b']", style: { "text-halign": "left", "text-margin-x": -5 } },
    {
      selector: "node[kind = 'self']",
      style: { width: 30, height: 30, "font-size": 13, "font-weight": 600, "border-width": 4, "border-color": "data(colour)", "text-valign": "bottom", "text-halign": "center", "text-margin-x": 0, "text-margin-y": 5 },
    },
    { selector: "node[kind = 'shared']", style: { "background-color": "data(colour)", "border-color": "data(colour)" } },
    { selector: "node[kind = 'likely']", style: { "border-color": "data(colour)", "border-width": 3 } },
    { selector: "node[kind = 'elsewhere']", style: { "background-color": quiet, shape: "rectangle", width: 11, height: 11 } },
    { selector: "edge", style: { width: 1.1, "line-color": styleValue("--line"), "curve-style": "straight" } },
    {
      selector: "edge[kind = 'among']",
      style: { "line-style": "dotted", "curve-style": "unbundled-bezier", "control-point-distances": "data(bend)" as unknown as number, "control-point-weights": 0.5 },
    },
    { selector: "edge[kind = 'same-shared']", style: { width: 2.5, "line-color": styleValue("--good") } },
    { selector: "edge[kind = 'same-likely']", style: { width: 2, "line-style": "dashed", "line-color": styleValue("--good") } },
  ];
}

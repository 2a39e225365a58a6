// The two neighbourhoods side by side: A on the left, B on the right. People known to be contacts of
// both stand at the same height in the same colour.
import cytoscape from "cytoscape";
import type { Contact, Evidence, User } from "./api";

const kPalette = ["#2a78b5", "#c2571a", "#3f8f3f", "#8a5bb5", "#b5455f", "#1f8a8a", "#8a6d1f", "#5c6bc0"];
const kRow = 44;

function short(name: string): string {
  return name.length > 18 ? `${name.slice(0, 17)}…` : name;
}

function styleValue(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function place(
  side: "a" | "b",
  user: User,
  contacts: Contact[],
  edges: [number, number][],
  rows: number,
): cytoscape.ElementDefinition[] {
  const toLeft = side === "a" ? -1 : 1;
  const elements: cytoscape.ElementDefinition[] = [
    { data: { id: side, label: short(user.name), kind: "self", colour: styleValue(`--side-${side}`) }, position: { x: toLeft * 250, y: 0 } },
  ];
  const inner = contacts.filter((contact) => contact.kind === "shared" || contact.kind === "likely");
  const outer = contacts.filter((contact) => !inner.includes(contact));
  inner.forEach((contact, row) => {
    elements.push({
      data: {
        id: side + contact.id,
        label: short(contact.name),
        kind: contact.kind,
        colour: kPalette[(contact.person % 1000) % kPalette.length],
      },
      position: { x: toLeft * 95, y: (row - (rows - 1) / 2) * kRow },
    });
  });
  outer.forEach((contact, row) => {
    const angle = outer.length === 1 ? 0 : (row / (outer.length - 1) - 0.5) * Math.PI * 0.95;
    elements.push({
      data: { id: side + contact.id, label: short(contact.name), kind: contact.kind },
      position: {
        x: toLeft * (285 + Math.cos(angle) * 120),
        y: Math.sin(angle) * Math.max(130, outer.length * 15),
      },
    });
  });
  for (const contact of contacts)
    elements.push({ data: { id: `${side}-${contact.id}`, source: side, target: side + contact.id, kind: "tie" } });
  for (const [left, right] of edges)
    elements.push({
      data: { id: `${side}${left}-${right}`, source: side + left, target: side + right, kind: "among" },
    });
  return elements;
}

export function drawNeighbourhoods(
  container: HTMLElement,
  a: User,
  b: User,
  evidence: Evidence,
): cytoscape.Core {
  const inner = (contacts: Contact[]) =>
    contacts.filter((contact) => contact.kind === "shared" || contact.kind === "likely").length;
  const rows = Math.max(inner(evidence.contacts_a), inner(evidence.contacts_b), 1);
  const elements = [
    ...place("a", a, evidence.contacts_a, evidence.edges_a, rows),
    ...place("b", b, evidence.contacts_b, evidence.edges_b, rows),
  ];
  for (const left of evidence.contacts_a) {
    if (left.person < 0) continue;
    const right = evidence.contacts_b.find((contact) => contact.person === left.person);
    if (!right) continue;
    elements.push({
      data: { id: `same-${left.id}`, source: `a${left.id}`, target: `b${right.id}`, kind: `same-${left.kind}` },
    });
  }
  // On a phone A stands above B.
  const isNarrow = container.clientWidth < 520;
  if (isNarrow)
    for (const { position } of elements)
      if (position) [position.x, position.y] = [position.y * 1.7, position.x * 0.72];
  const ink = styleValue("--ink");
  const quiet = styleValue("--quiet");
  const line = styleValue("--line");
  return cytoscape({
    container,
    elements,
    layout: { name: "preset", fit: true, padding: 14 },
    userZoomingEnabled: false,
    userPanningEnabled: false,
    boxSelectionEnabled: false,
    autoungrabify: true,
    minZoom: 0.3,
    maxZoom: 1.4,
    style: [
      {
        selector: "node",
        style: {
          label: "data(label)",
          width: isNarrow ? 22 : 16,
          height: isNarrow ? 22 : 16,
          "font-size": isNarrow ? 19 : 12,
          color: ink,
          "background-color": styleValue("--surface"),
          "border-width": 1.5,
          "border-color": quiet,
          "text-valign": "bottom",
          "text-margin-y": 3,
          "text-background-color": styleValue("--surface"),
          "text-background-opacity": 0.85,
          "text-background-padding": "1px",
          "font-family": "system-ui, sans-serif",
        },
      },
      {
        selector: "node[kind = 'self']",
        style: { width: isNarrow ? 42 : 34, height: isNarrow ? 42 : 34, "font-size": isNarrow ? 23 : 15, "font-weight": 600, "border-width": 4, "border-color": "data(colour)" },
      },
      { selector: "node[kind = 'shared']", style: { "background-color": "data(colour)", "border-color": "data(colour)" } },
      { selector: "node[kind = 'likely']", style: { "border-color": "data(colour)", "border-width": 3 } },
      {
        selector: "node[kind = 'elsewhere']",
        style: { "background-color": quiet, shape: "rectangle", width: 13, height: 13 },
      },
      { selector: "edge", style: { width: 1.2, "line-color": line, "curve-style": "straight" } },
      { selector: "edge[kind = 'among']", style: { "line-style": "dotted" } },
      { selector: "edge[kind = 'same-shared']", style: { width: 3, "line-color": styleValue("--good") } },
      {
        selector: "edge[kind = 'same-likely']",
        style: { width: 2, "line-style": "dashed", "line-color": styleValue("--good") },
      },
    ],
  });
}

// What each key does, behind "?".
import { byId, element } from "./dom";

const kKeys: [string, string][] = [
  ["y", "same person (of a pick question: the candidate that is open)"],
  ["n", "different, or none of these"],
  ["x", "nobody here: the asked user has no partner at all"],
  ["1 – 9", "this candidate is the one"],
  ["↑ ↓", "open another candidate"],
  ["u", "unsure: nobody is asked this again"],
  ["s", "skip: somebody else may answer"],
  ["z", "take the last answer back"],
  ["t", "a note with this answer"],
  ["c", "contacts of both, drawn"],
  ["g", "guidelines"],
  ["o", "others who might fit"],
  ["m", "what the model thinks"],
  ["y n x u", "on Review: settle it, or leave it open"],
  ["?", "this list"],
];

export function toggleKeys(): void {
  const dialog = byId<HTMLDialogElement>("keys");
  if (dialog.open) {
    dialog.close();
    return;
  }
  const list = element("dl", { class: "keys" });
  for (const [key, words] of kKeys) list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, words));
  dialog.replaceChildren(
    element("form", { method: "dialog" }, element("h2", { id: "keys-title" }, "Keys"), list, element("button", { class: "primary", value: "ok" }, "Close")),
  );
  dialog.showModal();
}

// How alike two texts are, part by part: what the comparison card marks. No DOM in here.

export type Likeness = "equal" | "similar" | "different";
export interface Part {
  text: string;
  likeness: Likeness;
}
export interface Comparison {
  likeness: Likeness;
  a: Part[];
  b: Part[];
}
export interface Field {
  label: string; // both names when they differ
  a: string; // empty: not given
  b: string;
}
type Profile = { column: string; value: string }[];

const kSimilarWord = 0.7; // share of letters two words must have in common, in order
const kSimilarText = 0.5; // share of letters in equal or similar words
const kLongestCompared = 400; // characters; beyond it the end is not compared
const kMostRemembered = 500; // comparisons
const kFewestLetters = 3; // a shorter common run says nothing

// Case, accents and the many forms of one letter make no difference.
function plainForm(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}

// Three values of a profile for one line: those in which a search found its words come first.
export function shortProfile(profile: Profile, searched: string): string {
  const words = plainForm(searched).split(" ").filter(Boolean);
  const isFound = ({ value }: Profile[number]) => words.some((word) => plainForm(value).includes(word));
  return [...profile.filter(isFound), ...profile.filter((cell) => !isFound(cell))].slice(0, 3).map(({ value }) => value).join(" · ");
}

// Longest common subsequence: for each item of `left` its partner in `right`, or -1.
function aligned<Item>(left: Item[], right: Item[], isSame: (one: Item, other: Item) => boolean): number[] {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] = isSame(left[i], right[j])
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  const partner = left.map(() => -1);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (isSame(left[i], right[j])) partner[i++] = j++;
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
  return partner;
}

// Letters in common, in order, as a share of both words, which are in plain form; 1 means the same
// word. Words of very different lengths cannot be alike and are not looked at.
function wordLikeness(left: string, right: string): number {
  if (left === right) return 1;
  const [one, other] = [[...left], [...right]];
  const all = Math.max(1, one.length + other.length);
  if (2 * Math.min(one.length, other.length) < kSimilarWord * all) return 0;
  return (2 * aligned(one, other, (x, y) => x === y).filter((place) => place >= 0).length) / all;
}

function merged(parts: Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result[result.length - 1];
    if (last?.likeness === part.likeness) last.text += part.text;
    else if (part.text) result.push({ ...part });
  }
  return result;
}

// Two single words: runs of letters they have in common.
function compareLetters(a: string, b: string): Comparison {
  const left = [...a];
  const right = [...b];
  const partner = aligned(left, right, (x, y) => plainForm(x) === plainForm(y));
  const isCommon = { a: partner.map((place) => place >= 0), b: right.map(() => false) };
  for (const place of partner) if (place >= 0) isCommon.b[place] = true;
  const parts = (letters: string[], common: boolean[]) => {
    const runs = merged(letters.map((text, place) => ({ text, likeness: common[place] ? "equal" : "different" })));
    return merged(runs.map((run) => (run.likeness === "equal" && [...run.text].length < kFewestLetters ? { ...run, likeness: "different" } : run)));
  };
  const share = wordLikeness(plainForm(a), plainForm(b));
  const likeness = share === 1 ? "equal" : share >= kSimilarWord ? "similar" : "different";
  return { likeness, a: parts(left, isCommon.a), b: parts(right, isCommon.b) };
}

const isWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

function compareWords(a: string, b: string): Comparison {
  const left = a.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu) ?? [];
  const right = b.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu) ?? [];
  const plain = (words: string[]) => words.map((word) => (isWord(word) ? plainForm(word) : ""));
  const [plainLeft, plainRight] = [plain(left), plain(right)];
  const marks = { a: left.map((): Likeness => "different"), b: right.map((): Likeness => "different") };
  // In any order: people write "Doe, Jane" and "Jane Doe".
  const pairUp = (least: number, mark: Likeness) =>
    plainLeft.forEach((word, place) => {
      if (!word || marks.a[place] !== "different") return;
      const found = plainRight.findIndex((other, at) => other !== "" && marks.b[at] === "different" && (least === 1 ? word === other : wordLikeness(word, other) >= least));
      if (found >= 0) marks.a[place] = marks.b[found] = mark;
    });
  pairUp(1, "equal");
  pairUp(kSimilarWord, "similar");
  let common = 0;
  let all = 0;
  for (const [words, mark] of [[left, marks.a], [right, marks.b]] as const)
    words.forEach((word, place) => {
      if (!isWord(word)) return;
      all += word.length;
      if (mark[place] !== "different") common += word.length;
    });
  const parts = (words: string[], mark: Likeness[]) => merged(words.map((text, place) => ({ text, likeness: mark[place] })));
  const share = all > 0 ? common / all : 0;
  const isEqual = all > 0 && [...left.map((word, place) => [word, marks.a[place]]), ...right.map((word, place) => [word, marks.b[place]])].every(([word, mark]) => mark === "equal" || !isWord(word));
  const result: Likeness = isEqual ? "equal" : share >= kSimilarText ? "similar" : "different";
  // In texts that differ, "in" and "of" on both sides mean nothing.
  if (result === "different")
    for (const [words, mark] of [[left, marks.a], [right, marks.b]] as const)
      words.forEach((word, place) => {
        if (/^[a-z]{1,3}$/i.test(word)) mark[place] = "different";
      });
  return { likeness: result, a: parts(left, marks.a), b: parts(right, marks.b) };
}

const whole = (text: string, likeness: Likeness): Part[] => (text ? [{ text, likeness }] : []);

// Numbers and dates are near each other or not; letters they share mean nothing.
function compareNumbers(a: string, b: string): Comparison | null {
  const number = /^[+-]?\d+([.,]\d+)?$/;
  const date = /^\d{4}-\d{2}(-\d{2})?([T ].*)?$/;
  const both = (form: RegExp) => form.test(a.trim()) && form.test(b.trim());
  let isNear = false;
  if (both(date)) isNear = Math.abs(Date.parse(a.trim()) - Date.parse(b.trim())) <= 31 * 24 * 3600 * 1000;
  else if (both(number)) {
    const [one, other] = [Number(a.trim().replace(",", ".")), Number(b.trim().replace(",", "."))];
    const isYear = (value: number) => Number.isInteger(value) && value >= 1900 && value <= 2100;
    isNear = isYear(one) && isYear(other) ? Math.abs(one - other) <= 1 : Math.abs(one - other) <= 0.1 * Math.max(Math.abs(one), Math.abs(other));
  } else return null;
  const likeness = isNear ? "similar" : "different";
  return { likeness, a: whole(a, likeness), b: whole(b, likeness) };
}

// Addresses are alike by what they name, not by the site they are on.
function compareAddresses(a: string, b: string): Comparison | null {
  const address = /^https?:\/\/(?:www\.)?([^\s/]+)\/?(\S*?)\/?$/i;
  const [one, other] = [plainForm(a).match(address), plainForm(b).match(address)];
  if (!one || !other) return null;
  const isNamed = one[2] !== "" && wordLikeness(one[2], other[2]) >= kSimilarWord;
  const likeness = one[1] === other[1] && one[2] === other[2] ? "equal" : isNamed ? "similar" : "different";
  return { likeness, a: whole(a, likeness), b: whole(b, likeness) };
}

// Every candidate is compared more than once while its question is on the screen.
const remembered = new Map<string, Comparison>();
export function compare(a: string, b: string): Comparison {
  const key = JSON.stringify([a, b]);
  let known = remembered.get(key);
  if (!known) {
    if (remembered.size >= kMostRemembered) remembered.clear();
    remembered.set(key, (known = compareAnew(a, b)));
  }
  return known;
}

function compareAnew(a: string, b: string): Comparison {
  if (plainForm(a) === plainForm(b) && a.trim()) return { likeness: "equal", a: whole(a, "equal"), b: whole(b, "equal") };
  const special = compareNumbers(a, b) ?? compareAddresses(a, b);
  if (special) return special;
  const [headA, headB] = [a.slice(0, kLongestCompared), b.slice(0, kLongestCompared)];
  const isOneWord = !/\s/.test(headA.trim()) && !/\s/.test(headB.trim());
  const result = isOneWord && headA.length <= 64 && headB.length <= 64 ? compareLetters(headA, headB) : compareWords(headA, headB);
  result.a.push(...whole(a.slice(kLongestCompared), "different"));
  result.b.push(...whole(b.slice(kLongestCompared), "different"));
  return result;
}

const fieldKey = (column: string) => plainForm(column).replace(/[\s_.-]+/g, "");

// What a row of two fields is called: both names when they differ.
export function fieldLabel(pair: { a: string; b: string }): string {
  return fieldKey(pair.a) === fieldKey(pair.b) ? pair.a : `${pair.a} / ${pair.b}`;
}

// Fields of both in the same rows: by `mapping` (as --compare gave it), else by name.
export function rowsOf(a: Profile, b: Profile, mapping: { a: string; b: string }[] = []): Field[] {
  const rows: Field[] = [];
  const left = [...a];
  const right = [...b];
  const take = (list: Profile, isWanted: (column: string) => boolean): string => {
    const place = list.findIndex(({ column }) => isWanted(column));
    return place < 0 ? "" : list.splice(place, 1)[0].value;
  };
  for (const pair of mapping) {
    const row = { label: fieldLabel(pair), a: take(left, (name) => name === pair.a), b: take(right, (name) => name === pair.b) };
    if (row.a || row.b) rows.push(row);
  }
  for (const { column, value } of left) rows.push({ label: column, a: value, b: take(right, (name) => fieldKey(name) === fieldKey(column)) });
  for (const { column, value } of right) rows.push({ label: column, a: "", b: value });
  const isShared = (row: Field) => Number(row.a !== "" && row.b !== "");
  return rows.sort((one, other) => isShared(other) - isShared(one));
}

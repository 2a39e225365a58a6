// The HTTP API of docs/use/http-api.md, typed.
import type { Kind } from "./kinds";

export type Side = "A" | "B";
export type Reply = "yes" | "no" | "no-partner" | "unsure" | "skip";

export interface User {
  side: Side;
  id: number;
  name: string;
  contacts: number;
  profile: { column: string; value: string }[];
}
export interface Contact {
  id: number;
  name: string;
  kind: "shared" | "elsewhere" | "likely" | "open";
  person: number;
  contacts: number;
}
export interface Evidence {
  words: string;
  shared: number;
  matched: number;
  contacts_a: Contact[];
  contacts_b: Contact[];
  edges_a: [number, number][];
  edges_b: [number, number][];
}
export interface Candidate extends User {
  evidence: Evidence;
  probability?: number;
  rank_of_candidate?: number;
  rank_of_user?: number;
  fields?: { name: string; ratio: number }[]; // what attributes add to the log-odds
}
export interface Entry {
  id: number;
  at: string;
  kind: "answer" | "undo" | "import" | "resolve";
  annotator: string;
  question: number;
  reply: Reply;
  pair: NamedPair | null;
  undoes: number;
  source: string;
  note?: string;
}
export interface Question {
  id: number;
  kind: Kind;
  round: number;
  side: Side;
  user: User;
  candidates: Candidate[];
  rivals: (User & { probability?: number })[];
  answers: Entry[];
  strategy?: string;
}
export interface Next {
  state: "question" | "learning" | "nothing" | "failed";
  message: string;
  question: Question | null;
  upcoming: Question[];
}
export interface Outcome {
  taken: boolean;
  message: string;
  entry: number;
  question: number;
  settled: number;
  disputed: boolean;
  next: Next | null;
}
export interface Round {
  id: number;
  strategy: string;
  explored: boolean;
  answers: number;
  anchors: number;
  validation_size: number;
  precision_at_30: number | null;
  agreement: number | null;
  yes_chance: number | null;
  reward: number | null;
  seconds: number;
}
export interface Agreement {
  first: string;
  second: string;
  questions: number;
  equal: number;
  kappa: number | null;
}
export interface Status {
  event: number;
  study: string;
  default_annotator: string;
  users_a: number;
  users_b: number;
  answers: number;
  yes: number;
  no: number;
  no_partner: number;
  unsure: number;
  skipped: number;
  imported: number;
  anchors: number;
  without_partner: { a: number; b: number };
  settled_pairs: number;
  all_pairs: number;
  questions_ready: number;
  is_learning: boolean;
  failure: string;
  rounds: Round[];
  arms: { name: string; summary: string; times_chosen: number; mean_reward: number }[];
  advice: { stage: "too-early" | "continue" | "slowing" | "may-stop" | "too-few-known"; words: string; sentence: string };
  annotators: { name: string; answers: number; yes: number; consensus: { questions: number; equal: number } }[];
  agreement: { overall: Agreement; pairs: Agreement[] };
  disputes: number[];
  review: { question: number; reason: "disputed" | "unsure" | "changed" | "low-agreement" }[];
  progress: { answers: number; anchors: number; matches: number; right: number; right_low: number; right_high: number }[];
  audit: string;
  // Who this is, in a study with people.
  signed_in: { name: string; role: "annotator" | "reviewer" | "owner" } | null;
  // Of the study as its owner set it up; absent where nothing was set.
  name_a?: string;
  name_b?: string;
  compare?: { a: string; b: string }[];
  guidelines?: string;
  pictures?: boolean;
  budget?: number;
  takes_notes?: boolean;
}
export interface HistoryItem extends Entry {
  is_in_force: boolean;
  asked?: {
    kind: Kind;
    strategy: string;
    side: Side;
    user: { id: number; name: string };
    candidates: { id: number; name: string }[];
  };
}
// One of the two is null where the other has no partner.
export interface NamedPair {
  a: { id: number; name: string } | null;
  b: { id: number; name: string } | null;
}
export interface ImportConflict {
  line: number;
  pair: NamedPair;
  label: number;
  earlier: NamedPair;
  earlier_label: number;
}
export interface ImportReport {
  added: number;
  known: number;
  conflicts: ImportConflict[];
}
export interface UserView extends User {
  partner: User | null;
  has_no_partner: boolean;
  candidates: User[];
}

const kRetryMilliseconds = 300;

export class ApiError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

async function request<T>(path: string, options?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError("dalaup does not answer. Is it still running?", 0);
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok || ((response.status === 409 || response.status === 404) && "taken" in body)) return body as T;
  if (response.status === 401) throw new ApiError("You are not signed in any more. Open the address you were given once more, or ask whoever runs the study for a new one.", 401);
  const words = body.error ?? body.message ?? `The server said ${response.status}.`;
  throw new ApiError(body.hint ? `${words} (${body.hint})` : words, response.status);
}

export function get<T>(path: string, query: Record<string, string | number> = {}): Promise<T> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) words.set(name, String(value));
  const text = words.toString();
  return request<T>(text ? `${path}?${text}` : path);
}

// A name for a request that may be sent again: the server then enters it once.
export function requestName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

export function post<T>(path: string, body: object): Promise<T> {
  return request<T>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

// Something to enter, named, and sent once more when no reply came.
export async function enter<T>(path: string, body: object, name = requestName()): Promise<T> {
  const named = { ...body, request: name };
  try {
    return await post<T>(path, named);
  } catch (error) {
    if ((error as ApiError).status !== 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, kRetryMilliseconds));
    return post<T>(path, named);
  }
}

// Answers may overtake one another. Each request says `const isLast = requests.begin()` and drops
// its answer unless isLast(): what is shown belongs to what was asked last.
export class Requests {
  private count = 0;
  begin(): () => boolean {
    const mine = ++this.count;
    return () => mine === this.count;
  }
}

// What this person holds: the question shown, those after it, and answers on their way. The next
// question is here before it is needed, so nobody waits for the network between two answers.
import { ApiError, enter, get, requestName, type Next, type Outcome, type Question, type Reply } from "./api";

const kAhead = 2;

interface Given {
  annotator: string;
  question: Question;
  reply: Reply;
  chosen: number | null;
  seconds: number;
  note: string;
  request: string;
}

export interface QueueListener {
  changed(): void;
  saved(outcome: Outcome, reply: Reply): void;
  takenBack(outcome: Outcome): void;
  failed(words: string): void;
}

export class QuestionQueue {
  private held: Question[] = [];
  private given: Given[] = []; // answers not acknowledged yet, oldest first
  private isSending = false;
  private isUndoing = false;
  private last: Next | null = null;

  constructor(
    private readonly annotator: () => string,
    private readonly listener: QueueListener,
  ) {}

  get current(): Question | null {
    return this.isUndoing ? null : (this.held[0] ?? null);
  }
  get upcoming(): Question[] {
    return this.held.slice(1);
  }
  // Why there is no question, once that is known.
  get waiting(): Next | null {
    return this.current || this.isSending || this.isUndoing ? null : this.last;
  }

  // Another person sits down: nothing that was held is theirs.
  clear(): void {
    this.held = [];
    this.last = null;
  }

  async load(): Promise<void> {
    try {
      this.take(await get<Next>("/api/next", { annotator: this.annotator(), ahead: kAhead }));
    } catch (error) {
      this.listener.failed((error as Error).message);
    }
  }

  answer(reply: Reply, chosen: number | null, seconds: number, note = ""): void {
    const question = this.held.shift();
    if (!question) return;
    this.given.push({ annotator: this.annotator(), question, reply, chosen, seconds, note, request: requestName() });
    this.listener.changed();
    void this.send();
  }

  async undo(): Promise<void> {
    if (this.isUndoing) return;
    this.isUndoing = true;
    this.listener.changed();
    await this.send();
    try {
      const outcome = await enter<Outcome>("/api/undo", { annotator: this.annotator(), ahead: kAhead });
      this.isUndoing = false;
      this.held = [];
      this.listener.takenBack(outcome);
      this.take(outcome.next);
    } catch (error) {
      this.isUndoing = false;
      this.listener.failed((error as Error).message);
      this.listener.changed();
    }
  }

  private sending: Promise<void> = Promise.resolve();
  private send(): Promise<void> {
    if (!this.isSending) {
      this.isSending = true;
      this.sending = this.sendAll();
    }
    return this.sending;
  }

  // One after the other. An answer that was not saved comes back as a question, and so do those
  // after it: nothing is left out silently.
  private async sendAll(): Promise<void> {
    while (this.given.length > 0) {
      const { annotator, question, reply, chosen, seconds, note, request } = this.given[0];
      try {
        const outcome = await enter<Outcome>("/api/answer", {
          annotator,
          question: question.id,
          reply,
          chosen,
          seconds,
          ...(note ? { note } : {}),
          ahead: kAhead,
        }, request);
        this.given.shift();
        if (this.given.length === 0) this.isSending = false;
        this.listener.saved(outcome, reply);
        this.take(outcome.next);
      } catch (error) {
        const { message, status } = error as ApiError;
        const isHopeless = status >= 400 && status < 500 && status !== 429; // will not be taken later either
        if (isHopeless) this.given.shift();
        this.held = [...this.given.map((one) => one.question), ...this.held];
        this.given = [];
        this.isSending = false;
        this.listener.failed(status === 0 ? message : `Not saved: ${message}`);
        if (isHopeless) await this.load();
        else this.listener.changed();
      }
    }
    this.isSending = false;
  }

  // The server's word on what this person holds. The question on the screen stays first: it must
  // not change under somebody's fingers.
  private take(next: Next | null): void {
    if (!next) return;
    this.last = next;
    const shown = this.held[0]?.id;
    const answered = new Set(this.given.map((one) => one.question.id));
    const fresh = (next.question ? [next.question, ...next.upcoming] : []).filter((question) => !answered.has(question.id));
    fresh.sort((left, right) => Number(right.id === shown) - Number(left.id === shown));
    this.held = fresh;
    this.listener.changed();
  }
}

// How fast this person answers: today, in one sitting, per hour, and how long a budget will take.
import { get, type HistoryItem } from "./api";
import { grouped } from "./dom";

const kPage = 500;
const kBreakSeconds = 120; // a longer pause is no part of the pace
const kSittingSeconds = 900; // and after this one a new sitting begins
const kRecent = 60;
const kFewest = 5;

export class Pace {
  private times: number[] = []; // of today's answers in seconds, oldest first

  async load(annotator: string): Promise<void> {
    const midnight = new Date().setHours(0, 0, 0, 0);
    const times: number[] = [];
    for (let before = 0; ; ) {
      const items = await get<HistoryItem[]>("/api/history", { annotator, in_force: 1, most: kPage, before });
      for (const item of items)
        if (item.kind === "answer" && item.reply !== "skip" && Date.parse(item.at) >= midnight) times.push(Date.parse(item.at) / 1000);
      const oldest = items[items.length - 1];
      if (items.length < kPage || Date.parse(oldest.at) < midnight) break;
      before = oldest.id;
    }
    this.times = times.reverse();
  }

  answered(): void {
    this.times.push(Date.now() / 1000);
  }
  takenBack(): void {
    this.times.pop();
  }

  private gaps(): number[] {
    return this.times.slice(1).map((time, place) => time - this.times[place]);
  }
  perHour(): number | null {
    const gaps = this.gaps().slice(-kRecent).filter((gap) => gap <= kBreakSeconds);
    if (gaps.length < kFewest) return null;
    return 3600 / Math.max(0.5, gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
  }
  sitting(): number {
    if (this.times.length === 0 || Date.now() / 1000 - this.times[this.times.length - 1] > kSittingSeconds) return 0;
    const gaps = this.gaps();
    let count = 1;
    while (count <= gaps.length && gaps[gaps.length - count] <= kSittingSeconds) count++;
    return count;
  }

  inWords(answers: number, budget: number): string {
    const parts = [`${grouped(this.times.length)} today`];
    const sitting = this.sitting();
    if (sitting > 0 && sitting < this.times.length) parts.push(`${grouped(sitting)} in this sitting`);
    const perHour = this.perHour();
    if (perHour) parts.push(`${grouped(Math.round(perHour))} an hour`);
    if (budget > 0) {
      const left = Math.max(0, budget - answers);
      parts.push(left === 0 ? `all ${grouped(budget)} done` : `${grouped(left)} of ${grouped(budget)} left${perHour ? `, about ${duration((3600 * left) / perHour)}` : ""}`);
    }
    return parts.join(" · ");
  }
}

function duration(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
}

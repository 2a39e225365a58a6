// How far the study is: counts, the learning curve, the bandit, people, import.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { post, type ImportConflict, type ImportReport, type Status } from "./api";
import { element, grouped, notice, plural } from "./dom";
import { study } from "./study";

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
const percent = (value: number | null): string => (value === null ? "–" : `${(100 * value).toFixed(1)}\u00a0%`);

function conflictInWords({ line, pair, label, earlier, earlier_label }: ImportConflict): string {
  const words = (users: ImportConflict["pair"], value: number) => `${users.a?.name ?? "*"} ${value === 1 ? "=" : "≠"} ${users.b?.name ?? "*"}`;
  return `line ${line}: ${words(pair, label)} contradicts ${words(earlier, earlier_label)}`;
}

function number(words: string, value: string): HTMLElement {
  return element("div", { class: "number" }, element("strong", {}, value), element("span", { class: "quiet" }, words));
}

export class ProgressView {
  private plot: uPlot | null = null;
  private readonly live = element("div", { class: "stack" });

  constructor(
    private readonly root: HTMLElement,
    private readonly annotator: () => string,
    private readonly onChanged: () => void,
  ) {}

  open(status: Status): void {
    this.root.replaceChildren(element("h2", {}, "Progress"), this.live, ...(study.role === "owner" ? [this.importer()] : []));
    this.update(status);
  }

  // Whatever happened since; what has the focus stays.
  update(status: Status): void {
    const curve = element("div", { class: "curve" });
    const settled = status.all_pairs > 0 ? status.settled_pairs / status.all_pairs : 0;
    this.close();
    this.live.replaceChildren(
      status.failure && element("p", { class: "card failure", role: "alert", id: "failure" }, element("strong", {}, "The model cannot learn: "), status.failure, " ", study.takesPairs && element("a", { href: "#/find" }, "Find a pair by search")),
      element("p", { class: `advice card ${status.advice.stage}`, id: "advice" }, status.advice.words.replace(status.audit, "").trim()),
      element(
        "div",
        { class: "numbers" },
        number("answers", grouped(status.answers)),
        number("yes", grouped(status.yes)),
        number("known pairs", grouped(status.anchors)),
        ...this.right(status),
        number(`pairs settled, ${percent(settled)}`, grouped(status.settled_pairs)),
        number("without a partner", grouped(status.without_partner.a + status.without_partner.b)),
        number("unsure", grouped(status.unsure)),
        number("skipped", grouped(status.skipped)),
      ),
      status.audit && element("p", { class: "card", id: "audit" }, element("strong", {}, "Audit. "), status.audit),
      element("section", { class: "card" }, element("h3", {}, this.curveTitle(status)), curve),
      this.bandit(status),
      this.annotators(status),
    );
    this.draw(curve, status);
  }

  close(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private curveTitle(status: Status): string {
    const last = status.rounds[status.rounds.length - 1];
    if (last && last.validation_size > 0)
      return `Learning curve: precision@30 on ${plural(last.validation_size, "pair")} kept back`;
    return "Right pairs that may be expected, with what an export adds";
  }

  // Expected right pairs of the last fit, with the interval that its probabilities give.
  private right(status: Status): HTMLElement[] {
    const last = status.progress[status.progress.length - 1];
    if (!last) return [];
    const interval = `${grouped(Math.round(last.right_low))} to ${grouped(Math.round(last.right_high))}`.replaceAll(" ", "\u00a0");
    const box = number(`right pairs so far, ${interval}`, grouped(Math.round(last.right)));
    box.id = "right-pairs";
    box.title = "Known pairs, and the sum of the model's probabilities of those an export adds; nine times in ten within the interval, if those probabilities are right.";
    return [box];
  }

  private draw(place: HTMLElement, status: Status): void {
    const measured = status.rounds.some((round) => round.precision_at_30 !== null);
    const points = measured
      ? status.rounds.filter((round) => round.precision_at_30 !== null).map((round) => ({ answers: round.answers, values: [round.precision_at_30!] }))
      : status.progress.map((round) => ({ answers: round.answers, values: [round.right, round.right_low, round.right_high] }));
    if (points.length < 2) {
      place.append(element("p", { class: "quiet" }, "The curve appears after two rounds."));
      return;
    }
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim();
    const line = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    this.plot = new uPlot(
      {
        width: Math.max(260, place.clientWidth),
        height: 220,
        scales: { x: { time: false }, y: { range: measured ? [0, 1] : (_: uPlot, __: number, highest: number) => [0, Math.max(1, 1.05 * highest)] } },
        axes: [
          { ...axis, label: "answers", incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] },
          { ...axis, size: 60, values: (_: uPlot, marks: number[]) => marks.map((mark) => (measured ? `${Math.round(100 * mark)} %` : grouped(mark))) },
        ],
        series: [
          { label: "answers" },
          {
            label: measured ? "precision@30" : "right pairs",
            stroke: style.getPropertyValue("--accent").trim(),
            width: 2,
            points: { show: true, size: 6 },
            value: (_: uPlot, shown: number | null) => (measured || shown === null ? percent(shown) : grouped(Math.round(shown))),
          },
          ...(measured ? [] : ["at least", "at most"]).map((label) => ({ label, stroke: style.getPropertyValue("--accent").trim(), width: 1, dash: [4, 4], value: (_: uPlot, shown: number | null) => (shown === null ? "–" : grouped(Math.round(shown))) })),
        ],
      },
      [points.map((point) => point.answers), ...points[0].values.map((_, series) => points.map((point) => point.values[series]))],
      place,
    );
  }

  private bandit(status: Status): HTMLElement {
    const rows = status.arms.map((arm) =>
      element(
        "tr",
        {},
        element("td", {}, element("strong", {}, arm.name), " ", element("span", { class: "quiet" }, arm.summary)),
        element("td", { class: "figure" }, arm.times_chosen),
        element("td", { class: "figure" }, arm.times_chosen > 0 ? signed(arm.mean_reward) : "–"),
      ),
    );
    const recent = status.rounds.slice(-12).map((round) =>
      element("li", { class: round.explored ? "explored" : "", title: `round ${round.id}, ${round.answers} answers` }, round.strategy),
    );
    return element(
      "section",
      { class: "card" },
      element("h3", {}, "How questions were chosen"),
      element(
        "p",
        { class: "quiet" },
        status.arms.length > 1
          ? "Each round asks by one strategy. Which one is settled by what each has brought so far; a dashed one was tried by chance."
          : status.arms[0]?.name === "study"
            ? "The plan of a study: users with many contacts while few pairs are known, then what is open and brings most, with random matches among them that audit the model."
            : "Every round asks by the same strategy.",
      ),
      element("ol", { class: "choices", "aria-label": "Strategies of the last rounds" }, ...recent),
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...["strategy", "rounds", "mean reward"].map((words, column) => element("th", { scope: "col", class: column > 0 ? "figure" : undefined }, words)))),
        element("tbody", {}, ...rows),
      ),
    );
  }

  private annotators(status: Status): HTMLElement {
    const rows = status.annotators.map((person) =>
      element("tr", {}, element("td", {}, person.name), element("td", { class: "figure" }, grouped(person.answers)), element("td", { class: "figure" }, grouped(person.yes)), element("td", { class: "figure" }, person.consensus.questions > 0 ? `${grouped(person.consensus.equal)} of ${grouped(person.consensus.questions)}` : "–")),
    );
    const overall = status.agreement.overall;
    const words =
      overall.questions === 0
        ? "No question was answered by two people yet; --overlap 0.1 asks some twice."
        : `${overall.equal} of ${plural(overall.questions, "common question")} answered alike, Cohen's kappa ${overall.kappa === null ? "not defined" : overall.kappa.toFixed(2)}.`;
    return element(
      "section",
      { class: "card" },
      element("h3", {}, "Who answered"),
      element("p", { class: "quiet", id: "agreement" }, words),
      status.review.length > 0 && study.role !== "annotator" && element("p", {}, element("a", { href: "#/review" }, `${plural(status.review.length, "question")} to review`)),
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...["name", "answers", "yes", "as the others"].map((heading, column) => element("th", { scope: "col", class: column > 0 ? "figure" : undefined }, heading)))),
        element("tbody", {}, ...rows),
      ),
    );
  }

  private importer(): HTMLElement {
    const conflicts = element("ul", { class: "conflicts", "aria-label": "Contradictions" });
    const file = element("input", { type: "file", accept: ".tsv,.txt,text/*", "aria-label": "File of known pairs", change: () => void read() });
    const read = async () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      try {
        const report = await post<ImportReport>("/api/import", {
          annotator: this.annotator(),
          labels: await chosen.text(),
          source: chosen.name,
        });
        notice(`${plural(report.added, "label")} added, ${grouped(report.known)} known already, ${grouped(report.conflicts.length)} contradicting.`, report.conflicts.length > 0 ? "plain" : "good");
        conflicts.replaceChildren(...report.conflicts.slice(0, 100).map((one) => element("li", {}, conflictInWords(one))));
      } catch (error) {
        notice((error as Error).message, "bad");
      }
      this.onChanged();
    };
    return element(
      "section",
      { class: "card" },
      element("h3", {}, "Import known pairs"),
      element("p", { class: "quiet" }, "Lines of name-in-A, tab, name-in-B and optionally a label 1 or 0. Contradictions are listed and left out."),
      file,
      conflicts,
    );
  }
}

// What the whole page knows of the study: set from every status.
import type { Side, Status } from "./api";

export const study = {
  names: { A: "Network A", B: "Network B" } as Record<Side, string>,
  compare: [] as { a: string; b: string }[],
  pictures: false,
  guidelines: "",
  budget: 0,
  takesPairs: false, // found by search
  role: "owner" as "annotator" | "reviewer" | "owner", // of whoever sits here; without people everybody may do everything
};

export const networkName = (side: Side): string => study.names[side];

export function learnOfStudy(status: Status): void {
  study.role = status.signed_in?.role ?? "owner";
  study.names.A = status.name_a || "Network A";
  study.names.B = status.name_b || "Network B";
  study.compare = status.compare ?? [];
  study.pictures = status.pictures ?? false;
  study.guidelines = status.guidelines ?? "";
  study.budget = status.budget ?? 0;
  study.takesPairs = status.takes_notes ?? false; // both came together
}

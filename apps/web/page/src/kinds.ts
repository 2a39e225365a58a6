// The kinds of questions as the page shows them.
import type { Question } from "./api";
import { networkName } from "./study";

export type Kind = "pair" | "pick" | "partner";

interface Form {
  showsOnePair: boolean; // answered by yes or no; else by one of the candidates
  words(question: Question): string;
}

const forms: Record<Kind, Form> = {
  pair: { showsOnePair: true, words: () => "Are these two accounts the same person?" },
  pick: { showsOnePair: false, words: (question) => `Which of these is ${question.user.name}?` },
  partner: { showsOnePair: false, words: (question) => `Is ${question.user.name} in ${networkName(question.side === "A" ? "B" : "A")} at all?` },
};

export const askedInWords = (question: Question): string => forms[question.kind].words(question);
export const showsOnePair = (question: { kind: Kind }): boolean => forms[question.kind].showsOnePair;

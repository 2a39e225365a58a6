// Guidelines: the common part of Markdown as elements. Text goes in as text; markup in it stays text.
import { safeAddress } from "./card";
import { element } from "./dom";

// `code`, **bold**, *italic*, [words](https://address)
function inline(text: string): (Node | string)[] {
  const found = /`([^`]+)`|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/.exec(text);
  if (!found) return [text];
  const [all, code, bold, bolder, italic, words, target] = found;
  let node: Node | string = all;
  if (code !== undefined) node = element("code", {}, code);
  else if (bold !== undefined || bolder !== undefined) node = element("strong", {}, ...inline(bold ?? bolder));
  else if (italic !== undefined) node = element("em", {}, ...inline(italic));
  else {
    const address = safeAddress(target);
    node = address ? element("a", { href: address.href, target: "_blank", rel: "noopener noreferrer nofollow" }, words) : words;
  }
  return [text.slice(0, found.index), node, ...inline(text.slice(found.index + all.length))];
}

const kBullet = /^\s*[-*+]\s+/;
const kNumber = /^\s*\d+[.)]\s+/;

export function markdown(text: string): HTMLElement[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: HTMLElement[] = [];
  const takeWhile = (isWanted: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (lines.length > 0 && isWanted(lines[0])) taken.push(lines.shift()!);
    return taken;
  };
  while (lines.length > 0) {
    const line = lines[0];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (line.trim() === "") lines.shift();
    else if (line.startsWith("```")) {
      lines.shift();
      blocks.push(element("pre", {}, takeWhile((next) => !next.startsWith("```")).join("\n")));
      lines.shift();
    } else if (heading) {
      lines.shift();
      // The page has its own h1 and h2.
      blocks.push(element(heading[1].length === 1 ? "h3" : "h4", {}, ...inline(heading[2])));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      lines.shift();
      blocks.push(element("hr"));
    } else if (line.startsWith(">")) {
      const quoted = takeWhile((next) => next.startsWith(">")).map((next) => next.replace(/^>\s?/, ""));
      blocks.push(element("blockquote", {}, ...markdown(quoted.join("\n"))));
    } else if (kBullet.test(line) || kNumber.test(line)) {
      const mark = kBullet.test(line) ? kBullet : kNumber;
      const items: string[] = [];
      for (const next of takeWhile((one) => mark.test(one) || /^\s+\S/.test(one)))
        if (mark.test(next)) items.push(next.replace(mark, ""));
        else items[items.length - 1] += ` ${next.trim()}`;
      blocks.push(element(mark === kBullet ? "ul" : "ol", {}, ...items.map((item) => element("li", {}, ...inline(item)))));
    } else {
      const words = takeWhile((next) => next.trim() !== "" && !/^(#{1,6}\s|>|```)/.test(next) && !kBullet.test(next) && !kNumber.test(next));
      blocks.push(element("p", {}, ...inline(words.join(" "))));
    }
  }
  return blocks;
}

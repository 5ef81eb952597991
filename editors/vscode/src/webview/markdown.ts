import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { targetOf } from "../chat/links";

/** Code longer than this, in characters, is not coloured: that would block the page. */
const maxHighlighted = 50_000;

/**
 * The renderer of messages. HTML in them is text, images are their description, and
 * a link that leads nowhere safe is no link.
 */
export const markdown = new MarkdownIt({
  html: false,
  linkify: true,
  breaks: false,
  highlight: (code, language) =>
    code.length <= maxHighlighted && hljs.getLanguage(language) !== undefined
      ? hljs.highlight(code, { language, ignoreIllegals: true }).value
      : "",
});

markdown.validateLink = (href) => targetOf(href).kind !== "none";
// Only what is written as an address becomes one: "readme.md" is no site.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// An image would be fetched; its description is what a person gets.
markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  return `<span class="image-text">${markdown.utils.escapeHtml(token?.content ?? "")}</span>`;
};

/** A part of a message between two places where nothing is open: it renders by itself. */
export interface Block {
  source: string;
  /** The language when the block is one piece of code, and nothing but that. */
  code?: { language: string; text: string };
}

/**
 * Blocks cuts a message that grows into blocks. Text is only ever added at the end,
 * and what is added changes at most the last block: the others are cut once.
 */
export class Blocks {
  private done: Block[] = [];
  /** How much of the text is in done, in characters. */
  private cut = 0;
  private text = "";

  update(text: string): Block[] {
    if (!text.startsWith(this.text)) {
      this.done = [];
      this.cut = 0;
    }
    this.text = text;
    const rest = text.slice(this.cut);
    const fresh = split(rest);
    const finished = fresh.slice(0, -1);
    this.done = [...this.done, ...finished];
    this.cut += finished.reduce((sum, block) => sum + block.source.length, 0);
    return [...this.done, ...fresh.slice(-1)];
  }
}

/** Cuts a text into its top-level blocks, which together are the text again. */
export function split(text: string): Block[] {
  const starts: { line: number; code?: Block["code"] }[] = [];
  for (const token of markdown.parse(text, {})) {
    if (token.level === 0 && token.nesting >= 0 && token.map !== null) {
      const start: (typeof starts)[number] = { line: token.map[0] };
      if (token.type === "fence") {
        start.code = { language: token.info.trim().split(/\s+/)[0] ?? "", text: token.content };
      }
      starts.push(start);
    }
  }
  const lines = lineStarts(text);
  return starts.map((start, i) => {
    const from = i === 0 ? 0 : (lines[start.line] ?? text.length);
    const next = starts[i + 1];
    const to = next === undefined ? text.length : (lines[next.line] ?? text.length);
    const block: Block = { source: text.slice(from, to) };
    if (start.code !== undefined) {
      block.code = start.code;
    }
    return block;
  });
}

function lineStarts(text: string): number[] {
  const starts = [0];
  // markdown-it counts \r\n, \r and \n as the ends of lines.
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    starts.push(match.index + match[0].length);
  }
  return starts;
}

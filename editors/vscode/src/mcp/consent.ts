import type { MCPConsent } from "../protocol.gen";
import { visible } from "../visible";

/** The headings of a consent, in the reader's language. */
export interface ConsentWords {
  changed: string;
  changes: string;
  nothing: string;
  command: string;
  folder: string;
  url: string;
  env: string;
  variables: string;
}

/**
 * consentText shows exactly what would be started: one argument a line, nothing
 * invisible, nothing left out.
 */
export function consentText(consent: MCPConsent, words: ConsentWords): string {
  const parts: string[] = [];
  if (consent.changed === true) {
    parts.push(words.changed);
  }
  const block = (heading: string, lines: readonly string[]): void => {
    if (lines.length > 0) {
      parts.push([heading, ...lines.map((line) => `    ${visible(line)}`)].join("\n"));
    }
  };
  const side = (text: string): string => (text === "" ? words.nothing : text);
  block(words.changes, (consent.changes ?? []).map(({ field, before, after }) => `${field}: ${side(before)} → ${side(after)}`));
  block(words.command, consent.argv);
  block(words.url, consent.url === undefined ? [] : [consent.url]);
  block(words.folder, consent.cwd === "" ? [] : [consent.cwd]);
  block(words.env, consent.envNames);
  block(words.variables, consent.variables);
  return parts.join("\n\n");
}

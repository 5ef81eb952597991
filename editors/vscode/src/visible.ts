/** What a person cannot see, or what turns text around: controls, bidi marks, zero-width characters, tags. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/gu;

/**
 * visible writes text so that nothing in it hides: a character that cannot be seen
 * becomes \u{hex}, a line break \n. One text stays on one line.
 */
export function visible(text: string): string {
  return text.replace(/\\(?=n|u\{)/g, "\\\\").replace(unseen, (c) => (c === "\n" ? "\\n" : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`));
}

/**
 * codeOf is the code of an answer: what stands in its last fence, else all of it.
 * There is none in an answer that was cut off inside a fence, or that is empty.
 */
export function codeOf(answer: string): string | undefined {
  let found: string[] | undefined;
  let open: { mark: string; lines: string[] } | undefined;
  for (const line of answer.split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      if (mark !== undefined) {
        open = { mark, lines: [] };
      }
    } else if (mark?.startsWith(open.mark) === true && line.trim() === mark) {
      found = open.lines;
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) {
    return undefined;
  }
  const text = found === undefined ? answer.trim() : found.join("\n");
  return text === "" ? undefined : text;
}

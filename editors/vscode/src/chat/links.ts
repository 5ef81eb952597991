/** Where a link in a message may lead. */
export type Target =
  | { kind: "web"; url: string }
  /** A file: a path as written, and a 1-based line. */
  | { kind: "file"; path: string; line?: number }
  /** Nowhere: command links, scripts, and whatever else a link could be. */
  | { kind: "none" };

/** targetOf decides what a link in a message is, from its address alone. */
export function targetOf(href: string): Target {
  const text = href.trim();
  if (/^(https?|mailto):/i.test(text)) {
    return URL.canParse(text) ? { kind: "web", url: new URL(text).href } : { kind: "none" };
  }
  const drive = /^[a-z]:[\\/]/i.test(text);
  // Two slashes begin a host's name: no file of ours, and on Windows a share that is contacted.
  if (text === "" || text.startsWith("#") || /^[\\/]{2}/.test(text) || (!drive && /^[a-z][a-z0-9+.-]*:/i.test(text))) {
    return { kind: "none" };
  }
  const [, path = "", line] = /^(.*?)(?:(?:#L|:)(\d+)(?::\d+)?)?$/.exec(decode(text)) ?? [];
  if (path === "" || path.includes("\0")) {
    return { kind: "none" };
  }
  return line === undefined ? { kind: "file", path } : { kind: "file", path, line: Number(line) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

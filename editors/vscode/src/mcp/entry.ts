/** An entry of "mcp_servers" as the wizard writes it. */
export type Entry = { command: string; args?: string[] } | { type: "http"; url: string };

/** entryOf reads a command line, or an address; undefined when a quotation mark stays open. */
export function entryOf(line: string): Entry | undefined {
  if (/^https?:\/\//i.test(line)) {
    return { type: "http", url: line };
  }
  const words = wordsOf(line);
  const [command, ...args] = words ?? [];
  if (command === undefined) {
    return undefined;
  }
  return args.length === 0 ? { command } : { command, args };
}

/** Takes a command line apart as a shell does, without what a shell would run or expand. */
function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (quote !== "") {
      if (c === quote) {
        quote = "";
      } else if (c === "\\" && quote === '"' && /["\\]/.test(line.charAt(i + 1))) {
        word = (word ?? "") + line.charAt(++i);
      } else {
        word = (word ?? "") + c;
      }
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
    } else {
      word = (word ?? "") + c;
    }
  }
  if (quote !== "") {
    return undefined;
  }
  return word === undefined ? words : [...words, word];
}

/** A name that suggests itself: of the package, of the program, or of the host. */
export function nameFor(entry: Entry): string {
  const text = "url" in entry ? new URL(entry.url).hostname.replace(/^(www|mcp|api)\./, "").split(".")[0] : [...(entry.args ?? [])].find((arg) => !arg.startsWith("-") && /\w/.test(arg)) ?? entry.command;
  return (text ?? "server").replace(/^.*\//, "").replace(/@.*$/, "").replace(/^(mcp-server-|server-|mcp-)/, "").replace(/(-mcp-server|-mcp)$/, "").replace(/\.\w+$/, "").replace(/[^\w-]+/g, "-") || "server";
}

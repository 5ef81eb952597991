import type { MCPLogEntry } from "../protocol.gen";

/** unseenEntries are those of news that are not among kept, in their order. */
export function unseenEntries(kept: readonly MCPLogEntry[], news: readonly MCPLogEntry[]): MCPLogEntry[] {
  const id = (e: MCPLogEntry): string => JSON.stringify([e.time, e.source, e.level, e.text]);
  const count = new Map<string, number>();
  for (const e of kept) {
    count.set(id(e), (count.get(id(e)) ?? 0) + 1);
  }
  return news.filter((e) => {
    const left = count.get(id(e)) ?? 0;
    count.set(id(e), left - 1);
    return left <= 0;
  });
}

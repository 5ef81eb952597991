/** What a server says of itself in the answer to initialize. */
export interface Hello {
  serverInfo?: { name: string; version?: string };
  capabilities: { experimental?: unknown };
}

export type Checked =
  | { ok: true; version: string; methods: ReadonlySet<string> }
  | { ok: false; problem: "foreign"; name: string }
  | { ok: false; problem: "older" | "newer"; version: string; protocol: number };

/** checkServer reports whether this extension can work with a server that said hello. */
export function checkServer(hello: Hello | undefined, wanted: number): Checked {
  const name = hello?.serverInfo?.name ?? "";
  const codebot = (hello?.capabilities.experimental as { codebot?: { protocolVersion?: unknown; methods?: unknown } } | undefined)?.codebot;
  if (name !== "codebot-ls" || typeof codebot?.protocolVersion !== "number") {
    return { ok: false, problem: "foreign", name };
  }
  const version = hello?.serverInfo?.version ?? "";
  const protocol = codebot.protocolVersion;
  if (protocol !== wanted) {
    return { ok: false, problem: protocol < wanted ? "older" : "newer", version, protocol };
  }
  const methods = Array.isArray(codebot.methods) ? codebot.methods.filter((m) => typeof m === "string") : [];
  return { ok: true, version, methods: new Set(methods) };
}

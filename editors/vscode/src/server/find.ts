import { delimiter, join } from "node:path";

/** Where a server binary may be. */
export interface Places {
  /** The setting codebot.server.path; empty when it is not set. */
  configured: string;
  /** The binary inside the extension's package, whether or not it is there. */
  bundled: string;
  /** The environment variable PATH. */
  path: string;
  home: string;
  windows: boolean;
}

export type Found =
  | { from: "setting" | "bundled" | "path"; command: string }
  /** Nothing usable; missing is the configured path when that is what is wrong. */
  | { from: "nowhere"; missing?: string };

/**
 * findServer decides which binary is started: the one of the setting, else the one
 * in the package, else the first on PATH. A setting that names nothing is an error
 * and not a reason to start another binary.
 */
export function findServer(at: Places, isExecutable: (path: string) => boolean): Found {
  if (at.configured !== "") {
    const command = expandHome(at.configured, at.home);
    return isExecutable(command) ? { from: "setting", command } : { from: "nowhere", missing: command };
  }
  if (isExecutable(at.bundled)) {
    return { from: "bundled", command: at.bundled };
  }
  const name = at.windows ? "codebot-ls.exe" : "codebot-ls";
  for (const dir of at.path.split(at.windows ? ";" : delimiter)) {
    // An empty or relative entry means the working directory, which may be a project's.
    if (!isAbsolute(dir, at.windows)) {
      continue;
    }
    const command = join(dir, name);
    if (isExecutable(command)) {
      return { from: "path", command };
    }
  }
  return { from: "nowhere" };
}

function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") || path.startsWith("~\\") ? join(home, path.slice(1)) : path;
}

function isAbsolute(path: string, windows: boolean): boolean {
  return windows ? /^[a-z]:[\\/]|^\\\\/i.test(path) : path.startsWith("/");
}

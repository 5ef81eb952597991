/** What the editor's settings say of a proxy: "http.proxy" and its kin. */
export interface ProxySettings {
  /** The address, with or without a login; empty for none. */
  readonly proxy: string;
  /** Hosts that are reached without it. */
  readonly noProxy: readonly string[];
  /** "off" means that extensions do without. */
  readonly support: string;
}

/**
 * Returns the environment with the editor's proxy in the variables that the server
 * reads. A variable that is there already, in either spelling, goes before the setting.
 */
export function withProxy(
  env: Readonly<Record<string, string | undefined>>,
  settings: ProxySettings,
): Record<string, string | undefined> {
  const proxy = settings.proxy.trim();
  if (proxy === "" || settings.support === "off") {
    return { ...env };
  }
  const out = { ...env };
  const add = (name: string, value: string): void => {
    const there = env[name] ?? env[name.toLowerCase()];
    if (there === undefined || there === "") {
      out[name] = value;
    }
  };
  add("HTTP_PROXY", proxy);
  add("HTTPS_PROXY", proxy);
  const direct = settings.noProxy.map((host) => host.trim()).filter((host) => host !== "");
  if (direct.length > 0) {
    add("NO_PROXY", direct.join(","));
  }
  return out;
}

/** The address on this machine that a login's page sends the browser back to, if it is one. */
export function loopbackRedirect(url: string): string | undefined {
  if (!URL.canParse(url)) {
    return undefined;
  }
  const redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
  if (!URL.canParse(redirect)) {
    return undefined;
  }
  const { protocol, hostname } = new URL(redirect);
  return protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname) ? redirect : undefined;
}

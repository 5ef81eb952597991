/** How many members of one value are shown; the rest is counted. */
const most = 200;

/** A JSON value as a tree that opens level by level. */
export function Json({ value, name, open = false }: { value: unknown; name?: string; open?: boolean }) {
  const label = name === undefined ? null : <span class="key">{name}: </span>;
  if (value === null || typeof value !== "object") {
    return (
      <div class="leaf">
        {label}
        <code>{JSON.stringify(value)}</code>
      </div>
    );
  }
  const entries = Object.entries(value);
  const list = Array.isArray(value);
  return (
    <details class="json" open={open}>
      <summary>
        {label}
        <code>{list ? `[${entries.length}]` : `{${entries.length}}`}</code>
      </summary>
      {entries.slice(0, most).map(([key, member]) => (
        <Json key={key} name={key} value={member} />
      ))}
      {entries.length > most && <div class="leaf">… {entries.length - most}</div>}
    </details>
  );
}

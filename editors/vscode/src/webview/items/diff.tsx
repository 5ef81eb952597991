import { structuredPatch } from "diff";
import { useMemo } from "preact/hooks";
import type { Strings } from "../../chat/strings";
import { host } from "../host";

/** How long a comparison may take, in milliseconds; then only the editor's diff shows it. */
const patience = 200;
/** How many lines of a change are shown here. */
const maxLines = 400;

interface Props {
  path: string;
  oldText: string | undefined;
  newText: string;
  strings: Strings;
}

/** A change of a file, line by line, and a way to the editor's own diff. */
export function DiffView({ path, oldText, newText, strings }: Props) {
  const lines = useMemo(() => diffLines(oldText ?? "", newText), [oldText, newText]);
  const open = (): void => host.post({ type: "diff", path, newText, ...(oldText !== undefined && { oldText }) });
  return (
    <div class="diff">
      <div class="code-bar">
        <span class="language">
          {path} {oldText === undefined && `(${strings.newFile})`}
        </span>
        <button type="button" class="icon" title={strings.openDiff} aria-label={strings.openDiff} onClick={open}>
          <span class="codicon codicon-diff" aria-hidden="true" />
        </button>
      </div>
      <pre>
        {lines.map((line, i) => (
          <div key={i} class={lineClass(line)}>
            {line}
          </div>
        ))}
      </pre>
    </div>
  );
}

function diffLines(before: string, after: string): string[] {
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, timeout: patience });
  const lines = (patch?.hunks ?? []).flatMap((hunk, i) => (i === 0 ? hunk.lines : ["⋯", ...hunk.lines]));
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines), "⋯"];
}

function lineClass(line: string): string {
  switch (line[0]) {
    case "+":
      return "added";
    case "-":
      return "removed";
    default:
      return "same";
  }
}

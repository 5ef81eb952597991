import DOMPurify from "dompurify";
import { memo } from "preact/compat";
import { useRef } from "preact/hooks";
import type { Strings } from "../../chat/strings";
import { host } from "../host";
import { Blocks, markdown, type Block } from "../markdown";

/** What a rendered message may consist of; a second fence behind the renderer's own. */
const allowed = {
  ALLOWED_TAGS: [
    "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code", "em", "strong", "s",
    "a", "table", "thead", "tbody", "tr", "th", "td", "span",
  ],
  ALLOWED_ATTR: ["class", "start", "data-href", "title", "role", "tabindex"],
  ALLOW_DATA_ATTR: false,
};

// The address moves out of the browser's reach: the extension decides about links.
markdown.renderer.rules["link_open"] = (tokens, index, options, _env, self) => {
  const token = tokens[index];
  const href = token?.attrGet("href") ?? "";
  if (token !== undefined) {
    token.attrs = [["data-href", href], ["title", href], ["role", "link"], ["tabindex", "0"]];
  }
  return self.renderToken(tokens, index, options);
};

/** A message in Markdown that may still grow. */
export function Prose({ text, strings }: { text: string; strings: Strings }) {
  const blocks = useRef<Blocks>(undefined);
  blocks.current ??= new Blocks();
  return (
    <div class="prose">
      {blocks.current.update(text).map((block, i) => (
        <BlockView key={i} source={block.source} code={block.code} strings={strings} />
      ))}
    </div>
  );
}

const BlockView = memo(
  function BlockView({ source, code, strings }: { source: string; code: Block["code"]; strings: Strings }) {
    const html = DOMPurify.sanitize(markdown.render(source), allowed);
    if (code === undefined) {
      return <div dangerouslySetInnerHTML={{ __html: html }} />;
    }
    return (
      <div class="code">
        <div class="code-bar">
          <span class="language">{code.language}</span>
          <IconButton icon="copy" label={strings.copy} onClick={() => host.post({ type: "copy", text: code.text })} />
          <IconButton icon="insert" label={strings.insert} onClick={() => host.post({ type: "insert", text: code.text })} />
          <IconButton icon="diff" label={strings.apply} onClick={() => host.post({ type: "apply", text: code.text })} />
        </div>
        <div dangerouslySetInnerHTML={{ __html: html }} />
      </div>
    );
  },
  (a, b) => a.source === b.source,
);

function IconButton({ icon, label, onClick }: { icon: string; label: string; onClick: () => void }) {
  return (
    <button type="button" class="icon" title={label} aria-label={label} onClick={onClick}>
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
    </button>
  );
}

import { useState } from "preact/hooks";
import type { Strings } from "../../chat/strings";
import type { ContentBlock } from "../../protocol.gen";

/** How much of a text is shown before it is asked for, in characters. */
const firstPart = 4_000;
/** The images a browser shows without running anything in them: SVG is not among them. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** What a tool answered, by its type. */
export function ContentView({ content, strings }: { content: ContentBlock; strings: Strings }) {
  switch (content.type) {
    case "text":
      return <Plain text={content.text} strings={strings} />;
    case "image":
      return imageTypes.has(content.mimeType) && /^[A-Za-z0-9+/=\s]*$/.test(content.data) ? (
        <img src={`data:${content.mimeType};base64,${content.data}`} alt={strings.image} />
      ) : (
        <span class="image-text">
          {strings.image} ({content.mimeType})
        </span>
      );
    case "audio":
      return <span class="image-text">{content.mimeType}</span>;
    case "resource_link":
      return (
        <a data-href={content.uri} title={content.uri} role="link" tabIndex={0}>
          {content.title ?? content.name}
        </a>
      );
    case "resource":
      return content.resource.text === undefined ? (
        <span class="image-text">{content.resource.uri}</span>
      ) : (
        <Plain text={content.resource.text} strings={strings} />
      );
  }
}

/** Text as it is; a long one in part, until the rest is asked for. */
export function Plain({ text, strings }: { text: string; strings: Strings }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <pre class="plain">{all || text.length <= firstPart ? text : `${text.slice(0, firstPart)}…`}</pre>
      {!all && text.length > firstPart && (
        <button type="button" class="secondary" onClick={() => setAll(true)}>
          {strings.more}
        </button>
      )}
    </>
  );
}

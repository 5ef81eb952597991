import { memo } from "preact/compat";
import type { Strings } from "../../chat/strings";
import type { PlanEntry, StopReason } from "../../protocol.gen";
import { host } from "../host";
import type { Item } from "../transcript";
import { ContentView } from "./content";
import { Prose } from "./prose";
import { ToolCard } from "./tool";

/** One thing in the conversation. It is drawn again only when it is another object. */
export const ItemView = memo(function ItemView({ item, nested, strings }: { item: Item; nested?: readonly Item[] | undefined; strings: Strings }) {
  switch (item.kind) {
    case "user":
      return (
        <div class="item user" role="article" aria-label={strings.you}>
          {item.text}
          <UserActions messageId={item.messageId} strings={strings} />
        </div>
      );
    case "agent":
      return (
        <div class="item agent">
          <Prose text={item.text} strings={strings} />
        </div>
      );
    case "thought":
      return (
        <details class="item thought">
          <summary>{strings.thought}</summary>
          <Prose text={item.text} strings={strings} />
        </details>
      );
    case "content":
      return (
        <div class="item">
          <ContentView content={item.content} strings={strings} />
        </div>
      );
    case "tool":
      return (
        <ToolCard
          call={item.call}
          question={item.question}
          nested={nested === undefined ? null : nested.map((inner) => <ItemView key={inner.id} item={inner} strings={strings} />)}
          strings={strings}
        />
      );
    case "plan":
      return (
        <div class="item plan">
          <div class="heading">{strings.plan}</div>
          <ul>
            {item.entries.map((entry) => (
              <li key={entry.content}>
                <span class={`codicon codicon-${planIcon(entry)}`} aria-hidden="true" /> {entry.content}
              </li>
            ))}
          </ul>
        </div>
      );
    case "note":
      return <div class={`item notice${item.bad ? " bad" : ""}`}>{item.text}</div>;
    case "stopped":
      return <div class="item notice">{stopText(item.reason, strings)}</div>;
    case "failure":
      return (
        <div class="item failure" role="alert">
          <div>
            <span class="codicon codicon-error" aria-hidden="true" /> {item.failure.message}
          </div>
          {item.failure.detail !== undefined && <div class="detail">{item.failure.detail}</div>}
          <div class="buttons">
            {item.failure.remedies.map(({ remedy, label }) => (
              <button key={remedy} type="button" class="secondary" onClick={() => host.post({ type: "remedy", remedy })}>
                {label}
              </button>
            ))}
          </div>
        </div>
      );
  }
});

/** What can be done from a message of the user's on, once the server has named it. */
function UserActions({ messageId, strings }: { messageId: string | undefined; strings: Strings }) {
  if (messageId === undefined) {
    return null;
  }
  return (
    <span class="actions">
      <button type="button" class="icon undo" title={strings.undo} aria-label={strings.undo} onClick={() => host.post({ type: "undo", messageId })}>
        <span class="codicon codicon-discard" aria-hidden="true" />
      </button>
      <button type="button" class="icon fork" title={strings.fork} aria-label={strings.fork} onClick={() => host.post({ type: "fork", messageId })}>
        <span class="codicon codicon-repo-forked" aria-hidden="true" />
      </button>
    </span>
  );
}

function planIcon(entry: PlanEntry): string {
  switch (entry.status) {
    case "pending":
      return "circle-large-outline";
    case "in_progress":
      return "arrow-right";
    case "completed":
      return "check";
  }
}

function stopText(reason: StopReason, strings: Strings): string {
  switch (reason) {
    case "cancelled":
      return strings.cancelled;
    case "max_tokens":
      return strings.maxTokens;
    case "max_turn_requests":
      return strings.maxRequests;
    case "refusal":
      return strings.refusal;
    case "end_turn":
      return "";
  }
}

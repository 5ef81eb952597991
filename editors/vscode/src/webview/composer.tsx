import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionView } from "../chat/messages";
import type { Strings } from "../chat/strings";
import { host } from "./host";

interface Props {
  strings: Strings;
  session: SessionView | undefined;
  running: boolean;
  enabled: boolean;
  focus: number;
  /** A prompt that came back; each time another object. */
  unsent: { text: string } | undefined;
}

/** Where a prompt is written, and what it will be run with. */
export function Composer({ strings, session, running, enabled, focus, unsent }: Props) {
  const [text, setText] = useState(host.draft);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Only when it was asked for: a page that is restored leaves the focus where it is.
    if (focus > 0) {
      input.current?.focus();
    }
  }, [focus]);
  useLayoutEffect(() => {
    const e = input.current;
    if (e !== null) {
      e.style.height = "auto";
      e.style.height = `${Math.min(e.scrollHeight, 240)}px`;
    }
  }, [text]);

  const change = (value: string): void => {
    setText(value);
    host.draft = value;
  };
  useEffect(() => {
    if (unsent !== undefined && input.current?.value === "") {
      change(unsent.text);
    }
  }, [unsent]);
  const send = (): void => {
    if (text.trim() !== "" && enabled && !running) {
      host.post({ type: "send", text });
      change("");
    }
  };
  const keydown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter takes its proposal.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div class="composer">
      <textarea
        ref={input}
        rows={1}
        value={text}
        placeholder={strings.placeholder}
        aria-label={strings.placeholder}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={keydown}
      />
      <div class="row">
        <button type="button" class="pick" title={strings.mode} disabled={session === undefined} onClick={() => host.post({ type: "pickMode" })}>
          <span class="codicon codicon-shield" aria-hidden="true" /> <span class="mode">{session?.mode ?? ""}</span>
        </button>
        <button type="button" class="pick" title={strings.model} disabled={session === undefined} onClick={() => host.post({ type: "pickModel" })}>
          <span class="codicon codicon-sparkle" aria-hidden="true" /> <span class="model">{session?.model ?? ""}</span>
        </button>
        <span class="space" />
        {running ? (
          <button type="button" class="icon stop" title={strings.stop} aria-label={strings.stop} onClick={() => host.post({ type: "stop" })}>
            <span class="codicon codicon-debug-stop" aria-hidden="true" />
          </button>
        ) : (
          <button type="button" class="icon send" title={strings.send} aria-label={strings.send} disabled={!enabled || text.trim() === ""} onClick={send}>
            <span class="codicon codicon-send" aria-hidden="true" />
          </button>
        )}
      </div>
    </div>
  );
}

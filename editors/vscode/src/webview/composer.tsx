import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Attachment, Proposal, SessionView } from "../chat/messages";
import type { Strings } from "../chat/strings";
import type { ContentBlock } from "../protocol.gen";
import { isImage, readImage } from "./images";
import { host } from "./host";
import { nextNumber, triggerAt, urisOf, withProposal, wordOf } from "./suggest";
import type { Item, Usage } from "./transcript";

interface Props {
  strings: Strings;
  session: SessionView | undefined;
  running: boolean;
  usage: Usage | undefined;
  /** The conversation, for the prompts that were written before. */
  earlier: readonly Item[];
  enabled: boolean;
  focus: number;
  /** A prompt that came back; each time another object. */
  unsent: { text: string } | undefined;
  /** Something to go along with the prompt; each time another object. */
  attached: { attachment: Attachment } | undefined;
  proposals: { number: number; proposals: Proposal[] } | undefined;
  /** A command of the editor's that was run; each time another object. */
  pressed: { key: "send" | "newLine" } | undefined;
}

/** Where a prompt is written, and what it will be run with. */
export function Composer({ strings, session, running, usage, earlier, enabled, focus, unsent, attached, proposals, pressed }: Props) {
  const [text, setText] = useState(host.draft);
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  /** The number of the question for suggestions that is open, and the one chosen of them. */
  const [asking, setAsking] = useState<number | undefined>(undefined);
  const [chosen, setChosen] = useState(0);
  /** How far back in the prompts of before; -1 is what is being written. */
  const [back, setBack] = useState(-1);
  const mentions = useRef(new Map<string, ContentBlock>());
  const written = useRef("");
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
  useEffect(() => {
    if (attached !== undefined) {
      setAttachments((list) => [...list, attached.attachment]);
      input.current?.focus();
    }
  }, [attached]);

  const change = (value: string): void => {
    setText(value);
    host.draft = value;
  };
  useEffect(() => {
    if (unsent !== undefined && input.current !== null && !input.current.value.includes(unsent.text)) {
      change(input.current.value === "" ? unsent.text : `${unsent.text}\n${input.current.value}`);
    }
  }, [unsent]);

  const shown = asking !== undefined && proposals?.number === asking ? proposals.proposals : [];
  const typed = (value: string, caret: number): void => {
    change(value);
    setBack(-1);
    const trigger = triggerAt(value, caret);
    if (trigger === undefined) {
      setAsking(undefined);
      return;
    }
    const number = nextNumber();
    setAsking(number);
    setChosen(0);
    host.post({ type: "complete", number, trigger: trigger.trigger, query: trigger.query });
  };
  const take = (proposal: Proposal): void => {
    const e = input.current;
    if (e === null) {
      return;
    }
    if (proposal.kind === "mention" && proposal.mention.block !== undefined) {
      mentions.current.set(proposal.mention.text, proposal.mention.block);
    }
    const next = withProposal(e.value, e.selectionStart, wordOf(proposal));
    change(next.text);
    setAsking(undefined);
    requestAnimationFrame(() => {
      e.focus();
      e.setSelectionRange(next.caret, next.caret);
    });
  };
  const walk = (step: 1 | -1): void => {
    const prompts = earlier.filter((item) => item.kind === "user").map((item) => item.text).reverse();
    const at = Math.min(Math.max(back + step, -1), prompts.length - 1);
    if (back === -1) {
      written.current = text;
    }
    setBack(at);
    change(at === -1 ? written.current : (prompts[at] ?? ""));
  };
  const send = (): void => {
    if (text.trim() === "" || !enabled) {
      return;
    }
    const named = [...mentions.current].filter(([word]) => text.includes(word)).map(([, block]) => block);
    host.post({ type: "send", text, blocks: [...attachments.map((a) => a.block), ...named] });
    change("");
    setAttachments([]);
    setAsking(undefined);
    setBack(-1);
    mentions.current.clear();
  };
  useEffect(() => {
    const e = input.current;
    // The page may be open twice; the command means the one that is written in.
    if (pressed === undefined || e === null || !document.hasFocus()) {
      return;
    }
    if (pressed.key === "send") {
      send();
    } else {
      const at = e.selectionStart + 1;
      change(`${e.value.slice(0, e.selectionStart)}\n${e.value.slice(e.selectionEnd)}`);
      requestAnimationFrame(() => e.setSelectionRange(at, at));
    }
  }, [pressed]);
  const keydown = (event: KeyboardEvent): void => {
    // While an input method composes, its keys are its own.
    if (event.isComposing) {
      return;
    }
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (shown.length > 0 && plain) {
      const proposal = shown[chosen];
      switch (event.key) {
        case "ArrowDown":
        case "ArrowUp":
          event.preventDefault();
          setChosen((chosen + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length);
          return;
        case "Enter":
        case "Tab":
          event.preventDefault();
          if (proposal !== undefined) {
            take(proposal);
          }
          return;
        case "Escape":
          event.preventDefault();
          event.stopPropagation();
          setAsking(undefined);
          return;
        default:
          break;
      }
    }
    const e = input.current;
    if (event.key === "Enter" && plain) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && plain && e !== null && (back >= 0 || e.value === "")) {
      event.preventDefault();
      walk(1);
    } else if (event.key === "ArrowDown" && plain && back >= 0) {
      event.preventDefault();
      walk(-1);
    }
  };
  const addFiles = (event: Event, files: FileList | undefined): void => {
    const images = [...(files ?? [])].filter(isImage);
    if (images.length > 0) {
      event.preventDefault();
      for (const image of images) {
        void readImage(image).then((attachment) => setAttachments((list) => [...list, attachment]));
      }
    }
  };
  const drop = (event: DragEvent): void => {
    // From the explorer or a tab come addresses, from outside the editor the files themselves.
    const uris = urisOf(event.dataTransfer);
    if (uris.length > 0) {
      event.preventDefault();
      host.post({ type: "dropped", uris });
    } else {
      addFiles(event, event.dataTransfer?.files);
    }
  };
  const label = running ? strings.steer : strings.placeholder;
  return (
    <div class="composer" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      {shown.length > 0 && (
        <ul class="proposals" role="listbox" aria-label={strings.suggestions}>
          {shown.map((proposal, i) => (
            <li key={wordOf(proposal)} role="option" aria-selected={i === chosen} class={i === chosen ? "chosen" : ""} onMouseDown={(event) => (event.preventDefault(), take(proposal))}>
              <span class="word">{wordOf(proposal)}</span>
              <span class="detail">{proposal.kind === "command" ? proposal.command.description : (proposal.mention.detail ?? "")}</span>
            </li>
          ))}
        </ul>
      )}
      {attachments.length > 0 && (
        <div class="attachments">
          {attachments.map((attachment, i) => (
            <span key={i} class="attachment">
              {attachment.label}
              <button type="button" class="icon" title={strings.remove} aria-label={`${strings.remove} ${attachment.label}`} onClick={() => setAttachments(attachments.filter((_, j) => j !== i))}>
                <span class="codicon codicon-close" aria-hidden="true" />
              </button>
            </span>
          ))}
        </div>
      )}
      <textarea
        ref={input}
        rows={1}
        value={text}
        placeholder={label}
        aria-label={label}
        onInput={(event) => typed(event.currentTarget.value, event.currentTarget.selectionStart)}
        onKeyDown={keydown}
        onPaste={(event) => addFiles(event, event.clipboardData?.files)}
        onBlur={() => setAsking(undefined)}
      />
      <div class="row">
        <button type="button" class="icon attach" title={strings.attach} aria-label={strings.attach} onClick={() => host.post({ type: "pickFile" })}>
          <span class="codicon codicon-attach" aria-hidden="true" />
        </button>
        <button type="button" class="pick" title={strings.mode} disabled={session === undefined} onClick={() => host.post({ type: "pickMode" })}>
          <span class="codicon codicon-shield" aria-hidden="true" /> <span class="mode">{session?.mode ?? ""}</span>
        </button>
        <button type="button" class="pick" title={strings.model} disabled={session === undefined} onClick={() => host.post({ type: "pickModel" })}>
          <span class="codicon codicon-sparkle" aria-hidden="true" /> <span class="model">{session?.model ?? ""}</span>
        </button>
        <span class="space" />
        {usage !== undefined && (usage.size > 0 || usage.cost !== undefined) && (
          <button
            type="button"
            class="icon usage"
            title={usage.cost === undefined ? strings.context : `${strings.context} (${usage.cost})`}
            aria-label={strings.context}
            onClick={() => host.post({ type: "context" })}
          >
            {usage.size > 0 ? `${Math.round((100 * usage.used) / usage.size)} %` : usage.cost}
          </button>
        )}
        {running && (
          <button type="button" class="icon stop" title={strings.stop} aria-label={strings.stop} onClick={() => host.post({ type: "stop" })}>
            <span class="codicon codicon-debug-stop" aria-hidden="true" />
          </button>
        )}
        {(!running || text.trim() !== "") && (
          <button type="button" class="icon send" title={running ? strings.steer : strings.send} aria-label={running ? strings.steer : strings.send} disabled={!enabled || text.trim() === ""} onClick={send}>
            <span class="codicon codicon-send" aria-hidden="true" />
          </button>
        )}
      </div>
    </div>
  );
}

import { render } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { Card, SessionView, ToPage } from "../chat/messages";
import type { Strings } from "../chat/strings";
import { CardView } from "./card";
import { Composer } from "./composer";
import { host } from "./host";
import { ItemView } from "./items/item";
import { emptyTranscript, nest, reduce, type Transcript } from "./transcript";
import "@vscode/codicons/dist/codicon.css";
import "./style.css";

interface State {
  strings: Strings | undefined;
  server: Extract<ToPage, { type: "server" }>;
  session: SessionView | undefined;
  transcript: Transcript;
  /** Grows when the input is to get the focus. */
  focus: number;
  unsent: Extract<ToPage, { type: "unsent" }> | undefined;
  card: Card | undefined;
  attached: Extract<ToPage, { type: "attach" }> | undefined;
  proposals: Extract<ToPage, { type: "proposals" }> | undefined;
  key: Extract<ToPage, { type: "key" }> | undefined;
}

const initial: State = {
  strings: undefined,
  server: { type: "server", state: "starting" },
  session: undefined,
  transcript: emptyTranscript,
  focus: 0,
  unsent: undefined,
  card: undefined,
  attached: undefined,
  proposals: undefined,
  key: undefined,
};

function step(state: State, messages: readonly ToPage[]): State {
  let next = { ...state };
  for (const message of messages) {
    next.transcript = reduce(next.transcript, message);
    switch (message.type) {
      case "hello":
        next.strings = message.strings;
        break;
      case "server":
        next.server = message;
        break;
      case "session":
        next.session = message.session;
        break;
      case "unsent":
        next.unsent = message;
        break;
      case "card":
        next.card = message.card;
        break;
      case "attach":
        next.attached = message;
        break;
      case "proposals":
        // The answers to fast typing come in any order; an older one has no use any more.
        if (message.number >= (next.proposals?.number ?? 0)) {
          next.proposals = message;
        }
        break;
      case "key":
        next.key = message;
        break;
      case "focus":
        next.focus++;
        break;
      default:
        break;
    }
  }
  return next;
}

/** A hidden page gets no frames; it follows this often, in milliseconds. */
const withoutFrames = 100;

/** useHost follows the extension's messages, and draws at most once a frame. */
function useHost(): State {
  const [state, dispatch] = useReducer(step, initial);
  useEffect(() => {
    let waiting: ToPage[] = [];
    let request = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      cancelAnimationFrame(request);
      clearTimeout(timer);
      timer = undefined;
      const messages = waiting;
      waiting = [];
      dispatch(messages);
    };
    const receive = (event: MessageEvent<ToPage[]>): void => {
      waiting.push(...event.data);
      if (timer === undefined) {
        timer = setTimeout(flush, withoutFrames);
        request = requestAnimationFrame(flush);
      }
    };
    window.addEventListener("message", receive);
    host.post({ type: "ready" });
    return () => {
      cancelAnimationFrame(request);
      clearTimeout(timer);
      window.removeEventListener("message", receive);
    };
  }, []);
  return state;
}

function App() {
  const { strings, server, session, transcript, focus, unsent, card, attached, proposals, key } = useHost();
  if (strings === undefined) {
    return null;
  }
  return (
    <>
      <Messages transcript={transcript} card={card} strings={strings} />
      {server.state !== "running" && (
        <div class="banner" role="status">
          {server.state === "starting" ? strings.starting : (server.message ?? strings.stopped)}
        </div>
      )}
      <Composer
        strings={strings}
        session={session}
        running={transcript.running}
        usage={transcript.usage}
        earlier={transcript.items}
        enabled={server.state === "running"}
        focus={focus}
        unsent={unsent}
        attached={attached}
        proposals={proposals}
        pressed={key}
      />
    </>
  );
}

function Messages({ transcript, card, strings }: { transcript: Transcript; card: Card | undefined; strings: Strings }) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // What is new is followed until the person goes up, and again from the end on.
  const following = useRef(true);
  const lastTop = useRef(0);
  const follow = (): void => {
    if (following.current && scroller.current !== null) {
      scroller.current.scrollTop = scroller.current.scrollHeight;
    }
  };
  useLayoutEffect(follow, [transcript]);
  useEffect(() => {
    if (content.current === null) {
      return undefined;
    }
    // An item gets its real height only when it comes into sight.
    const observer = new ResizeObserver(follow);
    observer.observe(content.current);
    if (scroller.current !== null) {
      observer.observe(scroller.current);
    }
    return () => observer.disconnect();
  }, []);
  const scrolled = (): void => {
    const e = scroller.current;
    if (e !== null) {
      // Content that has grown meanwhile puts the end out of sight too; that is no wish.
      const up = e.scrollTop < lastTop.current;
      if (e.scrollHeight - e.scrollTop - e.clientHeight < 40) {
        following.current = true;
      } else if (up) {
        following.current = false;
      }
      lastTop.current = e.scrollTop;
    }
  };
  const { top, nested } = nest(transcript.items);
  return (
    <div class="messages" ref={scroller} onScroll={scrolled} onClick={followLink} onKeyDown={followKey} role="log" aria-live="polite" aria-label={strings.transcript}>
      <div ref={content}>
        {transcript.items.length === 0 && <p class="welcome">{strings.welcome}</p>}
        {transcript.items.length === 0 && card !== undefined && <CardView card={card} />}
        {top.map((item) => (
          <ItemView key={item.id} item={item} nested={item.kind === "tool" ? nested.get(item.call.toolCallId) : undefined} strings={strings} />
        ))}
        {transcript.running && (
          <div class="working">
            <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true" /> {strings.working}
          </div>
        )}
      </div>
    </div>
  );
}

function followKey(event: KeyboardEvent): void {
  if (event.key === "Enter") {
    followLink(event);
  }
}

/** A click on a link asks the extension; the page itself goes nowhere. */
function followLink(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link !== null) {
    event.preventDefault();
    event.stopPropagation();
    const href = link.dataset["href"];
    if (href !== undefined) {
      host.post({ type: "link", href });
    }
  }
}

const root = document.getElementById("app");
if (root !== null) {
  render(<App />, root);
}

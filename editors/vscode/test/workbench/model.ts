import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A piece of text, or a call of a tool by its exposed name. */
export type Piece = string | { tool: string; args: object };

/**
 * What the model answers, piece by piece; it ends early when the request is given up.
 * results is how many tools have answered since the prompt; subAgent says who asks.
 */
export type Script = (results: number, stopped: AbortSignal, subAgent: boolean) => AsyncIterable<Piece>;

/**
 * Model is an endpoint that speaks OpenAI's chat completions and says what the test
 * tells it to.
 */
export class Model {
  script: Script = async function* () {
    yield "Nothing to say.";
  };
  /** How many requests were given up by the other side. */
  abandoned = 0;
  /** The keys that requests came with, the last one last. */
  readonly keys: string[] = [];
  private calls = 0;

  private constructor(private readonly http: Server) {}

  static async start(): Promise<Model> {
    const http = createServer((request, response) => {
      const key = request.headers["x-api-key"] ?? request.headers.authorization;
      if (typeof key === "string") {
        model.keys.push(key);
      }
      if (request.method === "GET") {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
        return;
      }
      let body = "";
      request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      request.on("end", () => void model.answer(body, response));
    });
    const model = new Model(http);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.http.closeAllConnections();
    this.http.close();
  }

  private async answer(body: string, response: ServerResponse): Promise<void> {
    const given = JSON.parse(body === "" ? "{}" : body) as { messages?: { role: string }[] };
    const messages = given.messages ?? [];
    const results = messages.slice(messages.findLastIndex((m) => m.role === "user")).filter((m) => m.role === "tool").length;
    const stopped = new AbortController();
    response.on("close", () => {
      if (!response.writableEnded) {
        this.abandoned++;
        stopped.abort();
      }
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (choice: object): void => {
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "test", choices: [{ index: 0, ...choice }] })}\n\n`);
    };
    let end = "stop";
    for await (const piece of this.script(results, stopped.signal, body.includes("You are a sub-agent"))) {
      if (stopped.signal.aborted) {
        return;
      }
      if (typeof piece === "string") {
        send({ delta: { role: "assistant", content: piece }, finish_reason: null });
      } else {
        end = "tool_calls";
        const call = { index: 0, id: `call_${++this.calls}`, type: "function", function: { name: piece.tool, arguments: JSON.stringify(piece.args) } };
        send({ delta: { role: "assistant", tool_calls: [call] }, finish_reason: null });
      }
    }
    send({ delta: {}, finish_reason: end });
    response.end("data: [DONE]\n\n");
  }
}

/** Sink is a place that nothing may call; it counts who does. */
export class Sink {
  readonly requests: string[] = [];

  private constructor(private readonly http: Server) {}

  static async start(): Promise<Sink> {
    const sink: Sink = new Sink(
      createServer((request, response) => {
        sink.requests.push(request.url ?? "");
        response.end();
      }),
    );
    await new Promise<void>((resolve) => sink.http.listen(0, "127.0.0.1", resolve));
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  close(): void {
    this.http.closeAllConnections();
    this.http.close();
  }
}

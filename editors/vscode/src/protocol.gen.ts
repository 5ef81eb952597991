// Code generated from server/wire by make generate. DO NOT EDIT.

/** A request: params P, answered with R. The last member carries the types alone and is never set. */
export interface RequestMethod<P, R> {
  readonly method: string;
  readonly types?: (params: P) => R;
}

/** A notification with params P. The last member carries the type alone and is never set. */
export interface NotificationMethod<P> {
  readonly method: string;
  readonly types?: (params: P) => void;
}

/**
 * ProtocolVersion is the version of this protocol; it grows when a change would
 * break a client.
 */
export const protocolVersion = 1;

/**
 * CommandRequest is the LSP command "codebot.request" with arguments
 * [method, params]: for clients without a plug-in, and in code lenses. Approvals,
 * trust, keys and answers to permissions are not reachable through it.
 */
export const commandRequest = "codebot.request";

/**
 * CommandUI is the LSP command "codebot.ui" with arguments
 * [action, {name, folder?}], run by a plug-in: actions trust, login, log,
 * openSettings, mcp.
 */
export const commandUI = "codebot.ui";

/**
 * CodeActionFailed is the code of every error that carries an ActionError or a
 * ModelError as data: LSP's RequestFailed.
 */
export const codeActionFailed = -32803;

/**
 * MCPElicitParams is a question of a server's. Text is as the server wrote it, less what
 * cannot be seen.
 */
export interface MCPElicitParams {
  server: string;
  folder?: string;
  mode: ElicitMode;
  message: string;
  /** RequestedSchema describes the form, a flat JSON Schema object of MCP's kind. */
  requestedSchema?: unknown;
  /** URL is the page that the person is asked to open. Show its host before it is. */
  url?: string;
}

/** ElicitMode is how a server asks. */
export type ElicitMode = "form" | "url";

/** MCPElicitResult is the answer. Content is what was filled in, for accept of a form. */
export interface MCPElicitResult {
  action: ElicitAction;
  content?: unknown;
}

/** ElicitAction is what the person did. */
export type ElicitAction = "accept" | "decline" | "cancel";

/** MCPSampleParams asks whether a server may use the model, and shows what it would send. */
export interface MCPSampleParams {
  server: string;
  folder?: string;
  /** Model is the id of the model that would answer. */
  model: string;
  systemPrompt?: string;
  messages: MCPPromptMessage[];
  maxTokens: number;
}

/** MCPSampleResult is the person's answer. */
export interface MCPSampleResult {
  action: SampleAction;
}

/** SampleAction is what the person decided. */
export type SampleAction = "allow_once" | "allow_session" | "reject";

/**
 * MCPAuthorizeParams asks the person to log in to a server with a browser. The server
 * cancels the request when the browser has come back by itself.
 */
export interface MCPAuthorizeParams {
  server: string;
  folder?: string;
  /**
   * URL is the page to open, Issuer the host whose page it is, RedirectURI where the
   * browser comes back to.
   */
  url: string;
  issuer: string;
  redirectUri: string;
}

/** MCPAuthorizeResult is what the person did. */
export interface MCPAuthorizeResult {
  /** Cancelled: the person does not want to log in. */
  cancelled?: boolean;
  /**
   * Callback is the address the browser ended at, or the code in it, pasted by a
   * person whose browser cannot reach the redirect address.
   */
  callback?: string;
}

/** DiagnosticsParams asks for the problems that the editor knows of. */
export interface DiagnosticsParams {
  /** URI is one document or folder; default all. */
  uri?: string;
}

/** DiagnosticsResult lists documents with problems. */
export interface DiagnosticsResult {
  documents: DocumentDiagnostics[];
}

/** DocumentDiagnostics are the problems of one document. */
export interface DocumentDiagnostics {
  uri: string;
  diagnostics: Diagnostic[];
}

/** Diagnostic is one problem. Line and column count from 1, columns in UTF-16. */
export interface Diagnostic {
  line: number;
  column: number;
  severity: DiagnosticSeverity;
  message: string;
  source?: string;
  code?: string;
}

/** DiagnosticSeverity is how bad a problem is. */
export type DiagnosticSeverity = "error" | "warning" | "information" | "hint";

/**
 * ClientCapabilities is what a client declares in the initialize params under
 * capabilities.experimental.codebot. With the object present, codebot/*
 * notifications are sent to the client.
 */
export interface ClientCapabilities {
  /**
   * RequestPermission: the client answers codebot/session/requestPermission.
   * Without it window/showMessageRequest is used.
   */
  requestPermission?: boolean;
  /** Elicit: the client can show the forms and links that servers ask for. */
  elicit?: ElicitCapability;
  /** Sample: the client can let a person approve a server's model request. */
  sample?: boolean;
  /**
   * Authorize: the client answers codebot/mcp/authorize. Without it
   * window/showDocument is used, or a message.
   */
  authorize?: boolean;
  /** Diagnostics: the client answers codebot/diagnostics. */
  diagnostics?: boolean;
  /**
   * SavesEdits: the client answers a workspace/applyEdit of this server when it has
   * applied the edit and saved the document in the user's usual way, a formatter
   * included. Where either cannot be done it answers applied false, with the reason,
   * and leaves the document as it was. Without it the server writes the file.
   */
  savesEdits?: boolean;
}

/** ElicitCapability says which elicitations a client can show. */
export interface ElicitCapability {
  form?: boolean;
  url?: boolean;
}

/**
 * ServerCapabilities is what the server answers in the initialize result under
 * capabilities.experimental.codebot.
 */
export interface ServerCapabilities {
  protocolVersion: number;
  /**
   * Methods are the names of the implemented requests and notifications that a
   * client may send.
   */
  methods: string[];
  promptCapabilities: PromptCapabilities;
}

/**
 * PromptCapabilities says which content blocks a prompt may carry beside text and
 * resource links, as in ACP.
 */
export interface PromptCapabilities {
  image: boolean;
  audio: boolean;
  embeddedContext: boolean;
}

/** SessionCommandsParams names the session whose slash commands are wanted. */
export interface SessionCommandsParams {
  sessionId: string;
}

/**
 * SessionCommandsResult lists the slash commands that a prompt may begin with, in the
 * order in which to show them.
 */
export interface SessionCommandsResult {
  commands: SlashCommand[];
}

/** CommandSource says where a slash command comes from. */
export type CommandSource = "builtin" | "user" | "project" | "mcp";

/**
 * SlashCommand is one slash command. A prompt whose text begins with "/<name>" runs
 * it; what follows on the line is its input.
 */
export interface SlashCommand {
  /** Name is without the slash: "compact", "mcp__docs__review". */
  name: string;
  description: string;
  source: CommandSource;
  /** Hint says what the input is; absent for a command that takes none. */
  hint?: string;
  /** Server and Folder name the MCP server whose prompt it is. */
  server?: string;
  folder?: string;
  /**
   * Arguments are those of an MCP prompt, for a form. On the line they are words, or
   * name=value, with quotes as in a shell.
   */
  arguments?: PromptArgument[];
}

/** SessionMentionsParams asks what an @ could stand for. */
export interface SessionMentionsParams {
  sessionId: string;
  /** Query is what was typed after the @. */
  query: string;
  /** Limit is the largest number of answers, default 50. */
  limit?: number;
}

/** SessionMentionsResult lists what matches, the best first. */
export interface SessionMentionsResult {
  mentions: Mention[];
}

/** MentionKind is a kind of thing that can be mentioned. */
export type MentionKind = "file" | "folder" | "diagnostics" | "selection" | "resource";

/** Mention is one thing that a prompt can refer to. */
export interface Mention {
  kind: MentionKind;
  /** Text is what stands in the prompt, with the @. */
  text: string;
  label: string;
  detail?: string;
  /**
   * Block goes into the prompt beside the text. Absent for a selection: the editor
   * adds the lines as a resource block.
   */
  block?: ContentBlock;
}

export interface ContentBlockText {
  type: "text";
  text: string;
}

export interface ContentBlockImage {
  type: "image";
  data: string;
  mimeType: string;
  uri?: string;
}

export interface ContentBlockAudio {
  type: "audio";
  data: string;
  mimeType: string;
}

export interface ContentBlockResourceLink {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
}

export interface ContentBlockResource {
  type: "resource";
  resource: EmbeddedResource;
}

/**
 * ContentBlock is ACP's content block. Type says which members are present:
 *
 *   - text: text
 *   - image, audio: data (base64), mimeType; image also uri
 *   - resource_link: uri, name, and what is known of title, description, mimeType, size
 *   - resource: resource
 */
export type ContentBlock =
  | ContentBlockText
  | ContentBlockImage
  | ContentBlockAudio
  | ContentBlockResourceLink
  | ContentBlockResource;

/** EmbeddedResource is a resource with its content: Text, or Blob (base64). */
export interface EmbeddedResource {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/** ToolKind is ACP's category of a tool, for icons. */
export type ToolKind = "read" | "fetch" | "edit" | "execute" | "other";

/** ToolCallStatus is where a tool call is. */
export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

/**
 * ToolCallUpdate changes a tool call: the members that are present replace those
 * of before.
 */
export interface ToolCallUpdate {
  toolCallId: string;
  title?: string;
  kind?: ToolKind;
  status?: ToolCallStatus;
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: ToolCallMeta;
}

/** ToolCallMeta is the _meta of a tool call. */
export interface ToolCallMeta {
  codebot: ToolCallOrigin;
}

/** ToolCallOrigin says what is behind a tool call. */
export interface ToolCallOrigin {
  /** Tool is the name that the model calls. */
  tool: string;
  /**
   * Server and Original are the MCP server and its own name of the tool; absent
   * for built-in tools.
   */
  server?: string;
  original?: string;
  /** Reason says why a permission question is asked, in the language of the client. */
  reason?: string;
  /** Parent is the toolCallId of the task whose sub-agent made the call. */
  parent?: string;
  /** Progress is how far a running call is. */
  progress?: ToolCallFraction;
}

/**
 * ToolCallFraction is progress as a server reports it: so much of the total, which is
 * absent when it is not known.
 */
export interface ToolCallFraction {
  progress: number;
  total?: number;
  message?: string;
}

export interface ToolCallContentContent {
  type: "content";
  content: ContentBlock;
}

export interface ToolCallContentDiff {
  type: "diff";
  path: string;
  newText: string;
  oldText?: string;
}

/**
 * ToolCallContent is ACP's: a content block, or a diff (path, oldText, newText;
 * oldText is absent for a new file).
 */
export type ToolCallContent =
  | ToolCallContentContent
  | ToolCallContentDiff;

/** ToolCallLocation is a place in a file: an absolute path, a 1-based line. */
export interface ToolCallLocation {
  path: string;
  line?: number;
}

/** ActionErrorKind says why an action was not tried. */
export type ActionErrorKind = "unknownServer" | "untrusted" | "needsAuth" | "configInvalid" | "startBlocked" | "timeout" | "ambiguousServer" | "consentChanged" | "unknownSession" | "sessionBusy" | "unknownModel" | "unknownMode";

/** ActionError is the data of an error that says an action was not tried. */
export interface ActionError {
  kind: ActionErrorKind;
  /** Name of the server, session, model or mode in question. */
  name?: string;
  /** Folders to choose from, for ambiguousServer. */
  folders?: string[];
  /** Hint says what to do, for a person. */
  hint: string;
}

/** ModelErrorKind tells failures of a model apart. */
export type ModelErrorKind = "modelAuth" | "modelQuota" | "modelNotFound" | "modelTooLong" | "modelOverloaded" | "modelUnreachable" | "modelStreamCut" | "modelError";

/** ModelAction is the way out of a model failure. */
export type ModelAction = "enterKey" | "chooseModel" | "compact" | "retry" | "openSettings";

/** ModelError is the data of the error that answers a prompt whose model failed. */
export interface ModelError {
  kind: ModelErrorKind;
  message: string;
  providerMessage?: string;
  action?: ModelAction;
  /** RetryAt is an ISO 8601 time. */
  retryAt?: string;
}

/** MCPState is the state of a server. */
export type MCPState = "disabled" | "untrusted" | "starting" | "connected" | "degraded" | "needs_auth" | "reconnecting" | "failed" | "stopping" | "stopped";

/** MCPScope says whose settings file declares a server. */
export type MCPScope = "user" | "project";

/** MCPAutostart is when a server is started. */
export type MCPAutostart = "on_demand" | "never";

/** MCPTransport is how a server is reached. */
export type MCPTransport = "stdio" | "http" | "sse" | "inprocess";

/** MCPServer is the row of one server. Servers are keyed by (folder, name). */
export interface MCPServer {
  name: string;
  /**
   * Folder is the URI of the root whose project file declares the server;
   * absent for a server of the user's.
   */
  folder?: string;
  state: MCPState;
  scope: MCPScope;
  /** Source is the URI of the settings file that declares it. */
  source: string;
  /**
   * Shadows is the URI of the settings file whose entry of the same name this
   * one displaces.
   */
  shadows?: string;
  transport: MCPTransport;
  /** Autostart is absent for a server that starts with its folder. */
  autostart?: MCPAutostart;
  toolCount: number;
  promptCount: number;
  resourceCount: number;
  error?: MCPError;
  pid?: number;
  /** ProtocolVersion is the MCP version that was negotiated. */
  protocolVersion?: string;
  /** Since is when the state was entered, ISO 8601. */
  since: string;
  nextRetryAt?: string;
  /** ToolTokens estimates what its tools cost in a prompt. */
  toolTokens?: number;
  /** Consent is present while the state is untrusted. */
  consent?: MCPConsent;
}

/**
 * MCPError says why a server is not well. Code is an action error kind or
 * "exited", "handshake", "http", "listFailed".
 */
export interface MCPError {
  code: string;
  message: string;
  hint?: string;
  exitCode?: number;
  /** StderrTail is the end of what the server wrote to stderr, secrets redacted. */
  stderrTail?: string;
}

/**
 * MCPConsent is what a person is shown before a project's entry may act, all of
 * it unexpanded. Characters that cannot be seen, or that hide others, are written
 * out as \u{202e}; Hash is of the entry as it stands in the file.
 */
export interface MCPConsent {
  hash: string;
  argv: string[];
  cwd: string;
  envNames: string[];
  url?: string;
  /** Variables are the names of all variables that starting it would read. */
  variables: string[];
  /** Changed says that another version of the entry was approved before. */
  changed?: boolean;
  /** Changes is what is different from that version; absent when that is not known. */
  changes?: MCPConsentChange[];
}

/**
 * MCPConsentChange is one field in which an entry differs from the version that was
 * approved. What was or is not there is empty; literal secrets are blotted out.
 */
export interface MCPConsentChange {
  /** Field is the path within the entry: "command", "args", "env.A". */
  field: string;
  before: string;
  after: string;
}

/** MCPTotals counts over all servers; connected counts connected and degraded. */
export interface MCPTotals {
  connected: number;
  failed: number;
  tools: number;
}

/** MCPStatusResult is the whole picture. */
export interface MCPStatusResult {
  revision: number;
  totals: MCPTotals;
  servers: MCPServer[];
}

/**
 * MCPDidChangeStatusParams carries whole rows, which replace the rows of the same
 * key; a row not listed is unchanged.
 */
export interface MCPDidChangeStatusParams {
  revision: number;
  totals: MCPTotals;
  servers: MCPServer[];
  removed: MCPKey[];
}

/** MCPKey names one server. */
export interface MCPKey {
  name: string;
  folder?: string;
}

/**
 * MCPServerRef names the server of an action. Without Folder a unique match is
 * taken, else the error is ambiguousServer. An empty Folder names the user's.
 */
export interface MCPServerRef {
  name: string;
  folder?: string;
}

/**
 * MCPServerResult is the row after an action. A server that then is failed or
 * needs_auth is a result, not an error.
 */
export interface MCPServerResult {
  server: MCPServer;
}

/** MCPApproveParams names an entry and the hash of what the person saw. */
export interface MCPApproveParams {
  name: string;
  folder?: string;
  hash: string;
}

/**
 * MCPEntryParams is an entry of "mcp_servers" for a settings file: the user's, or
 * with Folder that of the project.
 */
export interface MCPEntryParams {
  name: string;
  folder?: string;
  /** Entry is the entry as it shall stand in the file, an object. */
  entry: unknown;
}

/** MCPToolsParams filters the tools; empty means all. */
export interface MCPToolsParams {
  server?: string;
  folder?: string;
}

/** MCPToolsResult lists tools by server name, then in the server's order. */
export interface MCPToolsResult {
  tools: MCPTool[];
}

/** MCPTool is one tool of a server. */
export interface MCPTool {
  /** Name is the exposed name: mcp__<server>__<tool>. */
  name: string;
  server: string;
  folder?: string;
  /** Tool is the server's own name of it. */
  tool: string;
  description: string;
  inputSchema: unknown;
  permission: MCPToolPermission;
  /** Off: the entry's "tools" lists keep it from the agent. */
  off?: boolean;
}

/** MCPToolPermission is what the gate thinks of a tool, and why. */
export interface MCPToolPermission {
  capability: string;
  reason: string;
}

/** MCPCallToolParams is a person's own call; Tool is the server's own name. */
export interface MCPCallToolParams {
  server: string;
  folder?: string;
  tool: string;
  arguments?: unknown;
}

/** MCPCallToolResult is what the tool answered. */
export interface MCPCallToolResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError: boolean;
}

/** MCPLogSource says where a log entry came from. */
export type MCPLogSource = "stderr" | "stdout" | "server" | "client";

/** MCPLogEntry is one line of a server's log. */
export interface MCPLogEntry {
  /** Time is ISO 8601. */
  time: string;
  /** Level is an MCP logging level: debug, info, notice, warning, error, ... */
  level: string;
  source: MCPLogSource;
  text: string;
}

/** MCPLogsParams asks for the last entries; without Limit all that are kept. */
export interface MCPLogsParams {
  name: string;
  folder?: string;
  limit?: number;
}

/** MCPLogsResult lists entries, the oldest first. */
export interface MCPLogsResult {
  entries: MCPLogEntry[];
}

/** MCPLogParams carries new entries. */
export interface MCPLogParams {
  name: string;
  folder?: string;
  entries: MCPLogEntry[];
}

/** Empty is the params or result of a method that carries nothing: {}. */
export type Empty = Record<string, never>;

/** ProvidersListResult lists the providers of models, configured and found. */
export interface ProvidersListResult {
  providers: Provider[];
}

/** Provider is one provider of models. */
export interface Provider {
  /** Name is its key in "providers"; Type is anthropic or openai. */
  name: string;
  type: string;
  baseUrl: string;
  /** KeyFrom says where its key comes from; the key itself is never told. */
  keyFrom: KeySource;
  /**
   * Configured: the settings name it. One that is only known by name can be given a
   * key, which makes it usable; a local one needs none.
   */
  configured: boolean;
  available: boolean;
  /** Reason says why it is not available. */
  reason?: string;
  /** Local: it runs on this machine. */
  local?: boolean;
}

/** KeySource says where a key comes from. */
export type KeySource = "none" | "settings" | "environment" | "keychain" | "file";

/**
 * ProvidersSetKeyParams gives a provider a key. It is kept in the system's keychain, or
 * where there is none in a file that only the user can read; never in a settings file.
 */
export interface ProvidersSetKeyParams {
  provider: string;
  key: string;
}

/** ProvidersSetKeyResult says where the key is now: keychain or file. */
export interface ProvidersSetKeyResult {
  keyFrom: KeySource;
}

/** ProviderRef names a provider. */
export interface ProviderRef {
  provider: string;
}

/**
 * ProvidersTestResult is what the provider answered to a request for its models. A
 * failure is a result.
 */
export interface ProvidersTestResult {
  ok: boolean;
  /** Error says what is wrong and what to do, with ModelErrorKind's kinds. */
  error?: ModelError;
  /** Models are the ids that it lists. */
  models: string[];
}

/** ModelPrice is what a model costs, in US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cachedRead?: number;
  cachedWrite?: number;
}

/** MCPListParams filters by server; empty means all. */
export interface MCPListParams {
  server?: string;
  folder?: string;
}

/**
 * MCPResourcesResult lists resources and templates by server name, then in the
 * server's order.
 */
export interface MCPResourcesResult {
  resources: MCPResource[];
  templates: MCPResourceTemplate[];
}

/** MCPResource is a thing that a server lets be read. */
export interface MCPResource {
  server: string;
  folder?: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Size is in bytes. */
  size?: number;
  /** Address is the resource's URI, as the server gives it. */
  address: string;
}

/** MCPResourceTemplate makes addresses of resources (RFC 6570). */
export interface MCPResourceTemplate {
  server: string;
  folder?: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  template: string;
}

/** MCPReadResourceParams names a resource by its address. */
export interface MCPReadResourceParams {
  server: string;
  folder?: string;
  address: string;
  /**
   * Subscribe: codebot/mcp/didChangeResource tells of changes from now on, until a
   * read without it.
   */
  subscribe?: boolean;
}

/** MCPReadResourceResult is the content of a resource, whole. */
export interface MCPReadResourceResult {
  contents: EmbeddedResource[];
}

/** MCPDidChangeResourceParams names a resource that is different now. */
export interface MCPDidChangeResourceParams {
  server: string;
  folder?: string;
  address: string;
}

/** MCPPromptsResult lists prompts by server name, then in the server's order. */
export interface MCPPromptsResult {
  prompts: MCPPrompt[];
}

/** MCPPrompt is a prompt that a server offers. */
export interface MCPPrompt {
  /** Command is the slash command that runs it, without the slash. */
  command: string;
  server: string;
  folder?: string;
  name: string;
  title?: string;
  description?: string;
  arguments: PromptArgument[];
}

/** PromptArgument is one argument of a prompt. */
export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/** MCPGetPromptParams names a prompt by the server's own name and fills its arguments. */
export interface MCPGetPromptParams {
  server: string;
  folder?: string;
  name: string;
  arguments?: Record<string, string>;
}

/** MCPGetPromptResult is the filled prompt. */
export interface MCPGetPromptResult {
  description?: string;
  messages: MCPPromptMessage[];
}

/** MCPPromptMessage is one message of a prompt; Role is user or assistant. */
export interface MCPPromptMessage {
  role: string;
  content: ContentBlock;
}

/**
 * MCPCompleteParams asks for values of an argument of a prompt, or of a variable of a
 * resource template: one of Prompt and Template is set.
 */
export interface MCPCompleteParams {
  server: string;
  folder?: string;
  prompt?: string;
  template?: string;
  /** Argument is the name, Value what is typed so far. */
  argument: string;
  value: string;
  /** Given are the arguments that have a value already. */
  given?: Record<string, string>;
}

/** MCPCompleteResult lists values, the best first. */
export interface MCPCompleteResult {
  values: string[];
  /** HasMore: there are values that are not listed. */
  hasMore?: boolean;
}

/** MCPSetToolParams switches one tool of a server; Tool is the server's own name. */
export interface MCPSetToolParams {
  server: string;
  folder?: string;
  tool: string;
  enabled: boolean;
}

/** MCPTestParams is an entry to try without saving it, an object as in "mcp_servers". */
export interface MCPTestParams {
  /** Name is what the entry would be called; default "test". */
  name?: string;
  folder?: string;
  entry: unknown;
}

/**
 * MCPTestResult is how it went: the row that the entry would have, what it offers, and
 * the end of its log.
 */
export interface MCPTestResult {
  server: MCPServer;
  tools: MCPTool[];
  log: MCPLogEntry[];
  durationMs: number;
}

/**
 * MCPImportParams looks for servers in the settings of other programs, and writes the
 * chosen ones into the user's settings, or with Folder into that project's.
 */
export interface MCPImportParams {
  folder?: string;
  /** Source is the URI of one file to look into; default all known places. */
  source?: string;
  /**
   * Import are the servers to write, as an earlier answer listed them; without it
   * nothing is written.
   */
  import?: MCPImportChoice[];
}

/** MCPImportChoice picks one server of an answer. */
export interface MCPImportChoice {
  name: string;
  source: string;
  /** As is another name to write it under. */
  as?: string;
}

/** MCPImportResult lists what was found. */
export interface MCPImportResult {
  servers: MCPImportServer[];
  /** Problems are files that could not be read, one line each. */
  problems: string[];
}

/** MCPImportServer is one server of another program's settings. */
export interface MCPImportServer {
  name: string;
  /**
   * Client is the program: "VS Code", "Claude Code", "Claude Desktop", "Cursor",
   * "mcphub", "ECA", "Codex".
   */
  client: string;
  /** Source is the URI of its file. */
  source: string;
  /**
   * Entry is how it would stand in our settings file. Literal secrets are there in
   * the file only, not here.
   */
  entry: unknown;
  /** Notes say what a person has to see to: variables to set, parts that were left out. */
  notes: string[];
  /** Exists: our settings have an entry of that name. */
  exists?: boolean;
  /** Imported: it was written. */
  imported?: boolean;
}

/** MCPLoginParams begins a login, or ends one that waits. */
export interface MCPLoginParams {
  name: string;
  folder?: string;
  /**
   * RedirectURI is where the browser shall come back to, when the editor knows a
   * better address than this machine's loopback: one that reaches it from the
   * person's machine. "{port}" in it stands for the port that is listened on.
   */
  redirectUri?: string;
}

/** SessionRollbackParams takes a session back to before a message of the user's. */
export interface SessionRollbackParams {
  sessionId: string;
  /**
   * ToMessageID is the messageId of the user's message that begins the first turn to
   * take back: that turn and all after it go.
   */
  toMessageId: string;
  /** Files: the files that those turns edited get the content they had before. */
  files: boolean;
  /** Messages: those turns leave the conversation. */
  messages: boolean;
  /**
   * Overwrite are absolute paths of files that may be restored although somebody
   * else changed them since: the conflicts of an earlier answer that the person gave
   * up.
   */
  overwrite?: string[];
}

/** SessionRollbackResult says what was done. With conflicts nothing was. */
export interface SessionRollbackResult {
  /** Files are the files that were given back, or would be were there no conflict. */
  files: RolledBackFile[];
  /**
   * Conflicts are the files that were changed since by somebody else: ask, then call
   * again with the ones to overwrite.
   */
  conflicts: RollbackConflict[];
  /**
   * NotUndone are the commands that those turns ran, one line each, and other calls
   * whose effects are not known.
   */
  notUndone: string[];
  /**
   * Prompt is the text of the user's message that was taken back, to edit and send
   * again; absent when messages stay.
   */
  prompt?: string;
}

/** RollbackChange says what happens to a file. */
export type RollbackChange = "restored" | "removed";

/** RolledBackFile is one file that a rollback gives back. Path is absolute. */
export interface RolledBackFile {
  path: string;
  change: RollbackChange;
}

/** RollbackConflict is a file that is not as the turn left it. Path is absolute. */
export interface RollbackConflict {
  path: string;
  reason: string;
}

/** SessionNewParams starts a session. */
export interface SessionNewParams {
  /**
   * Cwd is a folder URI or an absolute path; default the first folder, else the
   * home directory.
   */
  cwd?: string;
  /** Model is a model id; default the one of the settings. */
  model?: string;
  /** Mode is a mode id; default the one of the settings. */
  mode?: string;
}

/** SessionNewResult describes the new session. */
export interface SessionNewResult {
  sessionId: string;
  /** Cwd is an absolute path. */
  cwd: string;
  model: string;
  mode: string;
  modes: SessionModeState;
}

/** SessionModeState is ACP's: the modes and the current one. */
export interface SessionModeState {
  currentModeId: string;
  availableModes: SessionMode[];
}

/** SessionMode is one permission mode. */
export interface SessionMode {
  id: string;
  name: string;
  description?: string;
}

/** SessionListParams asks for one page of sessions. */
export interface SessionListParams {
  cursor?: string;
}

/** SessionListResult is one page of sessions, the newest first. */
export interface SessionListResult {
  sessions: SessionInfo[];
  nextCursor?: string;
}

/** SessionInfo is ACP's description of a kept session. */
export interface SessionInfo {
  sessionId: string;
  cwd: string;
  title?: string;
  updatedAt?: string;
}

/**
 * SessionLoadParams opens a session. With Limit only its last messages are
 * replayed; Before is an earlier answer's NextBefore.
 */
export interface SessionLoadParams {
  sessionId: string;
  before?: string;
  limit?: number;
}

/** SessionLoadResult follows the replayed updates. */
export interface SessionLoadResult {
  model: string;
  mode: string;
  modes: SessionModeState;
  nextBefore?: string;
}

/** SessionPromptParams is a user's prompt. */
export interface SessionPromptParams {
  sessionId: string;
  prompt: ContentBlock[];
}

/** StopReason is ACP's reason why a turn ended. */
export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** SessionPromptResult answers a prompt when its turn has ended. */
export interface SessionPromptResult {
  stopReason: StopReason;
  usage?: Usage;
  /** MessageID names the user's message that began the turn, for fork and rollback. */
  messageId?: string;
}

/** Usage counts the tokens of one turn. */
export interface Usage {
  totalTokens: number;
  inputTokens: number;
  outputTokens: number;
  thoughtTokens?: number;
  cachedReadTokens?: number;
  cachedWriteTokens?: number;
}

/** SessionCancelParams names the session whose turn ends. */
export interface SessionCancelParams {
  sessionId: string;
}

/** SessionSetModeParams chooses a mode. */
export interface SessionSetModeParams {
  sessionId: string;
  modeId: string;
}

/** SessionSetModelParams chooses a model. */
export interface SessionSetModelParams {
  sessionId: string;
  modelId: string;
}

/** SessionSteerParams adds to the running turn. */
export interface SessionSteerParams {
  sessionId: string;
  prompt: ContentBlock[];
}

/** SessionCompactParams names the session whose conversation is made smaller. */
export interface SessionCompactParams {
  sessionId: string;
}

/**
 * SessionCompactResult is what the next request costs, in tokens, without and with
 * the compaction. Both are the same where there was nothing to leave out.
 */
export interface SessionCompactResult {
  before: number;
  after: number;
}

/** SessionContextParams names the session that is looked into. */
export interface SessionContextParams {
  sessionId: string;
}

/**
 * SessionContextResult is what the next model request is made of, in the order in
 * which providers cache it: tools, blocks, messages. Tokens are estimates, hashes
 * tell whether the bytes are still the same.
 */
export interface SessionContextResult {
  /** Blocks are the parts of the system prompt. */
  blocks: ContextBlock[];
  tools: ContextTools;
  messages: ContextMessages;
  /** ContextTokens is the size of the model's window, absent when unknown. */
  contextTokens?: number;
  /**
   * CacheBreak is the first part that is not as the last request had it: what the
   * provider has cached is good up to there. Absent when all of it is, and before
   * the first request.
   */
  cacheBreak?: CacheBreak;
}

/** ContextBlock is one block of the system prompt. */
export interface ContextBlock {
  /** Key is identity, instructions or dynamic. */
  key: string;
  hash: string;
  tokens: number;
}

/** ContextTools are the tools that the request offers. */
export interface ContextTools {
  count: number;
  tokens: number;
  hash: string;
}

/** ContextMessages are the messages of the conversation, as the model gets them. */
export interface ContextMessages {
  count: number;
  tokens: number;
}

/** CacheBreak names a part of a model request. */
export type CacheBreak = "model" | "tools" | "identity" | "instructions" | "dynamic" | "messages";

/** SessionRenameParams gives a session a title. */
export interface SessionRenameParams {
  sessionId: string;
  title: string;
}

/** SessionDeleteParams names the session that is removed. */
export interface SessionDeleteParams {
  sessionId: string;
}

/** SessionForkParams names the session to copy. */
export interface SessionForkParams {
  sessionId: string;
  /**
   * ToMessageID is the messageId of the last message to copy, as a load gave it;
   * default all.
   */
  toMessageId?: string;
}

/** ExportFormat is a format to write a conversation in. */
export type ExportFormat = "markdown" | "json";

/** SessionExportParams asks for a conversation as a document. */
export interface SessionExportParams {
  sessionId: string;
  format: ExportFormat;
}

/** SessionExportResult is the document. */
export interface SessionExportResult {
  text: string;
}

/**
 * SessionDidChangeParams says what of the list of sessions is different now. Rows
 * are whole.
 */
export interface SessionDidChangeParams {
  sessions: SessionInfo[];
  /** Removed are ids of sessions. */
  removed: string[];
}

/** PermissionOptionKind is ACP's hint of how an option looks. */
export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

/**
 * PermissionOption is one answer a person may give. OptionID is fixed:
 * allow_once, allow_session, allow_always, reject_once, reject_always.
 */
export interface PermissionOption {
  optionId: string;
  name: string;
  kind: PermissionOptionKind;
}

/** RequestPermissionParams asks about one tool call. */
export interface RequestPermissionParams {
  sessionId: string;
  toolCall: ToolCallUpdate;
  options: PermissionOption[];
}

/** RequestPermissionResult is the person's answer. */
export interface RequestPermissionResult {
  outcome: PermissionOutcome;
}

/** PermissionOutcome is "selected" with an OptionID, or "cancelled". */
export interface PermissionOutcome {
  outcome: PermissionOutcomeKind;
  optionId?: string;
}

/** PermissionOutcomeKind says whether an option was chosen. */
export type PermissionOutcomeKind = "selected" | "cancelled";

/** PermissionResolvedParams says how a question ended. */
export interface PermissionResolvedParams {
  sessionId: string;
  toolCallId: string;
  outcome: PermissionOutcome;
}

/** Health is the colour of the status item. */
export type Health = "ok" | "warning" | "error" | "inactive";

/** StatusResult is what a status bar shows. */
export interface StatusResult {
  health: Health;
  /** Busy: a turn runs or a server starts. */
  busy: boolean;
  /** Text is short: "codebot 3/4", usable of enabled servers. */
  text: string;
  /** Tooltip is Markdown. */
  tooltip: string;
  /** Command is what a click does. */
  command?: Command;
}

/** Command is an LSP Command. */
export interface Command {
  title: string;
  command: string;
  arguments?: unknown[];
}

/** ModelsResult lists models. */
export interface ModelsResult {
  /** Current is the id a new session would get. */
  current: string;
  models: Model[];
}

/** Model is one model that could be chosen. */
export interface Model {
  /** ID is "<provider>/<model>" or "offline". */
  id: string;
  provider: string;
  name: string;
  /** ContextTokens is the size of the context window where it is known. */
  contextTokens?: number;
  /** Price is present where it is known. */
  price?: ModelPrice;
  available: boolean;
  /** Reason says why the model is not available. */
  reason?: string;
}

/** TrustUntil says how long a folder is trusted. */
export type TrustUntil = "session";

/** TrustParams names a folder, by its URI, and how long it is trusted. */
export interface TrustParams {
  folder: string;
  until: TrustUntil;
}

/** SessionUpdateParams is one thing that happened in a session. */
export interface SessionUpdateParams {
  sessionId: string;
  update: SessionUpdate;
}

/**
 * UserMessageChunk is a piece of what the user said: replayed, or, of a steer,
 * where the turn took it in.
 */
export interface UserMessageChunk {
  sessionUpdate: "user_message_chunk";
  content: ContentBlock;
  /** MessageID is set by a replay: the message that the chunk is of. */
  messageId?: string;
}

/** AgentMessageChunk is a piece of the answer. */
export interface AgentMessageChunk {
  sessionUpdate: "agent_message_chunk";
  content: ContentBlock;
  /** MessageID is set by a replay: the message that the chunk is of. */
  messageId?: string;
}

/** AgentThoughtChunk is a piece of the model's reasoning. */
export interface AgentThoughtChunk {
  sessionUpdate: "agent_thought_chunk";
  content: ContentBlock;
  /** MessageID is set by a replay: the message that the chunk is of. */
  messageId?: string;
}

/** ToolCallStart announces a tool call ("tool_call"). */
export interface ToolCallStart {
  sessionUpdate: "tool_call";
  toolCallId: string;
  title: string;
  kind?: ToolKind;
  status?: ToolCallStatus;
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: ToolCallMeta;
}

/**
 * ToolCallProgress changes an announced tool call ("tool_call_update"): only
 * the members that are present change.
 */
export interface ToolCallProgress {
  sessionUpdate: "tool_call_update";
  toolCallId: string;
  title?: string;
  kind?: ToolKind;
  status?: ToolCallStatus;
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: ToolCallMeta;
}

/** PlanUpdate is the whole plan. */
export interface PlanUpdate {
  sessionUpdate: "plan";
  entries: PlanEntry[];
}

/** CurrentModeUpdate says that the mode is now another. */
export interface CurrentModeUpdate {
  sessionUpdate: "current_mode_update";
  currentModeId: string;
}

/** ConfigOptionUpdate carries the session's options, the model among them. */
export interface ConfigOptionUpdate {
  sessionUpdate: "config_option_update";
  configOptions: SessionConfigOption[];
}

/** AvailableCommandsUpdate lists the slash commands of the session. */
export interface AvailableCommandsUpdate {
  sessionUpdate: "available_commands_update";
  availableCommands: AvailableCommand[];
}

/** SessionInfoUpdate says that the session has a new title. */
export interface SessionInfoUpdate {
  sessionUpdate: "session_info_update";
  title?: string;
  updatedAt?: string;
}

/** UsageUpdate says how full the context window is, in tokens. */
export interface UsageUpdate {
  sessionUpdate: "usage_update";
  used: number;
  size: number;
  /** Cost of the session so far, where a price is known. */
  cost?: Cost;
}

/**
 * SessionUpdate holds one variant of ACP's SessionUpdate union, told apart by the
 * member "sessionUpdate". A variant this version does not know decodes as
 * UnknownUpdate.
 */
export type SessionUpdate =
  | UserMessageChunk
  | AgentMessageChunk
  | AgentThoughtChunk
  | ToolCallStart
  | ToolCallProgress
  | PlanUpdate
  | CurrentModeUpdate
  | ConfigOptionUpdate
  | AvailableCommandsUpdate
  | SessionInfoUpdate
  | UsageUpdate;

/** PlanEntry is one line of a plan. */
export interface PlanEntry {
  content: string;
  priority: PlanEntryPriority;
  status: PlanEntryStatus;
}

/** PlanEntryPriority is high, medium or low. */
export type PlanEntryPriority = "high" | "medium" | "low";

/** PlanEntryStatus is pending, in_progress or completed. */
export type PlanEntryStatus = "pending" | "in_progress" | "completed";

/** AvailableCommand is a slash command. */
export interface AvailableCommand {
  name: string;
  description: string;
  /** Input is present for a command that takes some. */
  input?: CommandInput;
}

/** CommandInput is what may follow a command's name. */
export interface CommandInput {
  hint: string;
}

/**
 * SessionConfigOption is a selector of the session, in ACP's shape; Type is
 * "select".
 */
export interface SessionConfigOption {
  id: string;
  name: string;
  category?: string;
  type: "select";
  currentValue: string;
  options: SessionConfigSelectOption[];
}

/** SessionConfigSelectOption is one value of a selector. */
export interface SessionConfigSelectOption {
  value: string;
  name: string;
  description?: string;
}

/** Cost is an amount of money. */
export interface Cost {
  amount: number;
  /** Currency is its ISO 4217 code. */
  currency: string;
}

// Methods: what an editor sends.

/** SessionNew starts a session. One that never got a prompt is not kept. */
export const sessionNew: RequestMethod<SessionNewParams, SessionNewResult> = { method: "codebot/session/new" };

/** SessionList lists the kept sessions, the newest first. */
export const sessionList: RequestMethod<SessionListParams, SessionListResult> = { method: "codebot/session/list" };

/**
 * SessionLoad opens a kept session: its messages are replayed as
 * codebot/session/update notifications, then the request is answered.
 */
export const sessionLoad: RequestMethod<SessionLoadParams, SessionLoadResult> = { method: "codebot/session/load" };

/**
 * SessionPrompt runs one turn and answers when it has ended. All updates of
 * the turn precede the answer. A second prompt while one runs: sessionBusy.
 */
export const sessionPrompt: RequestMethod<SessionPromptParams, SessionPromptResult> = { method: "codebot/session/prompt" };

/**
 * SessionCancel ends the running turn: its prompt answers with stopReason
 * "cancelled". Without a running turn it does nothing.
 */
export const sessionCancel: NotificationMethod<SessionCancelParams> = { method: "codebot/session/cancel" };

/**
 * SessionSetMode changes the permission mode, also of a running turn; a
 * current_mode_update follows.
 */
export const sessionSetMode: RequestMethod<SessionSetModeParams, Empty> = { method: "codebot/session/setMode" };

/**
 * SessionSetModel changes the model from the next model request on; a
 * config_option_update follows.
 */
export const sessionSetModel: RequestMethod<SessionSetModelParams, Empty> = { method: "codebot/session/setModel" };

/**
 * SessionSteer adds to the running turn: what is said reaches the model with its
 * next request, after the tools that run now. Calls that have not started then are
 * not run. A user_message_chunk tells when it was taken in. Without a running turn
 * it is refused (-32602): send a prompt.
 */
export const sessionSteer: RequestMethod<SessionSteerParams, Empty> = { method: "codebot/session/steer" };

/**
 * SessionCompact makes the conversation smaller for the model: its older part
 * becomes a summary, which the model writes. What a person sees stays. It may be
 * cancelled as a turn; while one runs: sessionBusy.
 */
export const sessionCompact: RequestMethod<SessionCompactParams, SessionCompactResult> = { method: "codebot/session/compact" };

/**
 * SessionContext tells what the next model request is made of, and what of the
 * last one's cache is lost.
 */
export const sessionContext: RequestMethod<SessionContextParams, SessionContextResult> = { method: "codebot/session/context" };

/** SessionRename gives a session, open or kept, another title. */
export const sessionRename: RequestMethod<SessionRenameParams, Empty> = { method: "codebot/session/rename" };

/**
 * SessionDelete removes a session, open or kept, for good. While a turn runs, or
 * when another window has it open: sessionBusy.
 */
export const sessionDelete: RequestMethod<SessionDeleteParams, Empty> = { method: "codebot/session/delete" };

/**
 * SessionFork opens a copy of a session, open or kept, which goes on by itself.
 * While a turn of it runs: sessionBusy.
 */
export const sessionFork: RequestMethod<SessionForkParams, SessionNewResult> = { method: "codebot/session/fork" };

/** SessionExport writes a conversation, of an open or a kept session, as a document. */
export const sessionExport: RequestMethod<SessionExportParams, SessionExportResult> = { method: "codebot/session/export" };

/**
 * SessionRollback takes turns back: their edits of files, their messages, or both.
 * It works on open and kept sessions, also after a restart. While a turn runs:
 * sessionBusy.
 */
export const sessionRollback: RequestMethod<SessionRollbackParams, SessionRollbackResult> = { method: "codebot/session/rollback" };

/** SessionCommands lists the slash commands of a session. */
export const sessionCommands: RequestMethod<SessionCommandsParams, SessionCommandsResult> = { method: "codebot/session/commands" };

/** SessionMentions completes what stands behind an @ in a prompt. */
export const sessionMentions: RequestMethod<SessionMentionsParams, SessionMentionsResult> = { method: "codebot/session/mentions" };

/**
 * MCPStatus answers with every server's row and the current revision. An answer whose
 * revision is below that of a notification that came before it was overtaken on its
 * way: ask again.
 */
export const mcpStatus: RequestMethod<Empty, MCPStatusResult> = { method: "codebot/mcp/status" };

/**
 * MCPStart starts a stopped or failed server and answers when it has left
 * "starting".
 */
export const mcpStart: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/start" };

/** MCPStop stops a server and answers when it has left "stopping". */
export const mcpStop: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/stop" };

/** MCPRestart stops and starts a server with the entry of the settings file. */
export const mcpRestart: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/restart" };

/**
 * MCPApprove lets a project entry act. Hash is the one the person saw in the
 * row's consent; any other is consentChanged.
 */
export const mcpApprove: RequestMethod<MCPApproveParams, MCPServerResult> = { method: "codebot/mcp/approve" };

/** MCPRevoke takes an approval back and stops the server. */
export const mcpRevoke: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/revoke" };

/**
 * MCPEnable takes "disabled" out of a server's entry, in the file that declares
 * it, and answers when the server has left "starting".
 */
export const mcpEnable: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/enable" };

/**
 * MCPDisable writes "disabled": true into a server's entry, in the file that
 * declares it, and answers when the server has stopped.
 */
export const mcpDisable: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/disable" };

/**
 * MCPAdd writes a new entry into a settings file. An entry of a project waits
 * for approval as any other.
 */
export const mcpAdd: RequestMethod<MCPEntryParams, MCPServerResult> = { method: "codebot/mcp/add" };

/** MCPUpdate replaces an entry in the file that declares it. */
export const mcpUpdate: RequestMethod<MCPEntryParams, MCPServerResult> = { method: "codebot/mcp/update" };

/** MCPRemove takes an entry out of the file that declares it. */
export const mcpRemove: RequestMethod<MCPServerRef, Empty> = { method: "codebot/mcp/remove" };

/**
 * MCPLogin logs in to a server, with codebot/mcp/authorize or the editor's own means
 * to open a page, and answers when it has ended. To cancel the request ends it.
 */
export const mcpLogin: RequestMethod<MCPLoginParams, MCPServerResult> = { method: "codebot/mcp/login" };

/** MCPLogout forgets the tokens of a server. */
export const mcpLogout: RequestMethod<MCPServerRef, MCPServerResult> = { method: "codebot/mcp/logout" };

/** MCPTest starts an entry without saving it, lists what it offers and ends it. */
export const mcpTest: RequestMethod<MCPTestParams, MCPTestResult> = { method: "codebot/mcp/test" };

/**
 * MCPImport looks for servers in the settings of other programs, and writes those
 * that are chosen.
 */
export const mcpImport: RequestMethod<MCPImportParams, MCPImportResult> = { method: "codebot/mcp/import" };

/**
 * MCPSetTool switches a tool of a server off or on, in the file that declares the
 * server ("tools": {"deny"}).
 */
export const mcpSetTool: RequestMethod<MCPSetToolParams, MCPServerResult> = { method: "codebot/mcp/setTool" };

/** MCPResources lists the resources and templates of servers. */
export const mcpResources: RequestMethod<MCPListParams, MCPResourcesResult> = { method: "codebot/mcp/resources" };

/** MCPReadResource reads one resource. */
export const mcpReadResource: RequestMethod<MCPReadResourceParams, MCPReadResourceResult> = { method: "codebot/mcp/readResource" };

/** MCPPrompts lists the prompts of servers. */
export const mcpPrompts: RequestMethod<MCPListParams, MCPPromptsResult> = { method: "codebot/mcp/prompts" };

/** MCPGetPrompt fills a prompt. */
export const mcpGetPrompt: RequestMethod<MCPGetPromptParams, MCPGetPromptResult> = { method: "codebot/mcp/getPrompt" };

/** MCPComplete completes an argument of a prompt or a variable of a template. */
export const mcpComplete: RequestMethod<MCPCompleteParams, MCPCompleteResult> = { method: "codebot/mcp/complete" };

/** MCPTools lists tools as the agent would get them. */
export const mcpTools: RequestMethod<MCPToolsParams, MCPToolsResult> = { method: "codebot/mcp/tools" };

/** MCPCallTool is a person's own call: deny rules hold, the gate does not ask. */
export const mcpCallTool: RequestMethod<MCPCallToolParams, MCPCallToolResult> = { method: "codebot/mcp/callTool" };

/** MCPLogs answers with the kept end of a server's log. */
export const mcpLogs: RequestMethod<MCPLogsParams, MCPLogsResult> = { method: "codebot/mcp/logs" };

/** Status answers with what a status bar shows. */
export const status: RequestMethod<Empty, StatusResult> = { method: "codebot/status" };

/**
 * Trust approves what a folder's settings hold now, until the connection ends.
 * What comes or changes later asks as ever.
 */
export const trust: RequestMethod<TrustParams, Empty> = { method: "codebot/trust" };

/** Models lists the models that could be chosen, and why one cannot. */
export const models: RequestMethod<Empty, ModelsResult> = { method: "codebot/models" };

/** ProvidersList lists the providers of models. */
export const providersList: RequestMethod<Empty, ProvidersListResult> = { method: "codebot/providers/list" };

/** ProvidersSetKey keeps a key for a provider. */
export const providersSetKey: RequestMethod<ProvidersSetKeyParams, ProvidersSetKeyResult> = { method: "codebot/providers/setKey" };

/** ProvidersRemoveKey forgets the kept key of a provider. */
export const providersRemoveKey: RequestMethod<ProviderRef, Empty> = { method: "codebot/providers/removeKey" };

/** ProvidersTest asks a provider for its models. */
export const providersTest: RequestMethod<ProviderRef, ProvidersTestResult> = { method: "codebot/providers/test" };

// Methods: what the server sends.

/**
 * SessionUpdateNotification carries everything that happens in a session, in
 * order. It is sent to every client, also one that declared no capability.
 */
export const sessionUpdate: NotificationMethod<SessionUpdateParams> = { method: "codebot/session/update" };

/**
 * SessionDidChange tells of sessions that this connection made, wrote to, renamed
 * or removed; what another process does is seen by codebot/session/list.
 */
export const sessionDidChange: NotificationMethod<SessionDidChangeParams> = { method: "codebot/session/didChange" };

/**
 * RequestPermission asks the person before a risky call. The answer is an
 * optionId; an unknown one, null or an error is a reject.
 */
export const requestPermission: RequestMethod<RequestPermissionParams, RequestPermissionResult> = { method: "codebot/session/requestPermission" };

/**
 * PermissionResolved says that a question is no longer open: it was answered,
 * or its turn was cancelled.
 */
export const permissionResolved: NotificationMethod<PermissionResolvedParams> = { method: "codebot/session/permissionResolved" };

/**
 * MCPDidChangeStatus carries the rows that changed. Revision grows by exactly
 * one per notification on a connection; on any other number call
 * codebot/mcp/status. At most 20 a second, the last state always delivered.
 */
export const mcpDidChangeStatus: NotificationMethod<MCPDidChangeStatusParams> = { method: "codebot/mcp/didChangeStatus" };

/** MCPLog carries new entries of a server's log. */
export const mcpLog: NotificationMethod<MCPLogParams> = { method: "codebot/mcp/log" };

/** MCPDidChangeResource tells of a resource that was read with "subscribe". */
export const mcpDidChangeResource: NotificationMethod<MCPDidChangeResourceParams> = { method: "codebot/mcp/didChangeResource" };

/**
 * MCPElicit shows a person what a server asks. It is cancelled when the server no
 * longer waits.
 */
export const mcpElicit: RequestMethod<MCPElicitParams, MCPElicitResult> = { method: "codebot/mcp/elicit" };

/** MCPSample asks a person whether a server may use the model. */
export const mcpSample: RequestMethod<MCPSampleParams, MCPSampleResult> = { method: "codebot/mcp/sample" };

/** MCPAuthorize lets a person log in with a browser. */
export const mcpAuthorize: RequestMethod<MCPAuthorizeParams, MCPAuthorizeResult> = { method: "codebot/mcp/authorize" };

/** DidChangeStatus pushes what a status bar shows. */
export const didChangeStatus: NotificationMethod<StatusResult> = { method: "codebot/didChangeStatus" };

/** Diagnostics asks the editor for the problems it knows of. */
export const diagnostics: RequestMethod<DiagnosticsParams, DiagnosticsResult> = { method: "codebot/diagnostics" };

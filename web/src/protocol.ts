// Generated from rolecall.protocol by `make docs`; do not edit.

/** Reply to `agentChat`: the turn that answers, and whether the message had been sent before. */
export interface AcceptedMessage {
  turnId: string;
  messageId: string;
  repeated: boolean;
}

/** One user message to an agent; the answer arrives as events of the turn. */
export interface AgentChat {
  action: "agentChat";
  requestId?: string | null;
  conversationId: string;
  messageId?: string | null;
  attachments?: AttachmentRef[];
  content: string;
  documentIds?: string[];
  pageContext?: string | null;
  entityId?: string | null;
  pagePathname?: string | null;
  forcedTools?: string[];
  timezone?: string | null;
  taskCode?: string | null;
  store?: boolean;
  model?: string | null;
  replaces?: string | null;
}

/** What of an agent can be changed; null: the default. */
export interface AgentSettings {
  agentId: string;
  name: string;
  llmModel: string | null;
  smallLlmModel: string | null;
  systemPrompt: string | null;
  temperature: number;
  maxTokens: number;
  maxContextMessages: number;
  thinkingBudget: number | null;
  public: boolean;
}

/** An agent that the caller may talk to, and what its kind allows. */
export interface AgentSummary {
  agentId: string;
  name: string;
  description: string | null;
  type: string;
  kind: string;
  status: string;
  isSystem: boolean;
  scope: "company" | "user";
  llmModel: string | null;
  capabilities: Record<string, boolean | string>;
}

/** Reply to `attachmentUrl`: where the file may be read, without any other sign of who asks, until `expiresAt`. */
export interface AttachmentAddress {
  url: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
  expiresAt: number;
}

/** A file that was uploaded before, by the key it was given. */
export interface AttachmentRef {
  key: string;
  filename: string;
  mimeType: string;
}

/** Ask for an address at which a file of one's own message can be read for a few minutes. */
export interface AttachmentUrl {
  action: "attachmentUrl";
  requestId?: string | null;
  conversationId: string;
  messageId: string;
  key: string;
}

/** Stop a running turn; what was written so far stays. */
export interface CancelTurn {
  action: "cancelTurn";
  requestId?: string | null;
  turnId: string;
}

/** Reply to `cancelTurn`; not cancelled: it had ended. */
export interface CancelledTurn {
  turnId: string;
  cancelled: boolean;
}

/**
 * A piece of the answer's text; `chunkIndex` counts from 0 within the hop. Joined in order of `seq`, the
 * deltas are the answer.
 */
export interface ChatChunk {
  type: "ChatChunk";
  turnId: string;
  seq: number;
  delta: string;
  chunkIndex: number;
}

/**
 * The turn ended well; `content` is the whole answer, so that lost chunks heal.
 *
 * A text too long for one frame is left out and `contentTruncated` is set: read it with
 * `conversationMessages`.
 */
export interface ChatComplete {
  type: "ChatComplete";
  turnId: string;
  seq: number;
  messageId: string;
  content: string;
  contentTruncated: boolean;
  stopReason: string;
  notice?: string;
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  totalTimeMs: number;
  sources: Record<string, unknown>[];
}

/** Retrieved context was put before the model. */
export interface ChatContextLoaded {
  type: "ChatContextLoaded";
  turnId: string;
  seq: number;
  contextChunks: number;
  contextTokens: number;
}

/** The turn ended in an error, or could not start. `content` is what was written until then. */
export interface ChatError {
  type: "ChatError";
  turnId: string;
  seq: number;
  code: ErrorCode;
  message: string;
  recoveryHint: string;
  content: string;
}

/**
 * The turn was accepted. `status`: started, warming, running_tools, resumed, compacting (older messages).
 *
 * `retrying`: the model starts its answer again, and the reasoning since the last tool is void.
 */
export interface ChatProcessing {
  type: "ChatProcessing";
  turnId: string;
  seq: number;
  status: "started" | "warming" | "running_tools" | "resumed" | "retrying" | "compacting";
  message: string;
}

/**
 * A piece of the model's reasoning; never part of the answer's text.
 *
 * `toolCallId` names the call whose tool thinks; none: the model that answers. `chunkIndex` counts from 0 within a
 * pass of one of them; tools that run side by side think in between one another.
 */
export interface ChatReasoningChunk {
  type: "ChatReasoningChunk";
  turnId: string;
  seq: number;
  delta: string;
  chunkIndex: number;
  toolCallId?: string;
}

/** Stands for an event that was lost with its writer; the terminal event heals the text. */
export interface ChatSkipped {
  type: "ChatSkipped";
  turnId: string;
  seq: number;
}

/** Sources found by the turn so far and not announced before. */
export interface ChatSources {
  type: "ChatSources";
  turnId: string;
  seq: number;
  sources: Record<string, unknown>[];
}

/** The model asks for a tool. */
export interface ChatToolCall {
  type: "ChatToolCall";
  turnId: string;
  seq: number;
  toolCallId: string;
  toolName: string;
  toolType: string;
  inputData: Record<string, unknown>;
}

/** A tool ended. `truncated` says that `output` was cut to fit a frame; the row has all of it. */
export interface ChatToolResult {
  type: "ChatToolResult";
  turnId: string;
  seq: number;
  toolCallId: string;
  output?: unknown;
  success: boolean;
  executionTimeMs: number;
  truncated: boolean;
}

/** A company in which the caller has a role. */
export interface Company {
  companyId: string;
  name: string;
  role: string;
}

/** Reply to `createConversation` and `updateConversation`. */
export interface ConversationData {
  conversation: ConversationSummary;
}

/** Messages of a conversation, newest page first, each page in order of time. */
export interface ConversationMessages {
  action: "conversationMessages";
  requestId?: string | null;
  conversationId: string;
  limit?: number;
  before?: string | null;
}

/** Reply to `listConversations`; `next` is the cursor of the page after, if there may be one. */
export interface ConversationPage {
  conversations: ConversationSummary[];
  next: string | null;
}

/** A conversation. */
export interface ConversationSummary {
  conversationId: string;
  agentId: string;
  title: string | null;
  status: "ACTIVE" | "ARCHIVED" | "DELETED";
  taskCode: string | null;
  messageCount: number;
  lastMessageAt: string;
  createdAt: string;
  feedback: Feedback | null;
}

/** A conversation was made, renamed or deleted on another socket of the same person, or named after a turn. */
export interface ConversationUpdated {
  type: "ConversationUpdated";
  conversationId: string;
  title?: string;
  status: "ACTIVE" | "DELETED";
}

/**
 * Open a conversation with an agent (the caller's default one unless named).
 *
 * With `store: false` nothing of it is kept: its messages, calls and answers expire an hour after its last turn, it is
 * not listed, and a person without an account has no other.
 */
export interface CreateConversation {
  action: "createConversation";
  requestId?: string | null;
  agentId?: string | null;
  title?: string | null;
  taskCode?: string | null;
  store?: boolean;
}

/** Delete a conversation for good; deleting it again changes nothing. */
export interface DeleteConversation {
  action: "deleteConversation";
  requestId?: string | null;
  conversationId: string;
}

/** Remove a document with its chunks, vectors and file. */
export interface DeleteDocument {
  action: "deleteDocument";
  requestId?: string | null;
  documentId: string;
}

/** Forget a stored key; where the environment has one, that is used from now on. */
export interface DeleteModelCredential {
  action: "deleteModelCredential";
  requestId?: string | null;
  provider: string;
}

/** Reply to `deleteConversation`. */
export interface DeletedConversation {
  conversationId: string;
  deleted: boolean;
}

/** Reply to `deleteDocument`. */
export interface DeletedDocument {
  documentId: string;
  deleted: boolean;
}

/** Reply to `deleteModelCredential`. */
export interface DeletedModelKey {
  provider: string;
  deleted: boolean;
}

/** Reply to `listDocuments`; `next` is the cursor of the page after, if there may be one. */
export interface DocumentPage {
  documents: DocumentSummary[];
  next: string | null;
}

/** A document. `status` COMPLETED and FAILED end it; the latter says why, and what to do. No field is null. */
export interface DocumentSummary {
  documentId: string;
  agentId?: string | null;
  filename: string;
  title?: string | null;
  mimeType: string;
  sizeBytes: number;
  etag?: string | null;
  status: "PENDING" | "PROCESSING" | "CHUNKING" | "EMBEDDING" | "COMPLETED" | "FAILED";
  errorCode?: string | null;
  message?: string | null;
  recoveryHint?: string | null;
  ragEnabled: boolean;
  tags: string[];
  category?: string | null;
  pageCount?: number | null;
  chunkCount: number;
  createdAt: string;
  updatedAt: string;
  completedAt?: string | null;
}

/** An upload came a step further. COMPLETED and FAILED are the last of it; `etag` names the object it is about. */
export interface DocumentUpdated {
  type: "DocumentUpdated";
  documentId: string;
  filename: string;
  status: "PENDING" | "PROCESSING" | "CHUNKING" | "EMBEDDING" | "COMPLETED" | "FAILED";
  progress: number;
  etag?: string;
  errorCode?: string;
  message?: string;
  recoveryHint?: string;
}

/**
 * A request's failure; nothing was changed by it.
 *
 * For `agentChat` it may follow the `Reply`: the message has become no turn, and may be sent again.
 */
export interface Error {
  type: "Error";
  requestId?: string;
  code: ErrorCode;
  message: string;
  recoveryHint: string;
}

/** Codes of `Error` replies, of `ChatError` events and of failed message rows. */
export type ErrorCode =
  | "CONVERSATION_NOT_FOUND"
  | "CONVERSATION_INACTIVE"
  | "UNAUTHORIZED"
  | "RATE_LIMITED"
  | "TOKEN_LIMIT_EXCEEDED"
  | "CHAT_ERROR"
  | "TOOL_ERROR"
  | "INSUFFICIENT_CREDITS"
  | "SUBSCRIPTION_INACTIVE"
  | "PLAN_LIMIT_EXCEEDED"
  | "ATTACHMENT_FAILED"
  | "TURN_IN_PROGRESS"
  | "AGENT_INACTIVE"
  | "CONTEXT_EXHAUSTED"
  | "CANCELLED"
  | "UNKNOWN_ACTION"
  | "INVALID_REQUEST"
  | "STREAM_TIMEOUT"
  | "REJECTED"
  | "UNKNOWN";

/** What its person said of an answer or of a conversation; 1 is bad, 5 is good. */
export interface Feedback {
  rating: number;
  comment: string | null;
}

/**
 * Rate an answer that has ended, or the whole conversation where no `messageId` is given.
 *
 * Said again it replaces what was said; without a rating it takes it back.
 */
export interface GiveFeedback {
  action: "giveFeedback";
  requestId?: string | null;
  conversationId: string;
  messageId?: string | null;
  rating?: number | null;
  comment?: string | null;
}

/** Reply to `giveFeedback`. */
export interface GivenFeedback {
  conversationId: string;
  messageId: string | null;
  feedback: Feedback | null;
}

/**
 * The caller's conversations, newest first; `before` is the cursor of the page before.
 *
 * With `query`: those whose title or messages contain it, in any case.
 */
export interface ListConversations {
  action: "listConversations";
  requestId?: string | null;
  limit?: number;
  before?: string | null;
  query?: string | null;
}

/** Documents of an agent (the caller's default one unless named), newest first. */
export interface ListDocuments {
  action: "listDocuments";
  requestId?: string | null;
  agentId?: string | null;
  limit?: number;
  before?: string | null;
}

/** Which providers have a key, stored or from the environment; never the keys. */
export interface ListModelCredentials {
  action: "listModelCredentials";
  requestId?: string | null;
}

/** Models that an agent or a message may name, and whether each can be used now. Others may be named as well. */
export interface ListModels {
  action: "listModels";
  requestId?: string | null;
}

/** The caller. Times are ISO 8601, money is credits. */
export interface Me {
  userId: string;
  name: string;
  email: string;
  title: string | null;
  location: string | null;
  viewMode: "JOB_SEEKER" | "EMPLOYER";
  companyId: string | null;
  companyName: string | null;
  roleInCompany: string | null;
  plan: string | null;
  subscriptionStatus: string | null;
  creditBalance: number | null;
  locale: string;
  timezone: string | null;
}

/** Reply to `conversationMessages`; `next` is the cursor of the page before (older), if there may be one. */
export interface MessagePage {
  messages: StoredMessage[];
  next: string | null;
}

/** What a model can do, as far as it is known. */
export interface ModelCapabilities {
  thinking: boolean;
  tools: boolean;
  images: boolean;
  documents: boolean;
}

/** A provider's key, told by its last characters. `source`: stored here, or in the environment of the deployment. */
export interface ModelKey {
  provider: string;
  title: string;
  hint: string;
  baseUrl: string | null;
  source: "stored" | "environment";
  updatedAt: string | null;
}

/** Reply to `listModelCredentials`. */
export interface ModelKeys {
  credentials: ModelKey[];
  mayChange: boolean;
}

/** Reply to `listModels`; `main` and `small` are used where an agent names none. */
export interface ModelList {
  models: ModelOffer[];
  providers: ProviderOffer[];
  main: string;
  small: string;
}

/** A model. `spec` is what `llmModel` and `model` take. */
export interface ModelOffer {
  spec: string;
  name: string;
  provider: string;
  usable: boolean;
  reason: string | null;
  capabilities: ModelCapabilities;
}

/** A piece of a frame's text that was too long for one; joined in order of `index` they are that frame. */
export interface Part {
  type: "Part";
  partOf: string;
  index: number;
  last: boolean;
  text: string;
}

/** Reply to `readPassage`; offsets count characters of the document's extracted text. */
export interface PassageText {
  chunkId: string;
  documentId: string;
  filename: string;
  content: string;
  section: string | null;
  page: number | null;
  pageTo: number | null;
  charFrom: number;
  charTo: number;
}

/** Keep the socket open; answered with `Pong`. */
export interface Ping {
  action: "ping";
  requestId?: string | null;
}

/** Answer to `ping`. */
export interface Pong {
  type: "Pong";
  requestId?: string;
}

/** A provider, and whether it can be used now. */
export interface ProviderOffer {
  provider: string;
  title: string;
  needsKey: boolean;
  usable: boolean;
  reason: string | null;
}

/** The whole passage that a source names by its `chunkId`; gone once its document is replaced or deleted. */
export interface ReadPassage {
  action: "readPassage";
  requestId?: string | null;
  chunkId: string;
}

/** A request's result. */
export interface Reply {
  type: "Reply";
  requestId?: string;
  data: Record<string, unknown>;
}

/**
 * Announce a file; the reply says how to upload it (presigned POST).
 *
 * For an agent's knowledge, a file of the same name for the same agent replaces the one that is there. For a message,
 * the reply's `key` goes into `attachments` of `agentChat`; `agentId` and `tags` mean nothing then.
 */
export interface RequestUpload {
  action: "requestUpload";
  requestId?: string | null;
  purpose?: "knowledge" | "attachment";
  filename: string;
  mimeType?: string;
  sizeBytes: number;
  agentId?: string | null;
  tags?: string[];
}

/** Replay a turn's events after `afterSeq`, and watch it from this connection. */
export interface ResumeTurn {
  action: "resumeTurn";
  requestId?: string | null;
  turnId: string;
  afterSeq?: number;
}

/** Reply to `resumeTurn`: the turn's state, and the last number given out when it was looked at. */
export interface ResumedTurn {
  turnId: string;
  status: "RUNNING" | "ENDED" | "STREAMING" | "AWAITING_APPROVAL" | "COMPLETED" | "FAILED";
  headSeq: number;
}

/** A piece of a stored answer, in the order in which it came. */
export interface Segment {
  type: "text" | "reasoning" | "tool_call";
  hop: number;
  text?: string | null;
  toolCallId?: string | null;
}

/**
 * Store the key of a model provider: the company's (owners and admins), or a job seeker's own.
 *
 * It takes the place of the one before, address included, and the next model call uses it. Nobody can read it back.
 * With `check` the provider is asked at once whether it takes the key.
 */
export interface SetModelCredential {
  action: "setModelCredential";
  requestId?: string | null;
  provider: string;
  apiKey?: string | null;
  baseUrl?: string | null;
  check?: boolean;
}

/** A file of a message; `attachmentUrl` gives its address. The type is what its bytes are. */
export interface StoredAttachment {
  key: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
}

/** A message as it is kept. `attachments` is there for the user's, what follows it for answers only. */
export interface StoredMessage {
  messageId: string;
  role: "USER" | "ASSISTANT";
  status: "STREAMING" | "AWAITING_APPROVAL" | "COMPLETED" | "FAILED";
  content: string;
  createdAt: string;
  attachments?: StoredAttachment[] | null;
  turnId?: string | null;
  contentSegments?: Segment[] | null;
  toolCalls?: ToolCallSummary[] | null;
  sources?: Record<string, unknown>[] | null;
  stopReason?: string | null;
  errorCode?: string | null;
  errorMessage?: string | null;
  inputTokens?: number | null;
  outputTokens?: number | null;
  totalTimeMs?: number | null;
  feedback?: Feedback | null;
}

/** Reply to `setModelCredential`. `checked` is null where it was not asked for. */
export interface StoredModelKey {
  credential: ModelKey;
  checked: "ok" | "refused" | "unreachable" | null;
}

/** Reply to `turnTimeline`; in the order in which it happened. */
export interface Timeline {
  turnId: string;
  conversationId: string;
  model: string | null;
  entries: TimelineEntry[];
}

/** A step of a turn. `at` is when it began, where that is kept; `ms` how long it took. */
export interface TimelineEntry {
  kind: "status" | "thought" | "tool_call" | "tool_result" | "sources" | "text";
  hop?: number | null;
  at?: string | null;
  ms?: number | null;
  text?: string | null;
  toolCallId?: string | null;
  toolName?: string | null;
  input?: Record<string, unknown> | null;
  output?: unknown;
  success?: boolean | null;
  sources?: Record<string, unknown>[] | null;
  status?: string | null;
}

/** A tool call of a stored turn. Without `success` it has not ended. */
export interface ToolCallSummary {
  toolCallId: string;
  toolName: string;
  toolType: string | null;
  input: Record<string, unknown>;
  hop: number;
  status: string;
  success?: boolean | null;
  output?: unknown;
  executionTimeMs?: number | null;
}

/** What happened in a turn, step by step: thoughts, tool calls and their results, sources, text, its end. */
export interface TurnTimeline {
  action: "turnTimeline";
  requestId?: string | null;
  turnId: string;
}

/**
 * Change an agent; what is not named stays, null takes the default again. Without a change it tells how it is.
 *
 * A company's agents are for its owners and admins to change, one's own for oneself.
 */
export interface UpdateAgent {
  action: "updateAgent";
  requestId?: string | null;
  agentId: string;
  name?: string | null;
  llmModel?: string | null;
  smallLlmModel?: string | null;
  systemPrompt?: string | null;
  temperature?: number | null;
  maxTokens?: number | null;
  maxContextMessages?: number | null;
  thinkingBudget?: number | null;
  public?: boolean | null;
}

/** Change a conversation's title; the caller's other sockets get `ConversationUpdated`. */
export interface UpdateConversation {
  action: "updateConversation";
  requestId?: string | null;
  conversationId: string;
  title: string;
}

/** Reply to `updateAgent`. */
export interface UpdatedAgent {
  agent: AgentSettings;
}

/**
 * Reply to `requestUpload`: post `fields` and then the file, as a form, to `url`.
 *
 * For an agent's knowledge it names the document, for a message's file the `key` that `agentChat` takes.
 */
export interface UploadForm {
  documentId?: string | null;
  replaces?: boolean | null;
  key?: string | null;
  expiresAt?: number | null;
  url: string;
  fields: Record<string, string>;
}

/** Who the caller is, what they act for, and their agents; provisions default agents. */
export interface WhoAmI {
  action: "whoAmI";
  requestId?: string | null;
}

/** Reply to `whoAmI`. A visitor without an account gets the public agents. */
export interface WhoAmIData {
  anonymous: boolean;
  user: Me | null;
  mode: "recruiter" | "job_seeker" | "visitor";
  companies: Company[];
  agents: AgentSummary[];
  defaultAgentId: string | null;
}

export type Request =
  | Ping
  | WhoAmI
  | CreateConversation
  | ListConversations
  | UpdateConversation
  | DeleteConversation
  | ConversationMessages
  | AgentChat
  | ResumeTurn
  | CancelTurn
  | TurnTimeline
  | GiveFeedback
  | RequestUpload
  | AttachmentUrl
  | ListDocuments
  | DeleteDocument
  | ReadPassage
  | SetModelCredential
  | ListModelCredentials
  | DeleteModelCredential
  | ListModels
  | UpdateAgent;

export type TurnEvent =
  | ChatProcessing
  | ChatContextLoaded
  | ChatChunk
  | ChatReasoningChunk
  | ChatToolCall
  | ChatToolResult
  | ChatSources
  | ChatComplete
  | ChatError
  | ChatSkipped;

export type Frame =
  | Pong
  | Reply
  | Error
  | Part
  | ConversationUpdated
  | DocumentUpdated
  | ChatProcessing
  | ChatContextLoaded
  | ChatChunk
  | ChatReasoningChunk
  | ChatToolCall
  | ChatToolResult
  | ChatSources
  | ChatComplete
  | ChatError
  | ChatSkipped;

export interface Requests {
  ping: Ping;
  whoAmI: WhoAmI;
  createConversation: CreateConversation;
  listConversations: ListConversations;
  updateConversation: UpdateConversation;
  deleteConversation: DeleteConversation;
  conversationMessages: ConversationMessages;
  agentChat: AgentChat;
  resumeTurn: ResumeTurn;
  cancelTurn: CancelTurn;
  turnTimeline: TurnTimeline;
  giveFeedback: GiveFeedback;
  requestUpload: RequestUpload;
  attachmentUrl: AttachmentUrl;
  listDocuments: ListDocuments;
  deleteDocument: DeleteDocument;
  readPassage: ReadPassage;
  setModelCredential: SetModelCredential;
  listModelCredentials: ListModelCredentials;
  deleteModelCredential: DeleteModelCredential;
  listModels: ListModels;
  updateAgent: UpdateAgent;
}

export interface Replies {
  whoAmI: WhoAmIData;
  createConversation: ConversationData;
  listConversations: ConversationPage;
  updateConversation: ConversationData;
  deleteConversation: DeletedConversation;
  conversationMessages: MessagePage;
  agentChat: AcceptedMessage;
  resumeTurn: ResumedTurn;
  cancelTurn: CancelledTurn;
  turnTimeline: Timeline;
  giveFeedback: GivenFeedback;
  requestUpload: UploadForm;
  attachmentUrl: AttachmentAddress;
  listDocuments: DocumentPage;
  deleteDocument: DeletedDocument;
  readPassage: PassageText;
  setModelCredential: StoredModelKey;
  listModelCredentials: ModelKeys;
  deleteModelCredential: DeletedModelKey;
  listModels: ModelList;
  updateAgent: UpdatedAgent;
}

export const TERMINAL: ReadonlySet<string> = new Set(["ChatComplete", "ChatError"]);

export const LIMITS = {
  SUBPROTOCOL: "rolecall.v1",
  FRAME_BYTES: 32768,
  MESSAGE_BYTES: 131072,
  POST_BYTES: 30720,
  MESSAGE_CHARACTERS: 10000,
  MESSAGE_TEXT_BYTES: 24576,
  IDLE_SECONDS: 600,
  CONNECTION_SECONDS: 7200,
  WATCHERS_PER_TURN: 10,
  TOOL_ROUNDS: 3,
  CALLS_PER_ROUND: 10,
  TOOL_OUTPUT_BYTES: 51200,
} as const;

export const RECOVERY_HINTS = {
  CONVERSATION_NOT_FOUND: "Create a new conversation.",
  CONVERSATION_INACTIVE: "Start a new conversation.",
  UNAUTHORIZED: "Sign in again, and check that you act for the right company.",
  RATE_LIMITED: "Wait a moment and send the message again.",
  TOKEN_LIMIT_EXCEEDED: "Wait until the daily budget resets, or ask an admin to raise it.",
  CHAT_ERROR: "Send the message again.",
  TOOL_ERROR: "Check the tool's configuration, then try again.",
  INSUFFICIENT_CREDITS: "Buy more credits.",
  SUBSCRIPTION_INACTIVE: "Activate the subscription.",
  PLAN_LIMIT_EXCEEDED: "Upgrade the plan.",
  ATTACHMENT_FAILED: "Re-upload the file and try again. If it fails again, the format may not be supported.",
  TURN_IN_PROGRESS: "Wait for the answer, or cancel it, then send the message again.",
  AGENT_INACTIVE: "Choose another agent, or ask its owner to switch it on.",
  CONTEXT_EXHAUSTED: "Start a new conversation, or send a shorter message.",
  CANCELLED: "Send the message again when you want an answer.",
  UNKNOWN_ACTION: "Use one of the actions that the protocol lists.",
  INVALID_REQUEST: "Correct the named field and send the request again.",
  STREAM_TIMEOUT: "Send the message again.",
  REJECTED: "Change the request, or ask the person who decided.",
  UNKNOWN: "Send the message again. If it fails again, tell support the turn's id.",
} as const;

import { type Static, Type } from 'typebox'
import { ASSISTANT_ENGINES } from './assistant.words.ts'
import { ApprovalCardSchema, ToolClassWord } from './assistant-cards.ts'
import {
  EpochMs,
  Id,
  IdParams,
  IsoTime,
  type JsonObject,
  listOf,
  listQuery,
  Nullable,
  Ok,
  Version,
  Words,
} from './common.ts'
import { route } from './route.ts'

/** interfaces.md §3: the longest question. */
export const QUESTION_MAX = 4000

export const AssistantEngine = Words(ASSISTANT_ENGINES, {
  description: 'off; the built-in engine; the model that the installation names (LLM_BASE_URL); the company’s own',
})
export type AssistantEngine = Static<typeof AssistantEngine>

const Tokens = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })
/** Fen for a million tokens; what the provider asks, for the cost log. */
const Price = Type.Number({ minimum: 0, maximum: 10_000_000 })

const ModelSettings = {
  engine: AssistantEngine,
  baseUrl: Type.String({ maxLength: 500, description: 'Where `/chat/completions` stands, without it; empty: none' }),
  model: Type.String({ maxLength: 200 }),
  temperature: Type.Number({ minimum: 0, maximum: 2 }),
  maxTokens: Type.Integer({ minimum: 64, maximum: 32_768, description: 'Of one answer' }),
  monthlyTokens: Nullable(Tokens),
  pricePerMillionIn: Price,
  pricePerMillionOut: Price,
  sendValues: Type.Boolean({
    description: 'Whether a model is told measured values and messages; names and counts it always is',
  }),
}

export const AssistantSettingsView = Type.Object({
  ...ModelSettings,
  hasApiKey: Type.Boolean(),
  /** Since when the service of the company's own model refuses its key. */
  keyRefusedAt: Nullable(IsoTime),
  /** Whether the installation names a model, and which. */
  installation: Nullable(Type.Object({ model: Type.String() })),
  usedTokens: Type.Integer({ description: 'This month' }),
  version: Version,
  updatedAt: Nullable(IsoTime),
})
export type AssistantSettingsView = Static<typeof AssistantSettingsView>

export const SetAssistantSettings = Type.Partial(
  Type.Object({
    ...ModelSettings,
    apiKey: Nullable(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Stored sealed, never shown again; null takes it away',
      }),
    ),
    version: Version,
  }),
  { additionalProperties: false },
)
export type SetAssistantSettings = Static<typeof SetAssistantSettings>

/** What the console needs before anybody asks. */
export const AssistantStatus = Type.Object({
  enabled: Type.Boolean(),
  engine: AssistantEngine,
  /** Name of the model that answers; null: the built-in engine. */
  model: Nullable(Type.String()),
  /** The month's tokens are used up: the built-in engine answers. */
  overQuota: Type.Boolean(),
})
export type AssistantStatus = Static<typeof AssistantStatus>

export const ToolView = Type.Object({
  name: Type.String(),
  title: Type.String(),
  class: ToolClassWord,
  permission: Type.String(),
  /** Questions that lead to it. */
  examples: Type.Array(Type.String()),
})
export type ToolView = Static<typeof ToolView>

export const ReplyLogRow = Type.Object({
  id: Id,
  at: IsoTime,
  userName: Type.String(),
  engine: Type.String(),
  model: Nullable(Type.String()),
  tools: Type.Array(Type.String()),
  state: Words(['running', 'done', 'stopped', 'failed']),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  costFen: Type.Number(),
  durationMs: Nullable(Type.Integer()),
  rating: Nullable(Words(['up', 'down'])),
})
export type ReplyLogRow = Static<typeof ReplyLogRow>

export const UsageView = Type.Object({
  month: Type.String({ description: 'YYYY-MM in the company’s time zone' }),
  tokens: Type.Integer(),
  limit: Nullable(Type.Integer()),
  costFen: Type.Number(),
  days: Type.Array(
    Type.Object({
      day: Type.String(),
      replies: Type.Integer(),
      promptTokens: Type.Integer(),
      completionTokens: Type.Integer(),
      costFen: Type.Number(),
    }),
  ),
  people: Type.Array(
    Type.Object({ userName: Type.String(), replies: Type.Integer(), tokens: Type.Integer(), costFen: Type.Number() }),
  ),
})
export type UsageView = Static<typeof UsageView>

const OWN_CHAT = { none: 'the caller’s own conversation' }

/**
 * The assistant (interfaces.md §3). Whatever it changes goes through the routes of the areas, with the caller's rights and
 * their own lines in the operation log; here stand the conversation, the approvals and the settings.
 */
export const assistantContract = {
  status: route({
    method: 'GET',
    path: '/api/v1/assistant',
    tag: 'Assistant',
    summary: 'Whether the assistant answers, and what answers',
    permission: 'signed-in',
    response: AssistantStatus,
  }),
  chat: route({
    method: 'GET',
    path: '/api/v1/assistant/chat',
    tag: 'Assistant',
    summary:
      'Asks a question; the answer is an event stream of `["text",{"data"}]`, `["card",{"data":"","card"}]` and `["error",{"data":"","code","message"}]`. Event ids are `{replyId}:{n}`; with `Last-Event-ID` an interrupted reply is continued and `input` is ignored',
    permission: 'signed-in',
    query: Type.Object({
      input: Type.Optional(Type.String({ maxLength: QUESTION_MAX })),
      chatId: Type.Optional(Id),
      // What the page shows, when the asker says that it belongs to the question.
      deviceId: Type.Optional(Id),
      productId: Type.Optional(Id),
    }),
    produces: 'text/event-stream',
    response: Type.String(),
  }),
  stop: route({
    method: 'POST',
    path: '/api/v1/assistant/replies/{id}/stop',
    tag: 'Assistant',
    summary: 'Stops a reply; what waits for an approval in it counts as denied',
    permission: 'signed-in',
    audit: OWN_CHAT,
    params: IdParams,
    response: Ok,
  }),
  rate: route({
    method: 'PUT',
    path: '/api/v1/assistant/replies/{id}/rating',
    tag: 'Assistant',
    summary: 'Says whether a reply was of use',
    permission: 'signed-in',
    audit: OWN_CHAT,
    params: IdParams,
    body: Type.Object({ rating: Nullable(Words(['up', 'down'])) }, { additionalProperties: false }),
    response: Ok,
  }),
  removeChat: route({
    method: 'DELETE',
    path: '/api/v1/assistant/chats/{id}',
    tag: 'Assistant',
    summary: 'Forgets the context of one conversation and what was allowed for it',
    permission: 'signed-in',
    audit: OWN_CHAT,
    params: IdParams,
    response: Ok,
  }),
  clearChats: route({
    method: 'DELETE',
    path: '/api/v1/assistant/chats',
    tag: 'Assistant',
    summary: 'Forgets all conversations of the caller',
    permission: 'signed-in',
    audit: OWN_CHAT,
    response: Ok,
  }),
  tools: route({
    method: 'GET',
    path: '/api/v1/assistant/tools',
    tag: 'Assistant',
    summary: 'What the assistant can do for the caller',
    permission: 'signed-in',
    response: Type.Object({ items: Type.Array(ToolView) }),
  }),
  approval: route({
    method: 'GET',
    path: '/api/v1/assistant/approvals/{id}',
    tag: 'Assistant',
    summary: 'One thing that waits for the caller’s decision, or what came of it',
    permission: 'signed-in',
    params: IdParams,
    response: ApprovalCardSchema,
  }),
  decide: route({
    method: 'POST',
    path: '/api/v1/assistant/approvals/{id}',
    tag: 'Assistant',
    summary: 'Allows it once, allows its tool for this chat (never deletes and device control), or denies it',
    permission: 'signed-in',
    audit: 'assistant.decide',
    params: IdParams,
    body: Type.Object({ decision: Words(['once', 'chat', 'deny']) }, { additionalProperties: false }),
    response: ApprovalCardSchema,
  }),
  undo: route({
    method: 'POST',
    path: '/api/v1/assistant/approvals/{id}/undo',
    tag: 'Assistant',
    summary: 'Takes back what was done, as far as it can be: device commands cannot',
    permission: 'signed-in',
    audit: 'assistant.undo',
    params: IdParams,
    response: ApprovalCardSchema,
  }),
  settings: route({
    method: 'GET',
    path: '/api/v1/assistant/settings',
    tag: 'Assistant',
    summary: 'Which engine answers the company, and what it may be told',
    permission: 'company:read',
    response: AssistantSettingsView,
  }),
  setSettings: route({
    method: 'PATCH',
    path: '/api/v1/assistant/settings',
    tag: 'Assistant',
    summary: 'Changes them; the model’s key is stored sealed',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'assistant.set_settings',
    body: SetAssistantSettings,
    response: AssistantSettingsView,
  }),
  testModel: route({
    method: 'POST',
    path: '/api/v1/assistant/settings/test',
    tag: 'Assistant',
    summary: 'Asks the model one short question with these settings, stored ones where none are given',
    permission: 'company:write',
    wholeCompany: true,
    audit: { none: 'changes nothing' },
    body: SetAssistantSettings,
    response: Type.Object({
      ok: Type.Boolean(),
      /** What it answered, or why not, cut short. */
      text: Type.String(),
      durationMs: Type.Integer(),
      toolCalls: Type.Boolean({ description: 'Whether it can call tools; without that it only talks' }),
    }),
  }),
  usage: route({
    method: 'GET',
    path: '/api/v1/assistant/usage',
    tag: 'Assistant',
    summary: 'Tokens and cost of a month by day and by person',
    permission: 'company:read',
    query: Type.Object({ month: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}$' })) }),
    response: UsageView,
  }),
  replies: route({
    method: 'GET',
    path: '/api/v1/assistant/replies',
    tag: 'Assistant',
    summary: 'Every reply with tools, tokens and cost, newest first; questions are not kept here',
    permission: 'company:read',
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      from: Type.Optional(EpochMs),
      to: Type.Optional(EpochMs),
    }),
    response: listOf(ReplyLogRow),
  }),
}
export type AssistantToolInput = Static<typeof JsonObject>

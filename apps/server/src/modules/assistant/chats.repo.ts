import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { Mention } from '../../lib/tools/tools.ts'
import type { Waiting } from './engine.ts'
import type { LlmMessage } from './llm.port.ts'

/** What a conversation remembers: so many messages, so many characters of them. */
const MESSAGES = 40
const CHARACTERS = 60_000
/** Things that "it" can mean. */
const MENTIONS = 12

export interface Chat {
  allowedTools: string[]
  mentions: Mention[]
  waiting: Waiting | null
  /** Oldest first. */
  messages: LlmMessage[]
}

type Scope = Pick<TenantScope, 'run' | 'tenantId'>

const INSERT_ASSISTANT_CHATS = sql`insert into assistant_chats (tenant_id, login_id, id) values ($1, $2, $3)
  on conflict (tenant_id, login_id, id) do update set updated_at = now()`

const SELECT_ASSISTANT_CHATS = sql<{
  allowed_tools: string[]
  mentions: Mention[]
  waiting: Waiting | null
}>`select allowed_tools, mentions, waiting from assistant_chats where login_id = $1 and id = $2`

const SELECT_ASSISTANT_MESSAGES = sql<{
  message: LlmMessage
}>`select message from assistant_messages where login_id = $1 and chat_id = $2 order by created_at desc, id desc limit $3`

/** The conversation of a person, made on its first question. */
export async function openChat(scope: Scope, loginId: string, id: string): Promise<Chat> {
  await scope.run(INSERT_ASSISTANT_CHATS, [scope.tenantId, loginId, id])
  const { rows } = await scope.run(SELECT_ASSISTANT_CHATS, [loginId, id])
  const kept = await scope.run(SELECT_ASSISTANT_MESSAGES, [loginId, id, MESSAGES])
  const { allowed_tools: allowedTools, mentions, waiting } = rows[0]!
  return { allowedTools, mentions, waiting, messages: whole(kept.rows.map(row => row.message).reverse()) }
}

/** The end of a conversation that fits, never beginning within a call of tools and its answers. */
export function whole(messages: readonly LlmMessage[]): LlmMessage[] {
  let characters = 0
  let from = messages.length
  while (from > 0) {
    characters += JSON.stringify(messages[from - 1]).length
    if (characters > CHARACTERS) break
    from--
  }
  // A question opens everything that follows it: calls stand behind the question that they were made for.
  const kept = messages.slice(from)
  const first = kept.findIndex(message => message.role === 'user')
  return first < 0 ? [] : kept.slice(first)
}

const KEEP_TURN = sql`update assistant_chats set mentions = $3, waiting = $4, updated_at = now() where login_id = $1 and id = $2`

export async function keepTurn(
  scope: Scope,
  loginId: string,
  chatId: string,
  turn: { messages: readonly LlmMessage[]; mentions: readonly Mention[]; waiting: Waiting | null },
): Promise<void> {
  // Forgotten while it was being answered: it stays forgotten.
  const { rowCount } = await scope.run(KEEP_TURN, [
    loginId,
    chatId,
    JSON.stringify(turn.mentions.slice(0, MENTIONS)),
    turn.waiting && JSON.stringify(turn.waiting),
  ])
  if (rowCount === 1) await addMessages(scope, loginId, chatId, turn.messages)
}

const ADD_MESSAGES = sql`insert into assistant_messages (id, tenant_id, login_id, chat_id, message)
  select $1, $2, $3, $4, $5 from assistant_chats where login_id = $3 and id = $4`

export async function addMessages(
  scope: Scope,
  loginId: string,
  chatId: string,
  messages: readonly LlmMessage[],
): Promise<void> {
  const now = Date.now()
  for (const [place, message] of messages.entries())
    await scope.run(ADD_MESSAGES, [newId(now + place), scope.tenantId, loginId, chatId, JSON.stringify(message)])
}

const NOTE_LATER = sql`update assistant_chats set mentions = $3::jsonb || mentions where login_id = $1 and id = $2`

/** What happened when the conversation's reply was over: a line of ours, and what "it" means now. */
export async function noteLater(
  scope: Scope,
  loginId: string,
  chatId: string,
  text: string,
  mentions: readonly Mention[],
): Promise<void> {
  await addMessages(scope, loginId, chatId, [{ role: 'assistant', content: text }])
  if (mentions.length > 0) await scope.run(NOTE_LATER, [loginId, chatId, JSON.stringify(mentions)])
}

const ALLOW_TOOL = sql`update assistant_chats set allowed_tools = (select array_agg(distinct t) from unnest(allowed_tools || $3::text[]) t)
  where login_id = $1 and id = $2`

/** Remembers that a tool needs no asking in this chat. */
export async function allowTool(
  scope: Scope,
  loginId: string,
  chatId: string,
  tools: readonly string[],
): Promise<void> {
  await scope.run(ALLOW_TOOL, [loginId, chatId, tools])
}

const TOOLS_ALLOWED = sql<{
  allowed_tools: string[]
}>`select allowed_tools from assistant_chats where login_id = $1 and id = $2`

export async function toolsAllowed(scope: Scope, loginId: string, chatId: string): Promise<string[]> {
  const { rows } = await scope.run(TOOLS_ALLOWED, [loginId, chatId])
  return rows[0]?.allowed_tools ?? []
}

const REMOVE_CHATS = sql`delete from assistant_chats where login_id = $1 and ($2::uuid is null or id = $2)`

export async function removeChats(scope: Scope, loginId: string, chatId: string | null): Promise<void> {
  await scope.run(REMOVE_CHATS, [loginId, chatId])
}

const SWEEP_CHATS = sql`delete from assistant_chats where updated_at < to_timestamp($1 / 1000.0) - interval '90 days'`

/** Conversations that nobody went on with for 90 days. */
export async function sweepChats(scope: Pick<SystemScope, 'run'>, now: number): Promise<void> {
  await scope.run(SWEEP_CHATS, [now])
}

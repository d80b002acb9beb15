import type { AddressInfo } from 'node:net'
import type { ApprovalCard, Card } from '@thingwright/contracts/assistant-cards'
import type { FastifyInstance } from 'fastify'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import type { Container } from '../container.ts'
import type { ContainerOptions } from '../container-options.ts'
import { testContainer, testHttp } from './test-app.ts'

export const PASSWORD = 'A password 4 tests'

/** One answer of the assistant, read to its end. */
export interface Answer {
  chatId: string
  text: string
  /** As they ended: a card that came again stands once, as it was last. */
  cards: Card[]
  /** Approvals that were asked for; all of them were answered with the decision of the asker. */
  approvals: ApprovalCard[]
  /** Tools that the engine called, with their arguments. */
  tools: { name: string; input: Record<string, unknown> }[]
  error: { code: string; message: string } | null
  /** Every byte of the stream. */
  stream: string
  /** Milliseconds from the question to its first text. */
  firstTextMs: number | null
}

export interface AskOptions {
  chatId?: string
  deviceId?: string
  /** What is answered to approvals; denied unless the test says otherwise. */
  decision?: 'once' | 'deny'
}

/** The application on a real port, asked as a browser would ask. */
export interface AssistantHouse {
  db: TestDatabase
  container: Container
  app: FastifyInstance
  base: string
  /** A new company, and a token of its owner. */
  company(name: string, owner: string): Promise<{ tenantId: string; token: string }>
  /** A member who holds one new role with these rights; his token. */
  person(tenantId: string, owner: string, name: string, permissions: readonly string[]): Promise<string>
  signIn(username: string): Promise<string>
  /** Calls a route; @throws Error when it is not answered with 2xx. */
  call<T = { id: string }>(method: string, path: string, token: string, body?: object): Promise<T>
  ask(token: string, question: string, options?: AskOptions): Promise<Answer>
  close(): Promise<void>
}

/** @param shared a database that is already there: another process of the same installation, say with a model */
export async function assistantHouse(
  over: Partial<ContainerOptions> = {},
  shared?: TestDatabase,
): Promise<AssistantHouse> {
  const db = shared ?? (await testDatabase())
  const container = testContainer(db, over)
  const app = await testHttp(container, { strictAudit: true, onRefused: container.audit.refusals.note })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const passwordHash = await hashPassword(PASSWORD)

  const signIn = async (username: string): Promise<string> => {
    const reply = await fetch(`${base}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
    })
    return ((await reply.json()) as { access_token: string }).access_token
  }

  async function call<T = { id: string }>(method: string, path: string, token: string, body?: object): Promise<T> {
    const form = body instanceof FormData
    const reply = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && !form ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return (text ? JSON.parse(text) : {}) as T
  }

  async function calledIn(chatId: string, since: Date): Promise<Answer['tools']> {
    const { rows } = await db.superuser.query(
      `select message from assistant_messages where chat_id = $1 and created_at >= $2 and message->>'role' = 'assistant' order by id`,
      [chatId, since],
    )
    return rows
      .flatMap(({ message }) => (message.toolCalls ?? []) as { name: string; arguments: string }[])
      .map(({ name, arguments: input }) => ({ name, input: parsed(input) }))
  }

  return {
    db,
    container,
    app,
    base,
    signIn,
    call,
    async company(name, owner) {
      const tenantId = await db.database.withSystemScope('seed', scope =>
        seedCompany(scope, { name, owner: { username: owner, passwordHash, displayName: owner, kind: 'member' } }),
      )
      const token = await signIn(owner)
      await call('POST', '/security/proof', token, { method: 'password', password: PASSWORD })
      return { tenantId, token }
    },
    async person(tenantId, owner, name, permissions) {
      const loginId = newId()
      await db.superuser.query(
        `insert into logins (id, tenant_id, kind, username, display_name, password_hash) values ($1, $2, 'member', $3, $3, $4)`,
        [loginId, tenantId, name, passwordHash],
      )
      const role = await call('POST', '/roles', owner, {
        name: `role of ${name}`,
        permissions,
        menuKeys: [],
        dataScope: { kind: 'all' },
      })
      await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
        loginId,
        role.id,
        tenantId,
      ])
      return signIn(name)
    },
    async ask(token, question, { chatId = newId(), deviceId, decision = 'deny' } = {}) {
      const since = new Date((await db.superuser.query('select clock_timestamp() as now')).rows[0].now)
      const query = new URLSearchParams({ input: question, chatId, ...(deviceId ? { deviceId } : {}) })
      const began = performance.now()
      const reply = await fetch(`${base}/api/v1/assistant/chat?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
      const cards = new Map<string, Card>()
      const answer: Answer = {
        chatId,
        text: '',
        cards: [],
        approvals: [],
        tools: [],
        error: null,
        stream: '',
        firstTextMs: null,
      }
      const decided = new Set<string>()
      let waiting = ''
      for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
        answer.stream += piece
        waiting += piece
        const events = waiting.split('\n\n')
        waiting = events.pop()!
        for (const event of events) {
          const data = event
            .split('\n')
            .filter(line => line.startsWith('data:'))
            .map(line => line.slice(5).trimStart())
            .join('\n')
          if (data === '') continue
          const [kind, body] = JSON.parse(data) as [
            string,
            { data: string; card?: Card; code?: string; message?: string },
          ]
          if (kind === 'error') answer.error = { code: body.code!, message: body.message! }
          if (body.data !== '') answer.firstTextMs ??= performance.now() - began
          answer.text += body.data
          const { card } = body
          if (!card) continue
          cards.set('id' in card ? card.id : `${cards.size}`, card)
          if (card.kind === 'approval' && card.state === 'pending' && !decided.has(card.id)) {
            decided.add(card.id)
            answer.approvals.push(card)
            await call('POST', `/assistant/approvals/${card.id}`, token, { decision })
          }
        }
      }
      answer.cards = [...cards.values()]
      // What was called is kept at the end of the reply, which is a moment after the end of its stream.
      await keptReply(db, chatId, since)
      answer.tools = await calledIn(chatId, since)
      return answer
    },
    async close() {
      await container.assistant.stop()
      await app.close()
      if (!shared) await db.drop()
    },
  }
}

/** Waits until the reply's row says that it is over and its messages are there. */
async function keptReply(db: TestDatabase, chatId: string, since: Date): Promise<void> {
  for (;;) {
    const { rows } = await db.superuser.query(
      `select 1 from assistant_messages where chat_id = $1 and created_at >= $2 limit 1`,
      [chatId, since],
    )
    if (rows.length > 0) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return { unreadable: text }
  }
}

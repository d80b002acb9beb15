import type { AddressInfo } from 'node:net'
import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { FastifyInstance } from 'fastify'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Actor } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { type Logger, silentLogger } from '../../lib/log.ts'
import { type AssistantModule, createAssistantModule, type LlmPort } from '../../modules/assistant/index.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import type { Container } from '../container.ts'
import { type Answer, readAnswer } from './event-stream.ts'
import { type ScriptedEngine, scriptedEngine } from './scripted-engine.ts'
import { SCRIPTED_FINDER, SCRIPTED_TOOLS } from './scripted-tools.ts'
import { testContainer, testHttp } from './test-app.ts'

export const PASSWORD = 'A password 4 tests'

/** The assistant on a real port, with an engine that does what it is told and with small tools over real routes. */
export interface ScriptedHouse {
  db: TestDatabase
  container: Container
  assistant: AssistantModule
  engine: ScriptedEngine
  url: string
  tenantId: string
  /** Added to the assistant's clock, ms. */
  time: { ahead: number }
  /** Of somebody in the company, made on first use with these rights; `owner` has all. */
  token(name: string, permissions?: readonly Permission[]): Promise<string>
  /** With the password of everybody here. */
  signIn(username: string): Promise<string>
  roleOf(name: string): string
  ask(token: string, question: string, about?: { chatId?: string; headers?: object; query?: object }): Promise<Answer>
  resume(token: string, eventId: string): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
  send(token: string, method: string, path: string, body?: object): Promise<{ status: number; body: any }>
  /** The same company and people in a server that was started anew. */
  restart(): Promise<ScriptedHouse>
  close(): Promise<void>
}

interface Over {
  graceMs?: number
  logger?: Logger
  /** The installation's model. */
  llm?: LlmPort
}

export async function scriptedHouse(over: Over = {}): Promise<ScriptedHouse> {
  const db = await testDatabase()
  const people = { tokens: new Map<string, string>(), roles: new Map<string, string>(), owner: `owner-${newId()}` }
  const tenantId = await db.database.withSystemScope('seed', async scope =>
    seedCompany(scope, {
      name: 'House',
      owner: {
        username: people.owner,
        passwordHash: await hashPassword(PASSWORD),
        displayName: 'Owner',
        kind: 'member',
      },
    }),
  )
  return startHouse(over, db, tenantId, people, () => db.drop())
}

async function startHouse(
  over: Over,
  db: TestDatabase,
  tenantId: string,
  people: { tokens: Map<string, string>; roles: Map<string, string>; owner: string },
  drop: () => Promise<void>,
): Promise<ScriptedHouse> {
  const container = testContainer(db)
  const engine = scriptedEngine()
  const time = { ahead: 0 }
  const assistant = createAssistantModule({
    database: db.database,
    secretKey: 'k'.repeat(64),
    logger: over.logger ?? silentLogger,
    tools: SCRIPTED_TOOLS,
    finders: [SCRIPTED_FINDER],
    llm: over.llm ?? { chat: () => Promise.reject(new Error('no model')) as never, close: () => {} },
    installation: over.llm ? { baseUrl: 'http://model.invalid', apiKey: null, model: 'scripted-model' } : null,
    outboundAllow: [],
    inbox: container.notifications.inbox,
    callApi: (ctx, call) => container.api.call(ctx, call),
    currentActor: async (tenant: string, actor: Actor) =>
      actor.kind === 'member' ? container.identity.actorNow(tenant, actor.loginId) : actor,
    timeZone: async () => 'Asia/Shanghai',
    companyName: async () => 'House',
    onRefused: container.audit.refusals.note,
    now: () => Date.now() + time.ahead,
    graceMs: over.graceMs,
    builtin: engine,
  })
  const others = container.routes.filter(route => !route.contract.path.startsWith('/api/v1/assistant'))
  const app: FastifyInstance = await testHttp(container, {
    routes: [...others, ...assistant.routes],
    strictAudit: true,
    onRefused: container.audit.refusals.note,
    ...(over.logger ? { logger: over.logger } : {}),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  async function stop(): Promise<void> {
    await assistant.stop()
    // What was written still arrives.
    const closed = app.close()
    app.server.closeIdleConnections()
    await closed
  }

  async function signIn(username: string): Promise<string> {
    const reply = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: 'Basic Y2xpOmNsaQ==' },
      body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
    })
    return ((await reply.json()) as { access_token: string }).access_token
  }

  async function makePerson(name: string, username: string, permissions: readonly Permission[]): Promise<void> {
    const [loginId, roleId] = [newId(), newId()]
    await db.superuser.query(
      `insert into logins (id, tenant_id, username, password_hash, display_name, kind, state)
       values ($1, $2, $3, $4, $3, 'member', 'active')`,
      [loginId, tenantId, username, await hashPassword(PASSWORD)],
    )
    await db.superuser.query(`insert into roles (id, tenant_id, key, name, permissions) values ($1, $2, $3, $3, $4)`, [
      roleId,
      tenantId,
      username,
      permissions,
    ])
    await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
      loginId,
      roleId,
      tenantId,
    ])
    people.roles.set(name, roleId)
  }

  return {
    db,
    container,
    assistant,
    engine,
    url,
    tenantId,
    time,
    async token(name, permissions = PERMISSIONS) {
      const known = people.tokens.get(name)
      if (known) return known
      const username = name === 'owner' ? people.owner : `${name}-${newId()}`
      if (name !== 'owner') await makePerson(name, username, permissions)
      const token = await signIn(username)
      people.tokens.set(name, token)
      return token
    },
    signIn,
    roleOf: name => people.roles.get(name)!,
    ask(token, question, { chatId, headers = {}, query = {} } = {}) {
      const asked = new URLSearchParams({ input: question, ...(chatId ? { chatId } : {}), ...query })
      return readAnswer(`${url}/api/v1/assistant/chat?${asked}`, {
        authorization: `Bearer ${token}`,
        'accept-language': 'en',
        ...headers,
      })
    },
    resume: (token, eventId) =>
      readAnswer(`${url}/api/v1/assistant/chat?input=`, {
        authorization: `Bearer ${token}`,
        'last-event-id': eventId,
      }),
    async send(token, method, path, body) {
      const reply = await fetch(`${url}/api/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'accept-language': 'en',
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: reply.status, body: await reply.json() }
    },
    async restart() {
      await stop()
      return startHouse(over, db, tenantId, people, drop)
    },
    async close() {
      await stop()
      await drop()
    },
  }
}

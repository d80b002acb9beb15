import { allContracts } from '@thingwright/contracts/all-contracts'
import type { RouteContract } from '@thingwright/contracts/route'
import type { TestDatabase } from '../../../db/testing.ts'
import type { ContainerOptions } from '../../container-options.ts'
import { type AssistantHouse, assistantHouse } from '../assistant-house.ts'
import { watchChanges } from './watch.ts'
import { withoutLine } from './without-line.ts'

/** What is sent to a route; a file makes it a form. */
export interface Sent {
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: object
  /** Fields of `body` first, then these bytes. */
  file?: { name: string; bytes: Uint8Array | string; type?: string }
  /** Whose token; absent: the owner of the company; null: nobody's. */
  as?: string | null
  headers?: Record<string, string>
}

/** Changes over HTTP, and holds what each of them leaves. */
export interface Changer {
  /**
   * Calls a route of the registry by its name in the contracts; @throws Error when it is refused. Afterwards every
   * transaction that changed something of the company must have written a line, and the route the one it is named for.
   */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
  go(name: string, sent?: Sent): Promise<any>
  /** Holds what was changed beside the routes: background work, device path. */
  held(what: string): Promise<void>
  /** What a test itself arranged is none of theirs. */
  arranged<T>(work: Promise<T>): Promise<T>
  /** What left no line, told once each. */
  findings: string[]
  /** Routes that were answered with success. */
  reached: Set<string>
}

/** A company in which everything that can be changed is changed. */
export interface ChangeHouse extends AssistantHouse, Changer {
  tenantId: string
  /** Of the owner, who has proven just now that it is he. */
  owner: string
}

/** Every route that may change something. */
export const CHANGES = new Map<string, RouteContract>(
  Object.entries(allContracts).flatMap(([feature, routes]) =>
    Object.entries(routes as Record<string, RouteContract>)
      .filter(([, { method }]) => method !== 'GET')
      .map(([name, contract]) => [`${feature}.${name}`, contract] as const),
  ),
)

export async function changeHouse(over: Partial<ContainerOptions> = {}): Promise<ChangeHouse> {
  const house = await assistantHouse({ demo: true, devFlag: true, publicUrl: 'http://localhost:8080', ...over })
  const { tenantId, token } = await house.company('Every change', 'chief')
  const changes = await changer(house.db, house.base, token)
  return {
    ...house,
    ...changes,
    company: (name, owner) => changes.arranged(house.company(name, owner)),
    tenantId,
    owner: token,
  }
}

/** @param owner whose token is sent when a change names nobody else */
export async function changer(db: TestDatabase, base: string, owner: string): Promise<Changer> {
  const watch = await watchChanges(db.superuser)
  const findings: string[] = []
  const reached = new Set<string>()
  const seen = new Set<string>()

  async function newLines(): Promise<string[]> {
    const { rows } = await db.superuser.query<{ id: string; action: string }>('select id, action from audit_logs')
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    return fresh.map(({ action }) => action)
  }

  async function held(what: string, action?: string): Promise<void> {
    const lines = await newLines()
    if (action !== undefined && !lines.includes(action))
      findings.push(`${what} left no line ${action}${lines.length > 0 ? `, but ${lines.join(', ')}` : ''}`)
    for (const { tables, logged } of await watch.changes()) {
      const unlogged = logged ? [] : tables.filter(table => !withoutLine(table))
      if (unlogged.length > 0) findings.push(`${what} changed ${unlogged.join(', ')} in a transaction without a line`)
    }
  }

  return {
    findings,
    reached,
    held: what => held(what),
    async arranged(work) {
      const result = await work
      await newLines()
      await watch.changes()
      return result
    },
    async go(name, sent = {}) {
      const contract = CHANGES.get(name)
      if (!contract) throw new Error(`no route ${name} that changes something`)
      const path = contract.path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
        encodeURIComponent(String(sent.params?.[key])),
      )
      const query = new URLSearchParams(sent.query)
      await held(`before ${name}`)
      const reply = await fetch(`${base}${path}${query.size > 0 ? `?${query}` : ''}`, {
        method: contract.method,
        ...requestOf(sent, owner),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${name} ${path}: ${reply.status} ${text}`)
      reached.add(name)
      await held(name, typeof contract.audit === 'string' ? contract.audit : undefined)
      return /json/.test(reply.headers.get('content-type') ?? '') ? JSON.parse(text) : text
    },
  }
}

function requestOf({ body, file, as, headers = {} }: Sent, owner: string): RequestInit {
  const auth: Record<string, string> = as === null ? {} : { authorization: `Bearer ${as ?? owner}` }
  if (file) {
    const form = new FormData()
    for (const [key, value] of Object.entries(body ?? {}))
      form.append(key, typeof value === 'object' ? JSON.stringify(value) : String(value))
    form.append('file', new Blob([file.bytes as never], { type: file.type ?? 'application/octet-stream' }), file.name)
    return { headers: { ...auth, ...headers }, body: form }
  }
  if (body instanceof URLSearchParams) return { headers: { ...auth, ...headers }, body }
  return {
    headers: { ...auth, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }
}

import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { SignInEventView, securityContract } from '@thingwright/contracts/security.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { EXPORT_PAGE, everyRow, tableExport } from '../../lib/table-export/table-export.ts'
import type { Inbox } from '../notifications/index.ts'
import type { LoginRow } from './identity.repo.ts'
import { clientOf, networkOf, placeOf } from './network.ts'
import { noticeWords, type SecurityMessages } from './security-messages.ts'
import { policyIn } from './security-policy.ts'
import type { Peer } from './session-start.ts'
import { type EventRow, insertEvent, listEvents, seenBefore } from './sign-in-history.repo.ts'
import words from './sign-in-words.json' with { type: 'json' }

type ListQuery = QueryOf<(typeof securityContract)['companyHistory']>
type ExportQuery = QueryOf<(typeof securityContract)['companyHistoryExport']>
type Page = ResponseOf<(typeof securityContract)['companyHistory']>
export type KnownLogin = Pick<LoginRow, 'id' | 'tenant_id' | 'username' | 'email' | 'locale'>

/** Writes down who came in and who was refused; sign-in calls it in its own transaction. */
export interface SignInWatch {
  /** A session has begun. From a device or network not seen before, its owner is told. */
  begun(scope: SystemScope, login: KnownLogin, clientId: string, peer: Peer, method: string): Promise<void>
  refused(
    scope: SystemScope,
    login: KnownLogin,
    clientId: string,
    peer: Peer,
    method: string,
    reason: string,
  ): Promise<void>
  /** The first step was right, a second one is asked for. */
  halfway(scope: SystemScope, login: KnownLogin, clientId: string, peer: Peer, method: string): Promise<void>
}

export interface SignInHistory extends SignInWatch {
  /** @param whose null: of the whole company */
  list(ctx: Ctx, whose: string | null, input: ListQuery): Promise<Page>
  /** The company's as a file. @throws AppError export.too_many_rows */
  export(ctx: Ctx, input: ExportQuery): Promise<StreamReply>
}

export function createSignInHistory(deps: {
  database: Database
  inbox: Inbox
  messages: SecurityMessages
  now(): number
}): SignInHistory {
  async function write(
    scope: SystemScope,
    login: KnownLogin,
    clientId: string,
    peer: Peer,
    event: { method: string; result: EventRow['result']; reason: string | null; newDevice?: boolean },
  ): Promise<void> {
    const { newDevice = false, ...rest } = event
    await insertEvent(scope, {
      id: newId(deps.now()),
      tenant_id: login.tenant_id,
      login_id: login.id,
      username: login.username,
      at: new Date(deps.now()),
      ip: peer.ip,
      place: placeOf(peer.ip),
      network: networkOf(peer.ip),
      client: clientOf(peer.userAgent).name,
      user_agent: peer.userAgent.slice(0, 300),
      client_id: clientId,
      new_device: newDevice,
      ...rest,
    })
  }

  return {
    async begun(scope, login, clientId, peer, method) {
      const client = clientOf(peer.userAgent).name
      const seen = await seenBefore(scope, login.id, client, networkOf(peer.ip))
      // The very first sign-in is from a new device by nature: nobody needs to be told.
      const newDevice = seen.any && !(seen.client && seen.network)
      await write(scope, login, clientId, peer, { method, result: 'ok', reason: null, newDevice })
      if (!newDevice || !(await policyIn(scope, login.tenant_id)).noticeNewDevice) return
      const params = { client: client || '?', ip: peer.ip, username: login.username }
      await deps.inbox.notify(scope, {
        tenantId: login.tenant_id,
        to: { loginIds: [login.id] },
        kind: 'security.new_device',
        ...noticeWords('newDevice', params),
        link: '/admin/security?tab=sessions',
        level: 'warning',
      })
      const at = new Date(deps.now()).toISOString().slice(0, 19).replace('T', ' ')
      scope.afterCommit(() => deps.messages.mail(login.email, 'new_device', login.locale, { ...params, at }))
    },
    refused: (scope, login, clientId, peer, method, reason) =>
      write(scope, login, clientId, peer, { method, result: 'refused', reason }),
    halfway: (scope, login, clientId, peer, method) =>
      write(scope, login, clientId, peer, { method, result: 'second_factor', reason: null }),

    list: page,
    export(ctx, { format, ...query }) {
      const text = words[ctx.locale]
      const rows = everyRow(cursor => page(ctx, null, { ...query, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }))
      return tableExport({
        format,
        fileName: text.fileName,
        columns: [
          { key: 'at', title: text.at, type: 'time' },
          { key: 'username', title: text.username },
          { key: 'result', title: text.result },
          { key: 'reason', title: text.reason },
          { key: 'method', title: text.method },
          { key: 'ip', title: text.ip },
          { key: 'place', title: text.place },
          { key: 'client', title: text.client },
        ],
        rows: (async function* () {
          for await (const row of rows)
            yield { ...row, result: text.results[row.result], place: placeText(text, row.place) }
        })(),
      })
    },
  }

  function page(ctx: Ctx, whose: string | null, input: ListQuery): Promise<Page> {
    return deps.database.withTenant({ tenantId: ctx.tenantId }, async scope => {
      const limit = input.limit ?? 20
      const after = positionOf(input.cursor)
      const rows = await readFrom(input.cursor, () =>
        listEvents(scope, {
          loginId: whose ?? input.loginId ?? null,
          result: input.result ?? null,
          needle: input.q ?? null,
          after,
          limit: limit + 1,
        }),
      )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map(toView),
        nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
      }
    })
  }
}

function placeText(text: (typeof words)['zh'], place: string): string {
  return (text.places as Record<string, string>)[place] ?? place
}

function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [at, id] = values
  if (typeof at !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [at, id]
}

function toView(row: EventRow): SignInEventView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    loginId: row.login_id,
    username: row.username,
    method: row.method,
    result: row.result,
    reason: row.reason,
    ip: row.ip,
    place: row.place,
    client: row.client,
    newDevice: row.new_device,
  }
}

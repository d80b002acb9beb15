import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { AlarmEventView, AlarmView, alarmsContract } from '@thingwright/contracts/alarms.contract'
import type { AlarmEventKind } from '@thingwright/contracts/alarms.words'
import type { Permission } from '@thingwright/contracts/permissions'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { groupsBelow } from '../groups/groups.views.ts'
import type { Inbox } from '../notifications/index.ts'
import words from './alarm-words.json' with { type: 'json' }
import { toEvent, toView } from './alarms.mapping.ts'
import * as repo from './alarms.repo.ts'

type Contract = typeof alarmsContract
type ListQuery = QueryOf<Contract['list']>

export interface AlarmsService {
  list(ctx: Ctx, query: ListQuery): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, id: string): Promise<AlarmView>
  events(ctx: Ctx, id: string): Promise<{ items: AlarmEventView[] }>
  occurrences(
    ctx: Ctx,
    id: string,
    query: QueryOf<Contract['occurrences']>,
  ): Promise<ResponseOf<Contract['occurrences']>>
  ack(ctx: Ctx, id: string, input: { text?: string }): Promise<AlarmView>
  clear(ctx: Ctx, id: string, input: { text?: string }): Promise<AlarmView>
  assign(ctx: Ctx, id: string, input: BodyOf<Contract['assign']>): Promise<AlarmView>
  comment(ctx: Ctx, id: string, input: BodyOf<Contract['comment']>): Promise<AlarmEventView>
  handle(ctx: Ctx, id: string, input: BodyOf<Contract['handle']>): Promise<AlarmView>
  ignore(ctx: Ctx, id: string, input: { text?: string }): Promise<AlarmView>
  reopen(ctx: Ctx, id: string, input: { text?: string }): Promise<AlarmView>
  shelve(ctx: Ctx, id: string, input: BodyOf<Contract['shelve']>): Promise<AlarmView>
  unshelve(ctx: Ctx, id: string, input: { text?: string }): Promise<AlarmView>
  batch(ctx: Ctx, input: BodyOf<Contract['batch']>): Promise<ResponseOf<Contract['batch']>>
  /** Of any company, for live subscribers; rights were checked at the subscription. */
  views(ids: readonly string[]): Promise<AlarmView[]>
  /** The given alarms that the caller may see. */
  visible(scope: TenantScope, ids: readonly string[]): Promise<string[]>
}

export interface AlarmsServiceDeps {
  database: Database
  inbox: Inbox
  /** Facts for the engine were written: after the commit. */
  onSignal(): void
}

interface Change {
  /** Null: nothing is to be changed, it is so already. */
  set: repo.AlarmChange
  kind: AlarmEventKind
  text?: string | undefined
  photoIds?: string[]
  detail?: Record<string, unknown>
  action: string
}

const MINUTE_MS = 60_000

export function createAlarmsService({ database, inbox, onSignal }: AlarmsServiceDeps): AlarmsService {
  async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.AlarmRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('alarm.not_found')
    return row
  }

  /** Changes one alarm with its line in its trail and in the operation log; told to whoever looks at alarms. */
  async function changeIn(
    scope: TenantScope,
    ctx: Ctx,
    id: string,
    work: (row: repo.AlarmRow) => Promise<Change | null> | Change | null,
  ): Promise<AlarmView> {
    const before = await existing(scope, id, true)
    const change = await work(before)
    if (!change) {
      // The request is answered all the same; what is as it was needs no line.
      await note(scope, ctx, before, { set: {}, kind: 'commented', action: 'alarm.unchanged' }, false)
      return toView(before)
    }
    await repo.update(scope, id, change.set)
    const event = eventOf(ctx, change)
    await repo.insertEvent(scope, ctx.tenantId, id, event)
    await note(scope, ctx, before, change, true)
    if (before.device !== null) {
      const levels = await repo.refreshLevels(scope, [before.device])
      if (levels.length > 0) scope.tell('alarm_levels.changed', { devices: levels })
    }
    scope.tell('alarms.changed', { tenantId: ctx.tenantId, ids: [id] })
    return toView(await existing(scope, id))
  }

  const change = (
    ctx: Ctx,
    id: string,
    work: (row: repo.AlarmRow, scope: TenantScope) => Promise<Change | null> | Change | null,
  ) => database.withTenant(ctx, scope => changeIn(scope, ctx, id, row => work(row, scope)))

  async function filterOf(
    scope: TenantScope,
    ctx: Ctx,
    query: Omit<ListQuery, 'limit' | 'cursor' | 'sort' | 'total'>,
  ): Promise<repo.AlarmFilter> {
    const flag = (value: string | undefined) => value === '1' || value === 'true'
    const assignee = query.mine === '1' ? (ownerIdOf(ctx.actor) ?? undefined) : query.assigneeId
    return {
      ...(query.q ? { q: repo.containing(query.q) } : {}),
      ...(query.active === undefined ? {} : { active: flag(query.active) }),
      ...(query.acknowledged === undefined ? {} : { acknowledged: flag(query.acknowledged) }),
      ...(query.work ? { work: query.work } : {}),
      ...(query.level === undefined ? {} : { level: query.level }),
      ...(query.minLevel === undefined ? {} : { minLevel: query.minLevel }),
      ...(query.deviceId ? { deviceId: query.deviceId } : {}),
      ...(query.productId ? { productId: query.productId } : {}),
      ...(query.groupId ? { groupIds: await groupsBelow(scope, [query.groupId], 'device') } : {}),
      ...(query.userId ? { userId: query.userId } : {}),
      ...(query.triggerId ? { triggerId: query.triggerId } : {}),
      ...(assignee ? { assigneeId: assignee } : {}),
      ...(query.shelved === undefined ? {} : { shelved: flag(query.shelved) }),
      ...(query.suppressed === undefined ? {} : { suppressed: flag(query.suppressed) }),
      ...(query.stormId ? { stormId: query.stormId } : {}),
      ...(query.merged === '1' ? { merged: true } : {}),
      ...(query.from === undefined ? {} : { from: timeOf(query.from, 'from') }),
      ...(query.to === undefined ? {} : { to: timeOf(query.to, 'to') }),
    }
  }

  const service: AlarmsService = {
    async list(ctx, query) {
      const limit = query.limit ?? 20
      const sort = parseSort(query.sort, repo.ALARM_SORTS, '-raisedAt')
      const after = positionOf(query.cursor)
      return database.withTenant(ctx, async scope => {
        const filter = await filterOf(scope, ctx, query)
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ given: [ctx.tenantId], filter, sort, after, limit: limit + 1 })),
        )
        const total =
          query.total === '1' ? (await scope.run(...repo.LIST.count(filter, [ctx.tenantId]))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    get: (ctx, id) => database.withTenant(ctx, async scope => toView(await existing(scope, id))),

    events: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const items = (await repo.events(scope, id)).map(toEvent)
        const own = (kind: AlarmEventKind, at: Date, detail: Record<string, unknown>): AlarmEventView => ({
          id: `${kind}-${id}`,
          at: at.toISOString(),
          kind,
          loginId: null,
          name: '',
          text: null,
          photoIds: [],
          detail,
        })
        // What its condition did stands in its row; only people write lines.
        items.unshift(own('raised', row.raisedAt, { level: row.level }))
        if (row.clearedAt && row.clearedBy !== 'person')
          items.push(own('cleared', row.clearedAt, { by: row.clearedBy }))
        return { items: items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)) }
      }),

    async occurrences(ctx, id, query) {
      const limit = query.limit ?? 20
      const [before] = decodeCursor(query.cursor, 1) ?? [null]
      if (before !== null && !Number.isSafeInteger(before)) throw new AppError('request.cursor_invalid')
      return database.withTenant(ctx, async scope => {
        await existing(scope, id)
        const rows = await repo.occurrences(scope, id, before as number | null, limit + 1)
        const page = rows.slice(0, limit)
        return {
          items: page.map(row => ({
            id: String(row.id),
            at: row.at.toISOString(),
            count: row.count,
            values: row.values,
          })),
          nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null,
        }
      })
    },

    ack: (ctx, id, { text }) =>
      change(ctx, id, row =>
        row.acknowledgedAt !== null
          ? null
          : {
              set: { acknowledgedAt: new Date(ctx.now), acknowledgedName: actorName(ctx.actor) },
              kind: 'acknowledged',
              text,
              action: 'alarm.ack',
            },
      ),

    clear: (ctx, id, { text }) =>
      change(ctx, id, async (row, scope) => {
        if (!row.active) return null
        if (row.triggerId !== null) {
          await repo.tellEngine(scope, row.triggerId, row.targetKind === 'scope' ? null : row.device)
          scope.afterCommit(onSignal)
        }
        return {
          set: { active: false, clearedAt: new Date(Math.max(ctx.now, row.raisedAt.getTime())), clearedBy: 'person' },
          kind: 'cleared',
          text,
          detail: { by: 'person' },
          action: 'alarm.clear',
        }
      }),

    assign: (ctx, id, { assigneeId, text }) =>
      change(ctx, id, async (row, scope) => {
        if (row.assigneeId === assigneeId) return null
        const name = assigneeId === null ? null : await repo.memberName(scope, assigneeId)
        if (name === undefined) throw new AppError('alarm.assignee_unknown')
        if (assigneeId !== null && assigneeId !== ownerIdOf(ctx.actor))
          await inbox.notify(scope, {
            tenantId: ctx.tenantId,
            to: { loginIds: [assigneeId] },
            kind: 'alarm.assigned',
            title: { zh: words.zh.assigned.title, en: words.en.assigned.title },
            text: {
              zh: fill(words.zh.assigned.text, ctx, row),
              en: fill(words.en.assigned.text, ctx, row),
            },
            link: `/manage/user/center/alarm?alarm=${id}`,
            level: row.level >= 4 ? 'error' : 'warning',
          })
        const isOpen = row.work === 'open' || row.work === 'in_progress'
        return {
          set: { assigneeId, ...(isOpen ? { work: assigneeId === null ? 'open' : 'in_progress' } : {}) },
          kind: 'assigned',
          text,
          detail: { assigneeId, assigneeName: name },
          action: 'alarm.assign',
        }
      }),

    comment: (ctx, id, { text, photoIds }) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id, true)
        const written: Change = {
          set: { comments: row.comments + 1 },
          kind: 'commented',
          text,
          photoIds: photoIds ?? [],
          action: 'alarm.comment',
        }
        const event = eventOf(ctx, written)
        await repo.insertEvent(scope, ctx.tenantId, id, event)
        await repo.update(scope, id, written.set)
        await note(scope, ctx, row, written, true)
        scope.tell('alarms.changed', { tenantId: ctx.tenantId, ids: [id] })
        return toEvent(event)
      }),

    handle: (ctx, id, { result, photoIds }) =>
      change(ctx, id, row => ({
        set: {
          work: 'done',
          result,
          photoIds: photoIds ?? row.photoIds,
          handledAt: new Date(ctx.now),
          handledName: actorName(ctx.actor),
          ...(row.acknowledgedAt === null
            ? { acknowledgedAt: new Date(ctx.now), acknowledgedName: actorName(ctx.actor) }
            : {}),
        },
        kind: 'handled',
        text: result,
        photoIds: photoIds ?? [],
        action: 'alarm.handle',
      })),

    ignore: (ctx, id, { text }) =>
      change(ctx, id, row =>
        row.work === 'ignored'
          ? null
          : {
              set: { work: 'ignored', handledAt: new Date(ctx.now), handledName: actorName(ctx.actor) },
              kind: 'ignored',
              text,
              action: 'alarm.ignore',
            },
      ),

    reopen: (ctx, id, { text }) =>
      change(ctx, id, row =>
        row.work === 'open' || row.work === 'in_progress'
          ? null
          : {
              set: { work: row.assigneeId ? 'in_progress' : 'open', handledAt: null, handledName: null },
              kind: 'reopened',
              text,
              action: 'alarm.reopen',
            },
      ),

    shelve: (ctx, id, { minutes, text }) =>
      change(ctx, id, () => {
        const until = new Date(ctx.now + minutes * MINUTE_MS)
        return {
          set: { shelvedUntil: until },
          kind: 'shelved',
          text,
          detail: { until: until.toISOString() },
          action: 'alarm.shelve',
        }
      }),

    unshelve: (ctx, id, { text }) =>
      change(ctx, id, row =>
        row.shelvedUntil === null
          ? null
          : { set: { shelvedUntil: null }, kind: 'unshelved', text, action: 'alarm.unshelve' },
      ),

    async batch(ctx, { ids, action, text, assigneeId, minutes }) {
      const needed: Permission = action === 'ack' ? 'alarm:acknowledge' : 'alarm:handle'
      if (ctx.actor.kind !== 'system' && !ctx.actor.permissions.has(needed)) throw new AppError('permission.denied')
      if (action === 'assign' && assigneeId === undefined)
        throw new AppError('request.validation', { fields: { assigneeId: { code: 'rule.field_missing' } } })
      if (action === 'shelve' && minutes === undefined)
        throw new AppError('request.validation', { fields: { minutes: { code: 'rule.field_missing' } } })
      if (action === 'handle' && !text)
        throw new AppError('request.validation', { fields: { text: { code: 'rule.field_missing' } } })
      const note = text === undefined ? {} : { text }
      const failed: { id: string; code: string; message: string }[] = []
      for (const id of ids) {
        try {
          if (action === 'assign') await service.assign(ctx, id, { assigneeId: assigneeId!, ...note })
          else if (action === 'shelve') await service.shelve(ctx, id, { minutes: minutes!, ...note })
          else if (action === 'handle') await service.handle(ctx, id, { result: text! })
          else await service[action](ctx, id, note)
        } catch (error) {
          if (!isAppError(error)) throw error
          failed.push({ id, code: error.code, message: errorText(ctx.locale, error.code, error.params) })
        }
      }
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'alarm.batch',
          objectType: 'alarm',
          after: { action, alarms: ids.length, failed: failed.length, ...note },
        }),
      )
      return { done: ids.length - failed.length, failed }
    },

    views: ids =>
      ids.length === 0
        ? Promise.resolve([])
        : database.withSystemScope('live', async scope => (await repo.byIds(scope, ids)).map(toView)),

    visible: (scope, ids) => repo.seenIds(scope, ids),
  }
  return service
}

/** The text of a notice about an alarm. */
function fill(text: string, ctx: Ctx, { triggerName, deviceName }: repo.AlarmRow): string {
  const alarm = deviceName ? `${triggerName} · ${deviceName}` : triggerName
  return text.replace('{who}', actorName(ctx.actor)).replace('{alarm}', alarm)
}

function eventOf(ctx: Ctx, { kind, text, photoIds, detail }: Change): repo.EventRow {
  return {
    id: newId(),
    at: new Date(ctx.now),
    kind,
    loginId: actorId(ctx.actor),
    name: actorName(ctx.actor),
    text: text ?? null,
    photoIds: photoIds ?? [],
    detail: detail ?? {},
  }
}

/** The line in the operation log. */
async function note(
  scope: TenantScope,
  ctx: Ctx,
  row: repo.AlarmRow,
  change: Change,
  isChanged: boolean,
): Promise<void> {
  if (!isChanged) {
    ctx.audited = true
    return
  }
  await recordAudit(scope, ctx, {
    action: change.action,
    objectType: 'alarm',
    objectId: row.id,
    objectName: row.deviceName ? `${row.triggerName} · ${row.deviceName}` : row.triggerName,
    before: { active: row.active, work: row.work, acknowledged: row.acknowledgedAt !== null },
    after: { ...change.set, ...(change.text ? { text: change.text } : {}), ...change.detail },
  })
}

/** @throws AppError request.validation */
export function timeOf(value: number | string, field: string): Date {
  const date = new Date(typeof value === 'number' || /^-?\d+$/.test(value) ? Number(value) : value)
  if (Number.isNaN(date.getTime()))
    throw new AppError('request.validation', { fields: { [field]: { code: 'telemetry.time_invalid' } } })
  return date
}

function positionOf(cursor: string | undefined): repo.ListPosition | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [key, id] = values
  if (typeof key !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [key, id]
}

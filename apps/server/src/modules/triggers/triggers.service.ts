import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import {
  MAX_TRIGGERS,
  type TriggerInput,
  type TriggerView,
  type triggersContract,
} from '@thingwright/contracts/triggers.contract'
import { type RuleDocument, SCOPE_FIELDS } from '@thingwright/rules'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { authoriseDevice } from '../devices/index.ts'
import { judgedFences } from '../geofences/geofences.views.ts'
import type { TriggerAlarms } from './trigger-alarms.port.ts'
import { fencedBy, fencesOf } from './trigger-fences.ts'
import { againstThings, hasSignal, neverFires, otherDevices, readRule, refuse } from './trigger-rule.ts'
import { countWatchedOf, thingsOf, watchedOf } from './trigger-scope.ts'
import { toRun, toView } from './triggers.mapping.ts'
import * as repo from './triggers.repo.ts'
import { checkWebhook, sealWebhooks } from './webhook-secrets.ts'

type Contract = typeof triggersContract

export interface TriggersService {
  create(ctx: Ctx, input: TriggerInput): Promise<TriggerView>
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, id: string): Promise<TriggerView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<TriggerView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  setEnabled(ctx: Ctx, id: string, enabled: boolean): Promise<TriggerView>
  batch(ctx: Ctx, input: BodyOf<Contract['batch']>): Promise<ResponseOf<Contract['batch']>>
  signal(ctx: Ctx, id: string, input: BodyOf<Contract['signal']>): Promise<{ ok: boolean }>
  runs(ctx: Ctx, id: string, query: QueryOf<Contract['runs']>): Promise<ResponseOf<Contract['runs']>>
  /** Reads and checks a rule as a caller sent it, with the devices that it would watch. @throws AppError trigger.rule_invalid */
  checked(
    scope: TenantScope,
    input: Record<string, unknown>,
  ): Promise<{ rule: RuleDocument; devices: repo.WatchedDevice[] }>
  /** @throws AppError trigger.not_found */
  row(scope: TenantScope, id: string): Promise<repo.ListedTrigger>
}

export interface TriggersServiceDeps {
  database: Database
  alarms: TriggerAlarms
  outboundAllow: readonly string[]
  /** Seals the secrets of webhooks. */
  box: CryptoBox
  /** Triggers are different: after the commit. */
  onChanged(ids: readonly string[]): void
}

/** Fields that are no part of the rule. */
const OWN_FIELDS = new Set(['name', 'description', 'enabled', 'expiresAt', 'version'])

export function createTriggersService(deps: TriggersServiceDeps): TriggersService {
  const { database } = deps

  async function views(scope: TenantScope, ctx: Ctx, rows: readonly repo.ListedTrigger[]): Promise<TriggerView[]> {
    const ids = { deviceIds: new Set<string>(), productIds: new Set<string>(), groupIds: new Set<string>() }
    for (const { document } of rows)
      for (const field of ['deviceIds', 'productIds', 'groupIds'] as const)
        for (const id of document.scope[field]?.slice(0, 20) ?? []) ids[field].add(id)
    const names = {
      deviceIds: await repo.namesOf(scope, 'deviceIds', [...ids.deviceIds]),
      productIds: await repo.namesOf(scope, 'productIds', [...ids.productIds]),
      groupIds: await repo.namesOf(scope, 'groupIds', [...ids.groupIds]),
    }
    const fences = new Map(
      (await judgedFences(scope, rows.flatMap(({ document }) => [...fencesOf(document).keys()]).filter(isId))).map(
        ({ id, name }) => [id, name],
      ),
    )
    const counts = new Map<string, number>()
    const shown: TriggerView[] = []
    for (const row of rows) {
      const { scope: chosen } = row.document
      const key = JSON.stringify(chosen)
      if (!counts.has(key)) counts.set(key, await countWatchedOf(scope, chosen))
      const field = SCOPE_FIELDS.find(name => chosen[name] !== undefined) ?? 'deviceIds'
      const scopeNames = (chosen[field] ?? []).map(value =>
        field === 'tags' ? value : (names[field].get(value) ?? null),
      )
      const fenceNames = Object.fromEntries(
        [...fencesOf(row.document).keys()].flatMap(id => (fences.has(id) ? [[id, fences.get(id)!]] : [])),
      )
      shown.push(toView(row, { locale: ctx.locale, scopeNames, fenceNames, devices: counts.get(key)! }))
    }
    return shown
  }

  /** A trigger that was paused because it set itself off goes on. */
  async function resume(scope: TenantScope, ctx: Ctx, id: string): Promise<void> {
    await repo.signal(scope, { kind: 'resumed', triggerId: id, device: null, key: null })
    await deps.alarms.clearOf(scope, ctx, [id], 'loop')
  }

  async function one(scope: TenantScope, ctx: Ctx, id: string): Promise<TriggerView> {
    return (await views(scope, ctx, [await service.row(scope, id)]))[0]!
  }

  /** Takes secrets out of webhooks and checks where they go. @param before those that stay where none is given */
  function sealed(id: string, rule: RuleDocument, before: Buffer | null) {
    for (const [i, { kind, url }] of (rule.actions ?? []).entries())
      if (kind === 'webhook') checkWebhook(String(url), deps.outboundAllow, `actions[${i}].url`)
    return sealWebhooks(deps.box, id, rule, before)
  }

  const service: TriggersService = {
    async row(scope, id) {
      const row = await repo.find(scope, id)
      if (!row) throw new AppError('trigger.not_found')
      return row
    },

    async checked(scope, input) {
      const rule = readRule(ruleOf(input))
      if (rule.kind === 'object' && scope.limited)
        refuse([{ path: 'source', code: 'trigger.source_whole_company', params: {} }])
      const devices = await watchedOf(scope, rule.scope)
      for (const field of ['deviceIds', 'productIds', 'groupIds'] as const) {
        const ids = rule.scope[field]
        if (!ids) continue
        const known = await repo.namesOf(scope, field, ids.filter(isId))
        const missing = ids.findIndex(id => !known.has(id))
        if (missing >= 0)
          refuse([{ path: `scope.${field}[${missing}]`, code: 'trigger.scope_unknown', params: { id: ids[missing]! } }])
      }
      const otherIds = otherDevices(rule)
      const others = otherIds.length > 0 ? await watchedOf(scope, { deviceIds: otherIds.filter(isId) }) : []
      const lost = otherIds.find(id => !others.some(other => other.id === id))
      if (lost !== undefined) refuse([{ path: 'condition', code: 'device_unknown', params: { device: lost } }])
      const things = await thingsOf(scope, rule, devices, others)
      const { unknown } = await fencedBy(scope, rule, things, devices, others)
      if (unknown) refuse([{ path: unknown.path, code: 'fence_unknown', params: { fence: unknown.fence } }])
      const problems = [...againstThings(rule, things), ...neverFires(rule)]
      if (problems.length > 0) refuse(problems)
      return { rule, devices }
    },

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const { rule } = await service.checked(scope, input)
        if ((await repo.count(scope)) >= MAX_TRIGGERS)
          throw new AppError('trigger.limit', { params: { limit: MAX_TRIGGERS } })
        const id = newId(ctx.now)
        const { rule: document, secrets } = sealed(id, rule, null)
        await repo.insert(scope, {
          id,
          tenantId: ctx.tenantId,
          name: input.name,
          description: input.description ?? '',
          document,
          kind: rule.kind,
          enabled: input.enabled ?? true,
          expiresAt: input.expiresAt ? new Date(input.expiresAt) : null,
          secrets,
          fault: null,
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        await recordAudit(scope, ctx, {
          action: 'trigger.create',
          objectType: 'trigger',
          objectId: id,
          objectName: input.name,
          after: { enabled: input.enabled ?? true, ...document },
        })
        scope.afterCommit(() => deps.onChanged([id]))
        return one(scope, ctx, id)
      }),

    async list(ctx, query) {
      const limit = query.limit ?? 20
      const sort = parseSort(query.sort, repo.TRIGGER_SORTS, '-createdAt')
      const after = positionOf(query.cursor)
      const filter = {
        ...(query.q ? { q: repo.containing(query.q) } : {}),
        ...(query.state ? { state: query.state } : {}),
        ...(query.kind ? { kind: query.kind } : {}),
        ...(query.deviceId ? { deviceId: query.deviceId } : {}),
        ...(query.productId ? { productId: query.productId } : {}),
        ...(query.userId ? { userId: query.userId } : {}),
      }
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ filter, sort, after, limit: limit + 1 })),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: await views(scope, ctx, page),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    get: (ctx, id) => database.withTenant(ctx, scope => one(scope, ctx, id)),

    update: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const before = await repo.find(scope, id, true)
        if (!before) throw new AppError('trigger.not_found')
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: await one(scope, ctx, id) } })
        const given = ruleOf(input as Record<string, unknown>)
        const isRule = Object.keys(given).length > 0
        if (isRule && input.kind === undefined) refuse([{ path: 'kind', code: 'field_missing', params: {} }])
        const next = isRule ? sealed(id, (await service.checked(scope, given)).rule, before.secrets) : null
        const isSame = next !== null && JSON.stringify(next.rule) === JSON.stringify(before.document)
        const enabled = input.enabled ?? before.enabled
        await repo.update(scope, id, {
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.description === undefined ? {} : { description: input.description }),
          ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt ? new Date(input.expiresAt) : null }),
          ...(next ? { document: next.rule, kind: next.rule.kind, secrets: next.secrets } : {}),
          ...(next && !isSame ? { ruleVersion: before.ruleVersion + 1 } : {}),
          enabled,
          // Whatever was wrong is looked at again.
          fault: null,
        })
        if (before.fault?.code === 'loop') await resume(scope, ctx, id)
        if (!enabled && before.enabled) await deps.alarms.clearOf(scope, ctx, [id])
        const view = await one(scope, ctx, id)
        await recordAudit(scope, ctx, {
          action: 'trigger.update',
          objectType: 'trigger',
          objectId: id,
          objectName: view.name,
          before: { name: before.name, enabled: before.enabled, ...before.document },
          after: { name: view.name, enabled, ...(next?.rule ?? before.document) },
        })
        scope.afterCommit(() => deps.onChanged([id]))
        return view
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await repo.find(scope, id, true)
        if (!before) throw new AppError('trigger.not_found')
        await deps.alarms.clearOf(scope, ctx, [id])
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'trigger.remove',
          objectType: 'trigger',
          objectId: id,
          objectName: before.name,
          before: { ...before.document },
        })
        scope.afterCommit(() => deps.onChanged([id]))
        return { ok: true }
      }),

    setEnabled: (ctx, id, enabled) =>
      database.withTenant(ctx, async scope => {
        const before = await repo.find(scope, id, true)
        if (!before) throw new AppError('trigger.not_found')
        if (before.fault?.code === 'loop') await resume(scope, ctx, id)
        await repo.update(scope, id, { enabled, fault: null })
        if (!enabled) await deps.alarms.clearOf(scope, ctx, [id])
        await recordAudit(scope, ctx, {
          action: enabled ? 'trigger.enable' : 'trigger.disable',
          objectType: 'trigger',
          objectId: id,
          objectName: before.name,
          before: { enabled: before.enabled },
          after: { enabled },
        })
        scope.afterCommit(() => deps.onChanged([id]))
        return one(scope, ctx, id)
      }),

    async batch(ctx, { ids, action }) {
      const failed: { id: string; code: string; message: string }[] = []
      for (const id of ids) {
        try {
          if (action === 'remove') await service.remove(ctx, id)
          else await service.setEnabled(ctx, id, action === 'enable')
        } catch (error) {
          if (!isAppError(error)) throw error
          failed.push({ id, code: error.code, message: errorText(ctx.locale, error.code, error.params) })
        }
      }
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'trigger.batch',
          objectType: 'trigger',
          after: { action, triggers: ids.length, failed: failed.length },
        }),
      )
      return { done: ids.length - failed.length, failed }
    },

    signal: (ctx, id, { kind, key, deviceId }) =>
      database.withTenant(ctx, async scope => {
        const row = await service.row(scope, id)
        if (row.state !== 'enabled') throw new AppError('trigger.not_enabled')
        if (!hasSignal(row.document, kind, key)) throw new AppError('trigger.signal_unknown', { params: { key } })
        const device = deviceId === undefined ? null : (await authoriseDevice(scope, deviceId)).num
        await repo.signal(scope, { kind, triggerId: id, device, key })
        await recordAudit(scope, ctx, {
          action: 'trigger.signal',
          objectType: 'trigger',
          objectId: id,
          objectName: row.name,
          after: { kind, key, ...(deviceId ? { deviceId } : {}) },
        })
        scope.afterCommit(() => deps.onChanged([]))
        return { ok: true }
      }),

    async runs(ctx, id, query) {
      const limit = query.limit ?? 20
      const after = positionOf(query.cursor)
      const filter = {
        ...(query.cause ? { cause: query.cause } : {}),
        ...(query.deviceId ? { deviceId: query.deviceId } : {}),
      }
      return database.withTenant(ctx, async scope => {
        await service.row(scope, id)
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(
            ...repo.RUNS.page({ given: [id], filter, sort: { key: 'at', descending: true }, after, limit: limit + 1 }),
          ),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(({ position: _, ...row }) => toRun(row, ctx.locale)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
        }
      })
    },
  }
  return service
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const isId = (text: string) => UUID.test(text)

/** What of a request is the rule. */
function ruleOf(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => !OWN_FIELDS.has(key) && value !== undefined))
}

function positionOf(cursor: string | undefined): repo.ListPosition | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [key, id] = values
  if (typeof key !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [key, id]
}

import type { BodyOf, QueryOf } from '@thingwright/contracts'
import {
  MAX_SUBSCRIPTIONS,
  SUBSCRIPTION_KINDS,
  SUBSCRIPTION_TARGETS,
  type SubscriptionCredentials,
  type SubscriptionOptions,
  type SubscriptionTarget,
  type SubscriptionView,
  type SubscriptionWithCredentials,
  type subscriptionsContract,
} from '@thingwright/contracts/subscriptions.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, dataScopeOf, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { checkFilter, checkPayload, checkTarget, mergeSecrets } from './checks.ts'
import { BACKLOG_CAP, type Deliverers, KEEP_DAYS, KEEP_ITEMS } from './deliverers.ts'
import { factsOf, type QueuePool } from './queue.repo.ts'
import { newSecret, passwordHash, type SubscriptionSecrets, secretsOf } from './secrets.ts'
import { toTargetView, toView } from './subscriptions.mapping.ts'
import * as repo from './subscriptions.repo.ts'
import type { TargetAdapters } from './target.port.ts'

type Contract = typeof subscriptionsContract

export interface SubscriptionsService {
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<SubscriptionWithCredentials>
  list(
    ctx: Ctx,
    input: QueryOf<Contract['list']>,
  ): Promise<{ items: SubscriptionView[]; nextCursor: string | null; total?: number }>
  options(): SubscriptionOptions
  get(ctx: Ctx, id: string): Promise<SubscriptionView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<SubscriptionView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  pause(ctx: Ctx, id: string): Promise<SubscriptionView>
  resume(ctx: Ctx, id: string): Promise<SubscriptionView>
  rotateSecret(ctx: Ctx, id: string, input: { secret?: string }): Promise<SubscriptionWithCredentials>
  /** The subscription as the caller may see it. @throws AppError subscription.not_found */
  visible(scope: TenantScope, id: string, lock?: boolean): Promise<repo.ListedRow>
}

export interface SubscriptionsServiceDeps {
  database: Database
  queuePool: QueuePool
  deliverers: Deliverers
  adapters: TargetAdapters
  /** Where clients reach our own listener. */
  mqtt(): SubscriptionOptions['mqtt']
  /** Networks of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  secrets: SubscriptionSecrets
  /** Rules changed, after the commit and before the answer. */
  onChanged(id: string): Promise<void>
}

/** The old secret of a webhook signs beside the new one. */
const OVERLAP_MS = 86_400_000

export function createSubscriptionsService(deps: SubscriptionsServiceDeps): SubscriptionsService {
  const { database, deliverers, secrets } = deps

  async function shown(rows: readonly repo.ListedRow[], now: number): Promise<SubscriptionView[]> {
    const ids = rows.map(({ id }) => id)
    const facts = new Map((await factsOf(deps.queuePool, ids)).map(fact => [fact.id, fact]))
    return rows.map(row => toView(row, facts.get(row.id), { now, away: deliverers.isAway(row.id) }))
  }

  async function read(ctx: Ctx, id: string): Promise<SubscriptionView> {
    await deliverers.flush([id])
    const row = await database.withTenant(ctx, scope => service.visible(scope, id))
    return (await shown([row], ctx.now))[0]!
  }

  function available(kind: SubscriptionTarget['kind']): boolean {
    return kind === 'pull' || deps.adapters[kind] !== undefined
  }

  const service: SubscriptionsService = {
    async create(ctx, input) {
      const { name, kinds, target } = input
      const filter = input.filter ?? {}
      const payload = input.payload ?? { format: 'envelope' as const }
      if (!available(target.kind)) throw new AppError('subscription.target_not_available')
      checkTarget(target, deps.outboundAllow)
      checkFilter(filter, kinds)
      checkPayload(payload, kinds)
      const id = newId(ctx.now)
      const credentials = credentialsFor(id, target)
      const sealed = secrets.seal(id, target, {
        ...secretsOf(target),
        ...(credentials?.secret ? { secrets: [credentials.secret] } : {}),
      })
      await naming(name, () =>
        database.withTenant(ctx, async scope => {
          if ((await repo.holdCount(scope)) >= MAX_SUBSCRIPTIONS)
            throw new AppError('subscription.limit', { params: { limit: MAX_SUBSCRIPTIONS } })
          await repo.insert(scope, {
            id,
            name,
            kinds,
            filter,
            data_scope: dataScopeOf(ctx.actor),
            target_kind: target.kind,
            target: sealed.target,
            secrets_cipher: sealed.cipher,
            password_hash: credentials?.password ? passwordHash(credentials.password) : null,
            payload,
            max_items: input.batching?.maxItems ?? 100,
            wait_ms: input.batching?.waitMs ?? 0,
            state: input.paused ? 'paused' : 'active',
            paused_reason: input.paused ? 'user' : null,
            created_by: ownerIdOf(ctx.actor),
            created_by_name: actorName(ctx.actor),
            created_at: new Date(ctx.now),
          })
          const row = await service.visible(scope, id)
          await audit(scope, ctx, 'subscription.create', row, null, factsFor(row))
        }),
      )
      await deps.onChanged(id)
      return { ...(await read(ctx, id)), ...(credentials ? { credentials } : {}) }
    },

    async list(ctx, input) {
      const limit = input.limit ?? 20
      const after = decodeCursor(input.cursor, 2)
      if (after?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
      const { rows, total } = await database.withTenant(ctx, async scope => ({
        rows: await readFrom(input.cursor, () => repo.list(scope, input, after as [string, string] | null, limit + 1)),
        total: input.total === '1' ? await repo.count(scope, input) : undefined,
      }))
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: await shown(page, ctx.now),
        nextCursor: rows.length > limit && last ? encodeCursor([last.place, last.id]) : null,
        ...(total === undefined ? {} : { total }),
      }
    },

    options: () => ({
      targets: SUBSCRIPTION_TARGETS.filter(available),
      kinds: [...SUBSCRIPTION_KINDS],
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      backlogCap: BACKLOG_CAP,
      keepDays: KEEP_DAYS,
      keepItems: KEEP_ITEMS,
      mqtt: deps.mqtt(),
    }),

    get: read,

    async update(ctx, id, input) {
      await naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          const before = await service.visible(scope, id, true)
          if (before.version !== input.version)
            throw new AppError('version.conflict', { params: { current: (await shown([before], ctx.now))[0]! } })
          if (input.target && input.target.kind !== before.target_kind)
            throw new AppError('subscription.target_kind_fixed')
          const target = input.target ?? before.target
          if (input.target)
            checkTarget(
              { ...input.target, ...keptPassword(before, input.target) } as SubscriptionTarget,
              deps.outboundAllow,
            )
          const kinds = input.kinds ?? before.kinds
          const filter = input.filter ?? before.filter
          const payload = input.payload ?? before.payload
          checkFilter(filter, kinds)
          checkPayload(payload, kinds)
          const sealed = input.target
            ? secrets.seal(
                id,
                withHeaderNames(before, input.target),
                mergeSecrets({ target: before.target, secrets: secrets.read(before) }, target, secretsOf(input.target)),
              )
            : { target: before.target, cipher: before.secrets_cipher }
          await repo.update(scope, {
            id,
            name: input.name ?? before.name,
            kinds,
            filter,
            target: sealed.target,
            secrets_cipher: sealed.cipher,
            payload,
            max_items: input.batching?.maxItems ?? before.max_items,
            wait_ms: input.batching?.waitMs ?? before.wait_ms,
          })
          const row = await service.visible(scope, id)
          await audit(scope, ctx, 'subscription.update', row, factsFor(before), factsFor(row))
        }),
      )
      await deps.onChanged(id)
      return read(ctx, id)
    },

    async remove(ctx, id) {
      await database.withTenant(ctx, async scope => {
        const row = await service.visible(scope, id, true)
        await repo.remove(scope, id)
        await audit(scope, ctx, 'subscription.remove', row, factsFor(row), null)
      })
      await deps.onChanged(id)
      database.news.tell('subscription.account_ended', { id })
      return { ok: true }
    },

    async pause(ctx, id) {
      await database.withTenant(ctx, async scope => {
        const row = await service.visible(scope, id, true)
        // Also when it stands still already: from now on a person wants it so.
        await repo.setState(scope, id, 'paused', 'user')
        await audit(
          scope,
          ctx,
          'subscription.pause',
          row,
          { state: row.state, pausedReason: row.paused_reason },
          { state: 'paused', pausedReason: 'user' },
        )
      })
      await deps.onChanged(id)
      return read(ctx, id)
    },

    async resume(ctx, id) {
      // Its deliverer must not write what it remembers over the clean slate.
      await deliverers.hold(id, () =>
        database.withTenant(ctx, async scope => {
          const row = await service.visible(scope, id, true)
          if (!available(row.target_kind)) throw new AppError('subscription.target_not_available')
          await repo.setState(scope, id, 'active', null)
          await audit(scope, ctx, 'subscription.resume', row, { state: row.state }, { state: 'active' })
        }),
      )
      return read(ctx, id)
    },

    async rotateSecret(ctx, id, input) {
      const credentials = await database.withTenant(ctx, async scope => {
        const row = await service.visible(scope, id, true)
        if (row.target_kind !== 'webhook' && row.target_kind !== 'mqtt') throw new AppError('subscription.no_secret')
        const next = input.secret ?? newSecret()
        if (row.target_kind === 'webhook') {
          const kept = secrets.read(row)
          const { cipher } = secrets.seal(id, row.target, {
            ...kept,
            secrets: [next, ...(kept.secrets ?? []).slice(0, 1)],
          })
          const oldUntil = new Date(ctx.now + OVERLAP_MS)
          await repo.setSecrets(scope, id, { cipher, passwordHash: null, oldUntil })
        } else await repo.setSecrets(scope, id, { cipher: null, passwordHash: passwordHash(next), oldUntil: null })
        await audit(scope, ctx, 'subscription.rotate_secret', row, null, null)
        return row.target_kind === 'webhook' ? { secret: next } : { username: `sub/${id}`, password: next }
      })
      await deps.onChanged(id)
      database.news.tell('subscription.account_ended', { id })
      return { ...(await read(ctx, id)), credentials }
    },

    async visible(scope, id, lock = false) {
      const row = await repo.find(scope, id, lock)
      if (!row) throw new AppError('subscription.not_found')
      return row
    },
  }
  return service

  /** So that a change of the topic alone does not ask for the password again. */
  function keptPassword(before: repo.SubscriptionRow, target: SubscriptionTarget): { password?: string } {
    if (target.kind !== 'kafka' || target.password !== undefined) return {}
    const { password } = secrets.read(before)
    return password === undefined ? {} : { password }
  }
}

/** Headers that are not given stay; their names with them. */
function withHeaderNames(before: repo.SubscriptionRow, target: SubscriptionTarget): SubscriptionTarget {
  if (target.kind !== 'webhook' || target.headers || before.target.kind !== 'webhook' || !before.target.headers)
    return target
  return { ...target, headers: before.target.headers }
}

function credentialsFor(id: string, target: SubscriptionTarget): SubscriptionCredentials | undefined {
  if (target.kind === 'webhook') return { secret: target.secret ?? newSecret() }
  if (target.kind === 'mqtt') return { username: `sub/${id}`, password: newSecret() }
  return undefined
}

function factsFor(row: repo.ListedRow): Record<string, unknown> {
  const { name, kinds, filter, payload } = row
  return { name, kinds, filter, target: toTargetView(row), payload: payload.format, batching: row.max_items }
}

async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'subscriptions_name_key'))
      throw new AppError('subscription.name_taken', { params: { name } })
    throw error
  }
}

export function audit(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  row: Pick<repo.SubscriptionRow, 'id' | 'name'>,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): Promise<void> {
  return recordAudit(scope, ctx, {
    action,
    objectType: 'subscription',
    objectId: row.id,
    objectName: row.name,
    before,
    after,
  })
}

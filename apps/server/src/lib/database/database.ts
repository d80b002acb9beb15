import type { ErrorCode } from '@thingwright/contracts/errors'
import pg from 'pg'
import { type Ctx, dataScopeOf, ownerIdOf } from '../context.ts'
import { createLineSeal, type LineSeal } from '../crypto/audit-line.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { createNews, type News, type Tell } from '../news.ts'
import { type Runner, runner } from '../sql/statement.ts'
import { isOutsideScope, refusalOfDatabase } from './database-errors.ts'
import { inTransaction } from './in-transaction.ts'
import { openPool } from './pool.ts'
import { type PreparedRead, type ReadParameter, readPrepared } from './prepared-reads.ts'

/** How to reach the database as each of the three login roles (design.md §7 Tenancy). */
export interface DatabaseAccess {
  app: pg.PoolConfig
  system: pg.PoolConfig
  telemetry: pg.PoolConfig
}

/** Reasons for which code may see every company; a test holds this list against its callers. */
export type SystemReason =
  | 'sign-in'
  | 'api-keys'
  | 'device-sign-in'
  | 'company-status'
  | 'menu'
  | 'idempotency'
  | 'audit'
  | 'seed'
  | 'operator'
  | 'maintenance'
  | 'commands-sweep'
  | 'live'
  | 'metrics'
  | 'media'
  | 'ota'
  | 'tasks'
  | 'subscriptions'
  | 'triggers'
  | 'alarms'
  | 'money'
  | 'timed-tasks'
  | 'cloud-pages'
  | 'sim-cards'
  | 'lora'
  | 'telecom'
  | 'apps'
  | 'video'
  | 'reports'
  | 'company-transfers'

/** Reasons for which a step of a limited caller's transaction may look at his whole company; tested like the above. */
export type WholeCompanyReason =
  /** An object of the scope is about to use it: a product that devices are made of, a group they are put into. */
  | 'hold'
  /** Something is about to be removed and must not be in use anywhere. */
  | 'in-use'
  /** Telling "is not there" from "is outside your scope". */
  | 'explain'
  /** All that a member owns goes to another one; half of it would be left without an owner. */
  | 'hand-over'

/** A transaction in which row-level security shows exactly one company, and of it the caller's data scope. */
export interface TenantScope extends Runner {
  readonly tenantId: string
  /** Runs after COMMIT and never after a rollback: wake-ups and invalidations that are one part's own. */
  afterCommit(effect: () => void): void
  /** Sends news to its listeners after COMMIT (lib/news.ts). */
  readonly tell: Tell
  /** The installation's seal for lines of the operation log. */
  readonly sealLine: LineSeal
  /** True: the caller sees a part of the company only. */
  readonly limited: boolean
  /** Lifts the caller's data scope, never the company, for one step. What is seen there is not for his eyes. */
  wholeCompany<T>(reason: WholeCompanyReason, work: () => Promise<T>): Promise<T>
}

/** A transaction that sees every company; only through `withSystemScope`. */
export interface SystemScope extends Runner {
  afterCommit(effect: () => void): void
  readonly tell: Tell
  readonly sealLine: LineSeal
}

export type TenantContext = Pick<Ctx, 'tenantId'> & Partial<Pick<Ctx, 'actor'>>

export interface Database {
  /**
   * @param ctx the whole context: its actor's data scope is set too. `{tenantId}` alone is the system's own work
   * @throws AppError scope.outside when a row would leave the actor's data scope
   */
  withTenant<T>(ctx: TenantContext, work: (scope: TenantScope) => Promise<T>): Promise<T>
  /** One read under the same rules, as a transaction of its own in one round trip: for what nearly every request asks. */
  read<R>(ctx: TenantContext, read: PreparedRead<R>, params: readonly ReadParameter[]): Promise<R[]>
  withSystemScope<T>(reason: SystemReason, work: (scope: SystemScope) => Promise<T>): Promise<T>
  /** Pool of the third role: the device path's tables, which carry no tenant. Only ingest, and telemetry repos. */
  readonly telemetry: pg.Pool
  /** Receives the news of its transactions. */
  readonly news: News
  /** The same database, whose transactions send their news to another receiver. */
  telling(news: News): Database
  close(): Promise<void>
}

// int8 columns stay within 2^53 here (sequence numbers, epoch ms); commands' positions too.
pg.types.setTypeParser(pg.types.builtins.INT8, text => {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : (text as unknown as number)
})

/** The settings of a transaction, one simple-protocol string that saves a round trip: only checked UUIDs stand in it. */
function settingsOf({ tenantId, actor }: TenantContext): string {
  const settings: [string, string][] = [['app.tenant_id', tenantId]]
  const owner = actor ? ownerIdOf(actor) : null
  if (owner !== null && isUuid(owner)) settings.push(['app.actor_id', owner])
  const scope = actor && dataScopeOf(actor)
  if (scope?.kind === 'limited')
    settings.push(
      ['app.scope', 'limited'],
      ['app.scope_groups', arrayLiteral(scope.groupIds)],
      ['app.scope_products', arrayLiteral(scope.productIds)],
      ['app.scope_own', String(scope.own === true)],
      ...(scope.userId !== undefined && isUuid(scope.userId)
        ? [['app.scope_user', scope.userId] as [string, string]]
        : []),
    )
  return settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')
}

function arrayLiteral(ids: readonly string[]): string {
  return `{${ids.filter(id => isUuid(id)).join(',')}}`
}

function sayRefused(error: unknown): never {
  const refusal = refusalOfDatabase(error)
  if (refusal) throw new AppError(refusal.code as ErrorCode, { params: refusal.params, cause: error })
  throw error
}

function sayOutside(error: unknown): never {
  if (isOutsideScope(error)) throw new AppError('scope.outside', { cause: error })
  throw error
}

/**
 * Opens the three pools. Connections are made on first use.
 * @param onIdleError told of what has no caller: lost idle connections and failed after-commit effects
 * @param auditKey of the seal that every line of the operation log is written with (lib/crypto/audit-line.ts)
 */
export function openDatabase(access: DatabaseAccess, onIdleError: (error: Error) => void, auditKey: Buffer): Database {
  const sealLine = createLineSeal(auditKey)
  let closing = false
  const onIdle = (error: Error) => {
    if (!closing) onIdleError(error)
  }
  const app = openPool({ max: 10, ...access.app }, onIdle)
  const system = openPool({ max: 4, ...access.system }, onIdle)
  const telemetry = openPool({ max: 6, ...access.telemetry }, onIdle)

  async function transaction<T>(
    pool: pg.Pool,
    begin: string,
    work: (client: pg.PoolClient, effects: (() => void)[]) => Promise<T>,
  ): Promise<T> {
    const effects: (() => void)[] = []
    const result = await inTransaction(pool, client => work(client, effects), begin)
    for (const effect of effects) {
      // The change is stored whatever an effect does: its failure must not look like the change's.
      try {
        effect()
      } catch (error) {
        onIdleError(error instanceof Error ? error : new Error(String(error)))
      }
    }
    return result
  }

  const telling = (news: News): Database => ({
    news,
    telling,
    withTenant(ctx, work) {
      if (!isUuid(ctx.tenantId)) return Promise.reject(new Error('a tenant id must be a UUID'))
      const limited = ctx.actor !== undefined && dataScopeOf(ctx.actor).kind === 'limited'
      const done = transaction(app, `begin; select ${settingsOf(ctx)}`, (client, effects) => {
        const scope: TenantScope = {
          tenantId: ctx.tenantId,
          ...runner(client),
          afterCommit: effect => effects.push(effect),
          tell: (name, what) => void effects.push(() => news.tell(name, what)),
          sealLine,
          limited,
          async wholeCompany(_reason, step) {
            if (!limited) return step()
            await client.query("select set_config('app.scope', '', true)")
            try {
              return await step()
            } finally {
              // A step that failed in SQL has ended the transaction: its own error is the one to be told.
              await client.query("select set_config('app.scope', 'limited', true)").catch(() => undefined)
            }
          },
        }
        return work(scope)
      })
      return (limited ? done.catch(sayOutside) : done).catch(sayRefused)
    },
    read(ctx, read, params) {
      if (!isUuid(ctx.tenantId)) return Promise.reject(new Error('a tenant id must be a UUID'))
      return readPrepared(app, settingsOf(ctx), read, params)
    },
    withSystemScope(_reason, work) {
      return transaction(system, 'begin', (client, effects) =>
        work({
          ...runner(client),
          afterCommit: effect => effects.push(effect),
          tell: (name, what) => void effects.push(() => news.tell(name, what)),
          sealLine,
        }),
      )
    },
    telemetry,
    async close() {
      closing = true
      await Promise.all([app.end(), system.end(), telemetry.end()])
    },
  })
  return telling(createNews(onIdleError))
}

import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Ctx } from './context.ts'
import { isUuid } from './ids.ts'
import { openPool } from './pool.ts'

/** How to reach the database as each of the three login roles (design.md §7 Tenancy). */
export interface DatabaseAccess {
  app: pg.PoolConfig
  system: pg.PoolConfig
  telemetry: pg.PoolConfig
}

/** Reasons for which code may see every company; a test holds this list against its callers. */
export type SystemReason =
  | 'sign-in'
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

/** A transaction in which row-level security shows exactly one company. */
export interface TenantScope {
  readonly tenantId: string
  readonly db: NodePgDatabase
  /** Raw SQL with $1 parameters, for what the query builder says badly. */
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(sql: string, params?: unknown[]): Promise<pg.QueryResult<R>>
  /** Runs after COMMIT and never after a rollback: invalidations, wake-ups, live patches. */
  afterCommit(effect: () => void): void
}

/** A transaction that sees every company; only through `withSystemScope`. */
export interface SystemScope {
  readonly db: NodePgDatabase
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(sql: string, params?: unknown[]): Promise<pg.QueryResult<R>>
  afterCommit(effect: () => void): void
}

export interface Database {
  withTenant<T>(ctx: Pick<Ctx, 'tenantId'>, work: (scope: TenantScope) => Promise<T>): Promise<T>
  withSystemScope<T>(reason: SystemReason, work: (scope: SystemScope) => Promise<T>): Promise<T>
  /** Pool of the third role: the device path's tables, which carry no tenant. Only ingest, and telemetry repos. */
  readonly telemetry: pg.Pool
  close(): Promise<void>
}

// int8 columns stay within 2^53 here (sequence numbers, epoch ms); commands' positions too.
pg.types.setTypeParser(pg.types.builtins.INT8, text => {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : (text as unknown as number)
})

/**
 * Opens the three pools. Connections are made on first use.
 * @param onIdleError told of what has no caller: lost idle connections and failed after-commit effects
 */
export function openDatabase(access: DatabaseAccess, onIdleError: (error: Error) => void): Database {
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
    const client = await pool.connect()
    const effects: (() => void)[] = []
    let broken: Error | undefined
    let result: T
    try {
      await client.query(begin)
      result = await work(client, effects)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch((e: Error) => {
        broken = e
      })
      throw error
    } finally {
      client.release(broken)
    }
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

  return {
    withTenant(ctx, work) {
      if (!isUuid(ctx.tenantId)) return Promise.reject(new Error('a tenant id must be a UUID'))
      // One simple-protocol string saves a round trip; only a checked UUID is interpolated.
      return transaction(app, `begin; select set_config('app.tenant_id', '${ctx.tenantId}', true)`, (client, effects) =>
        work({
          tenantId: ctx.tenantId,
          db: drizzle(client),
          query: (sql, params) => client.query(sql, params),
          afterCommit: effect => effects.push(effect),
        }),
      )
    },
    withSystemScope(_reason, work) {
      return transaction(system, 'begin', (client, effects) =>
        work({
          db: drizzle(client),
          query: (sql, params) => client.query(sql, params),
          afterCommit: effect => effects.push(effect),
        }),
      )
    },
    telemetry,
    async close() {
      closing = true
      await Promise.all([app.end(), system.end(), telemetry.end()])
    },
  }
}

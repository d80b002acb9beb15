import { recordAudit } from '../audit.ts'
import type { Ctx } from '../context.ts'
import type { Database } from '../database/database.ts'
import type { StreamReply } from '../http.ts'
import { sql } from '../sql/statement.ts'
import { type TableExport, tableExport } from './table-export.ts'

export interface ListExport<T> extends Omit<TableExport, 'rows' | 'columns' | 'timeZone'> {
  /** `noun.export`, for the operation log. */
  action: string
  objectType: string
  /** What the list was narrowed to. */
  filters: Record<string, unknown>
  columns: readonly (TableExport['columns'][number] & { value: (row: T) => unknown })[]
  rows: AsyncIterable<T>
}

const LIST_EXPORT = sql<{ zone: string }>`select time_zone as zone from tenants where id = $1`

/**
 * A list as a file, its times in the company's zone. Who took how many rows of what is written in the operation log before the first byte leaves.
 * @throws AppError export.too_many_rows
 */
export async function listExport<T>(database: Database, ctx: Ctx, list: ListExport<T>): Promise<StreamReply> {
  const { action, objectType, filters, columns, rows, ...rest } = list
  let count = 0
  async function* cells(): AsyncGenerator<Record<string, unknown>> {
    for await (const row of rows) {
      count++
      yield Object.fromEntries(columns.map(({ key, value }) => [key, value(row)]))
    }
  }
  const timeZone = await database.withTenant(ctx, async scope => {
    const { rows } = await scope.run(LIST_EXPORT, [scope.tenantId])
    return rows[0]?.zone ?? 'UTC'
  })
  const reply = await tableExport({ ...rest, timeZone, columns, rows: cells() })
  try {
    await database.withTenant(ctx, scope =>
      recordAudit(scope, ctx, {
        action,
        objectType,
        after: { format: list.format, rows: count, filters: withoutEmpty(filters) },
      }),
    )
  } catch (error) {
    reply.body.destroy()
    throw error
  }
  return reply
}

function withoutEmpty(filters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

/** `2026-11-20`, for file names. */
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newId } from '../../lib/ids.ts'

interface Column {
  name: string
  type: string
  required: boolean
}

export interface TenantTable {
  name: string
  columns: Column[]
}

/** Every table with a company in it, from the catalogue: new tables are found without anybody listing them. */
export async function tenantTables(superuser: pg.Pool): Promise<TenantTable[]> {
  const { rows } = await superuser.query<{ name: string; columns: Column[] }>(`
    select c.relname as name, json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, null),
        'required', a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = '') order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.oid, c.relname
    having bool_or(a.attname = 'tenant_id')
    order by c.relname`)
  return rows
}

/**
 * Puts one row of the company into every tenant table, with made-up values. Constraints and triggers of this throwaway
 * database are set aside: what is proven with the rows is who sees them, not that they make sense.
 * @returns names of the filled tables
 */
export async function fillTenant(superuser: pg.Pool, tenantId: string): Promise<string[]> {
  const tables = await tenantTables(superuser)
  const client = await superuser.connect()
  try {
    await client.query('begin')
    await client.query("set local session_replication_role = 'replica'")
    const { rows: checks } = await client.query<{ drop: string }>(`
      select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace and coninhcount = 0`)
    for (const { drop } of checks) await client.query(drop)
    for (const { name, columns } of tables) {
      const wanted = columns.filter(column => column.required || column.name === 'tenant_id')
      const values = wanted.map(column => (column.name === 'tenant_id' ? tenantId : madeUp(column.type)))
      const places = values.map((_, i) => `$${i + 1}`).join(', ')
      await client.query(
        `insert into ${name} (${wanted.map(column => `"${column.name}"`).join(', ')}) values (${places})`,
        values,
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
  return tables.map(table => table.name)
}

function madeUp(type: string): unknown {
  if (type.endsWith('[]')) return '{}'
  if (type === 'uuid') return newId()
  if (type === 'jsonb' || type === 'json') return '{}'
  if (type === 'boolean') return false
  if (type === 'bytea') return randomBytes(16)
  if (type.startsWith('timestamp') || type === 'date') return new Date()
  if (type === 'interval') return '1 second'
  if (type === 'inet' || type === 'cidr') return '192.0.2.1'
  if (type === 'smallint') return 1
  if (/^(integer|bigint|xid8|numeric|double precision|real)/.test(type))
    return 1 + Math.floor(Math.random() * 2_000_000_000)
  return randomBytes(9).toString('base64url')
}

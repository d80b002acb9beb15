import type { Database } from '../lib/database/database.ts'
import { sql } from '../lib/sql/statement.ts'

const COMPANIES = sql<{ id: string; name: string | null }>`select l.id, t.name from (
    select id from tenants union select tenant_id from audit_heads union select distinct tenant_id from audit_logs) l
  left join tenants t on t.id = l.id order by t.name, l.id`

/** Every company that has, or should have, lines; also those whose row is gone. */
export async function companiesWithLines(database: Database): Promise<{ id: string; name: string }[]> {
  return database.withSystemScope('audit', async scope => {
    const { rows } = await scope.run(COMPANIES)
    return rows.map(({ id, name }) => ({ id, name: name ?? id }))
  })
}

import type { BrandingView } from '@thingwright/contracts/company.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** One of a line from the top down, with the rights of this one alone. */
export interface BrandedLink {
  rights: readonly string[]
  branding: BrandingView | null
}

const LINE = sql<BrandedLink>`select coalesce(a.rights, p.rights, '{}') as rights, a.branding
  from end_users u join end_users a on a.id = any (u.path) left join user_packages p on p.id = a.package_id
  where u.id = $1 order by cardinality(a.path)`

export async function brandedLine(scope: Pick<SystemScope, 'run'>, id: string): Promise<BrandedLink[]> {
  return (await scope.run(LINE, [id])).rows
}

interface Before {
  name: string
  branding: BrandingView | null
}
const SET = sql<Before>`with before as (select id, branding from end_users where id = $1 for update)
  update end_users u set branding = $2, version = u.version + 1, updated_at = now() from before b, logins l
  where u.id = b.id and l.id = u.id
  returning coalesce(nullif(l.display_name, ''), l.username) as name, b.branding`

/** @returns what was there before; undefined: there is no such end user in sight */
export async function setBranding(scope: TenantScope, id: string, branding: BrandingView): Promise<Before | undefined> {
  return (await scope.run(SET, [id, JSON.stringify(branding)])).rows[0]
}

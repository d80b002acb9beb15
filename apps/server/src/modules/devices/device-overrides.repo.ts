import type { DeviceLinkOverrides } from '@thingwright/contracts/links.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const READ_LINK_OVERRIDES = sql<{
  link: DeviceLinkOverrides | null
}>`select overrides->'link' as link from devices where id = $1`

/** What the device's link does otherwise than its product says; empty: nothing. */
export async function readLinkOverrides(scope: TenantScope, id: string): Promise<DeviceLinkOverrides> {
  const { rows } = await scope.run(READ_LINK_OVERRIDES, [id])
  return rows[0]?.link ?? {}
}

const WRITE_LINK_OVERRIDES = sql`update devices set version = version + 1, updated_at = now(),
   overrides = case when $2::jsonb = '{}' then overrides - 'link' else overrides || jsonb_build_object('link', $2::jsonb) end
  where id = $1`

export async function writeLinkOverrides(scope: TenantScope, id: string, link: DeviceLinkOverrides): Promise<void> {
  await scope.run(WRITE_LINK_OVERRIDES, [id, JSON.stringify(link)])
}

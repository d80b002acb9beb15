import type { AlarmFilter, LinkFilter } from '@thingwright/contracts/devices.words'
import type { TenantScope } from '../../lib/database/database.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import type { Filters } from '../../lib/sql/filters.ts'
import { part } from '../../lib/sql/statement.ts'
import { groupsBelow } from '../groups/groups.views.ts'
import { productDirectory } from '../products/products.views.ts'

/** Which devices somebody asks for, as people say it: all that fit every part that is there. */
export interface DeviceSelection {
  /** The recycle bin is not among the others unless it is asked for. */
  lifecycle?: string | undefined
  link?: LinkFilter | undefined
  ids?: readonly string[] | undefined
  productId?: string | undefined
  /** A group with what is below it. */
  groupId?: string | undefined
  /** Several of them. */
  groupIds?: readonly string[] | undefined
  /** An end user with those below him; `none`: the company's own. */
  userId?: string | undefined
  tag?: string | undefined
  /** Of its product. */
  category?: string | undefined
  linkType?: string | undefined
  nodeType?: string | undefined
  /** The version that it runs. */
  firmware?: string | undefined
  /** Placed in a part of the map: west, south, east and north in degrees, comma separated. */
  within?: string | undefined
  /** With an open alarm of that level as its gravest; `any`: with one. */
  alarmLevel?: AlarmFilter | undefined
  /** Part of a name or number, whatever its case and width. */
  q?: string | undefined
}

/** The same as the database is asked. */
export interface DeviceSelector {
  recycled?: boolean
  lifecycle?: string
  link?: LinkFilter
  ids?: readonly string[]
  productId?: string
  /** Every group that counts: what is below is among them. */
  groupIds?: readonly string[]
  userId?: string
  tag?: string
  category?: string
  linkType?: string
  nodeType?: string
  firmware?: string
  /** West, south, east, north. */
  within?: readonly number[]
  alarmLevel?: AlarmFilter
  /** Normalised. */
  needle?: string
}

/** Silent for a day; who is switched off on purpose is not missed. Of the aliases `p` of presence and `d` of devices. */
export const IS_LOST = part`p.link = 'offline' and p.last_seen_at < now() - interval '1 day' and d.lifecycle <> 'disabled'`

/** Of the alias `p` of presence; as the index of those says it. */
export const HAS_ALARM = part`p.alarm_level > 0`

/**
 * What "all that match" means, of the alias `d` of devices: for the list, its export, changes in bulk, commands and
 * firmware alike. Statements are made of it with `filteredSql`. Firmware is looked up device by device (`offset 0`):
 * joined, its policy would read every device.
 */
export const DEVICE_FILTERS: Filters<DeviceSelector> = {
  recycled: { true: part`d.recycled_at is not null`, false: part`d.recycled_at is null` },
  lifecycle: part`d.lifecycle = $1`,
  link: {
    never: part`not exists (select 1 from device_presence p where p.device = d.num)`,
    lost: part`exists (select 1 from device_presence p where p.device = d.num and ${IS_LOST})`,
    other: part`exists (select 1 from device_presence p where p.device = d.num and p.link = $1)`,
  },
  ids: part`d.id = any ($1::uuid[])`,
  productId: part`d.product_id = $1`,
  groupIds: part`d.group_id = any ($1::uuid[])`,
  userId: {
    none: part`d.owner_id is null`,
    other: part`d.owner_id in (select u.id from end_users u where u.path @> array[$1::uuid])`,
  },
  tag: part`$1 = any (d.tags)`,
  category: part`exists (select 1 from ${productDirectory} o where o.id = d.product_id and o.category = $1)`,
  linkType: part`exists (select 1 from ${productDirectory} o where o.id = d.product_id and o.link_type = $1)`,
  nodeType: part`exists (select 1 from ${productDirectory} o where o.id = d.product_id and o.node_type = $1)`,
  firmware: part`exists (select 1 from device_firmware f
    where f.device = d.num and f.tenant_id = d.tenant_id and f.module = 'default' and firmware_version_key(f.version) = firmware_version_key($1) offset 0)`,
  within: part`d.place_lat between ($1::float8[])[2] and ($1::float8[])[4]
    and case when ($1::float8[])[1] <= ($1::float8[])[3] then d.place_lng between ($1::float8[])[1] and ($1::float8[])[3]
      else d.place_lng >= ($1::float8[])[1] or d.place_lng <= ($1::float8[])[3] end`,
  alarmLevel: {
    any: part`exists (select 1 from device_presence p where p.device = d.num and ${HAS_ALARM})`,
    other: part`exists (select 1 from device_presence p where p.device = d.num and ${HAS_ALARM} and p.alarm_level = $1)`,
  },
  needle: part`strpos(d.search_text, $1) > 0`,
}

/** What a search of devices looks for in `search_text`; empty: nothing is searched for. */
export const deviceNeedle = normaliseForSearch

/** Reads which groups count. Nothing else is asked of the database. */
export async function deviceSelector(scope: TenantScope, selection: DeviceSelection): Promise<DeviceSelector> {
  const {
    lifecycle,
    link,
    ids,
    productId,
    groupId,
    userId,
    tag,
    category,
    linkType,
    nodeType,
    firmware,
    within,
    alarmLevel,
  } = selection
  const groups = selection.groupIds ?? (groupId ? [groupId] : undefined)
  const needle = deviceNeedle(selection.q ?? '')
  return {
    recycled: lifecycle === 'recycled',
    ...(lifecycle && lifecycle !== 'recycled' ? { lifecycle } : {}),
    ...(link ? { link } : {}),
    ...(ids ? { ids } : {}),
    ...(productId ? { productId } : {}),
    ...(groups ? { groupIds: await groupsBelow(scope, groups, 'device') } : {}),
    ...(userId ? { userId } : {}),
    ...(tag ? { tag } : {}),
    ...(category ? { category } : {}),
    ...(linkType ? { linkType } : {}),
    ...(nodeType ? { nodeType } : {}),
    ...(firmware ? { firmware } : {}),
    ...(within ? { within: within.split(',').map(Number) } : {}),
    ...(alarmLevel ? { alarmLevel } : {}),
    ...(needle ? { needle } : {}),
  }
}

import { type FencePoint, type FenceShape, fencePointOf, isInFence, type Scope } from '@thingwright/rules'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import { groupsBelow } from '../groups/groups.views.ts'
import { type MovingDevice, movingDevices } from './geofences.repo.ts'

/** So many devices are looked at, by name. */
const LOOKED_AT = 5_000
const READ_AT_ONCE = 1_000
/** Of a reading that is not trusted. */
const BAD = 2

export interface StandingDevice extends MovingDevice {
  place: FencePoint
  /** Epoch ms of the report; null: the place was entered. */
  at: number | null
}

/** Where devices stand now: as they said last, or else as it was entered. */
export interface Places {
  devices: StandingDevice[]
  truncated: boolean
}

/** Devices that the caller may see, with their places. */
export async function placesNow(database: Pick<Database, 'telemetry'>, scope: TenantScope): Promise<Places> {
  const rows = await movingDevices(scope, LOOKED_AT + 1)
  const looked = rows.slice(0, LOOKED_AT)
  const devices: StandingDevice[] = []
  for (let i = 0; i < looked.length; i += READ_AT_ONCE) {
    const part = looked.slice(i, i + READ_AT_ONCE)
    const latest = await readLatestValues(
      database.telemetry,
      part.flatMap(({ num, property }) => (property === null ? [] : [num])),
    )
    for (const device of part) {
      const [value, at, quality] = latest.get(device.num)?.get(device.property ?? '') ?? []
      const said = quality === undefined || quality === BAD ? null : fencePointOf(value)
      const place = said ?? fencePointOf(device.location)
      if (place) devices.push({ ...device, place: { lng: place.lng, lat: place.lat }, at: said ? at! : null })
    }
  }
  return { devices, truncated: rows.length > LOOKED_AT }
}

/** The devices of a fence that are inside it. */
export async function insideOf(
  scope: TenantScope,
  fence: { shape: FenceShape; scope: Scope | null },
  { devices }: Places,
): Promise<StandingDevice[]> {
  const chosen = fence.scope ?? {}
  const groups = new Set(chosen.groupIds ? await groupsBelow(scope, chosen.groupIds, 'device') : [])
  return devices.filter(
    ({ id, productId, groupId, tags, place }) =>
      (chosen.deviceIds?.includes(id) ?? true) &&
      (chosen.productIds?.includes(productId) ?? true) &&
      (chosen.groupIds === undefined || (groupId !== null && groups.has(groupId))) &&
      (chosen.tags?.some(tag => tags.includes(tag)) ?? true) &&
      isInFence(fence.shape, place),
  )
}

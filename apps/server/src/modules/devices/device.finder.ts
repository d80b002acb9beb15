import { type DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import { isUuid } from '../../lib/ids.ts'
import { pages, spokenForms } from '../../lib/tools/thing-kit.ts'
import { bestOf } from '../../lib/tools/tool-kit.ts'
import type { CallApi, EntityFinder, Mention } from '../../lib/tools/tools.ts'

/** A device that was spoken of. */
export function deviceMention({ id, name }: Pick<DeviceView, 'id' | 'name'>): Mention {
  return { kind: 'device', id, name, link: pages.device(id) }
}

/** Pages of a search that are looked through for a whole match. */
const PAGES = 5

/**
 * Devices by name, number or id, those of the recycle bin not among them. Without a text: those that were seen last.
 * @param limit at most so many
 */
export async function findDevices(call: CallApi, text: string, limit: number): Promise<DeviceView[]> {
  if (isUuid(text)) {
    const device = await call(devicesContract.get, { params: { id: text } }).catch(() => null)
    return device && device.lifecycle !== 'recycled' ? [device] : []
  }
  if (text.trim() === '') return (await call(devicesContract.list, { query: { limit, sort: '-lastSeenAt' } })).items
  for (const q of spokenForms(text)) {
    const found = await search(call, q)
    if (found.length > 0) return bestOf(found, q, limit, device => [device.name, device.deviceNo])
  }
  return []
}

async function search(call: CallApi, q: string): Promise<DeviceView[]> {
  const found: DeviceView[] = []
  let cursor: string | null = null
  for (let page = 0; page < PAGES; page++) {
    const query: { q: string; limit: number; sort: string; cursor?: string } = { q, limit: 100, sort: 'name' }
    if (cursor) query.cursor = cursor
    const { items, nextCursor } = await call(devicesContract.list, { query })
    found.push(...items)
    if (!nextCursor) break
    cursor = nextCursor
  }
  return found
}

export const deviceFinder: EntityFinder = {
  kind: 'device',
  async find(call, text, limit) {
    const found = await findDevices(call, text, limit)
    // Of one name there may be several: then the number tells them apart.
    const twice = (name: string) => found.filter(device => device.name === name).length > 1
    return found.map(device => ({
      ...deviceMention(device),
      ...(twice(device.name) ? { name: `${device.name} (${device.deviceNo})` } : {}),
    }))
  },
}

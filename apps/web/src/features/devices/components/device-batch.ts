import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { ApiError } from '../../../lib/api/api-error.ts'
import { call } from '../../../lib/api-client.ts'

type Change = Omit<Parameters<typeof call<'devices.update'>>[1]['body'], 'version'>

/**
 * Changes one device of a batch. Another's change in between does not matter to moving or tagging: it is done once
 * more on what the server has now.
 */
export async function changeDevice(device: DeviceView, change: (device: DeviceView) => Change): Promise<DeviceView> {
  const send = (now: DeviceView) =>
    call('devices.update', { params: { id: now.id }, body: { ...change(now), version: now.version } })
  try {
    return await send(device)
  } catch (error) {
    const current = error instanceof ApiError && error.code === 'version.conflict' ? error.params.current : undefined
    if (!current) throw error
    return send(current as DeviceView)
  }
}

/** Tags after adding some and taking others away; at most 20, none twice. */
export function withTags(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove)
  return [...new Set([...tags.filter(tag => !gone.has(tag)), ...add])]
}

import type { IngestPort } from '../transport.port.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { Query } from './mqtt/topics.ts'

/** What a device asks for on a topic that has an answer; null: none is given. */
export function answerQuery(
  port: IngestPort,
  device: DeviceRecord,
  query: Query,
  payload: Buffer,
  arrivedAt: number,
): Promise<Buffer | null> {
  switch (query) {
    case 'ntp':
      return port.answer(device, { kind: 'ntp', payload, arrivedAt })
    case 'shadow_get':
      return port.answer(device, { kind: 'shadow_get' })
    case 'firmware_pull':
      return port.firmwarePull(device, payload)
  }
}

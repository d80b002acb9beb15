import { type DeviceRecord, type JournalEntry, JournalKind, Quality } from '../uplink.ts'

/** A device as the hot path knows it; only the number matters to the lanes. */
export function aDevice(num: number, over: Partial<DeviceRecord> = {}): DeviceRecord {
  return {
    num,
    id: `00000000-0000-7000-8000-${String(num).padStart(12, '0')}`,
    tenantId: '00000000-0000-7000-8000-000000000000',
    productId: '00000000-0000-7000-8000-000000000001',
    productNum: 1,
    productKey: 'product',
    deviceNo: `device-${num}`,
    enabled: true,
    offlineDelaySeconds: 300,
    gateway: null,
    subAddress: null,
    overrides: {},
    ...over,
  }
}

/** A property post as the validation stage makes it. */
export function aPost(
  device: DeviceRecord | number,
  properties: Record<string, unknown>,
  over: Partial<JournalEntry> = {},
): JournalEntry {
  const arrivedAt = over.arrivedAt ?? Date.now()
  return {
    device: typeof device === 'number' ? aDevice(device) : device,
    kind: JournalKind.property,
    arrivedAt,
    ts: arrivedAt,
    deviceTs: null,
    quality: Quality.good,
    values: JSON.stringify(properties),
    properties,
    raw: null,
    refusedReason: null,
    late: false,
    ...over,
  }
}

/** What stands behind a downlink when only its bytes matter. */
export const A_COMMAND = { kind: 'property_set', identifier: null, params: {} } as const

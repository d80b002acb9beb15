import type { SubscriptionItem } from '@thingwright/contracts/subscriptions.contract'
import { sensorIdOf, timeText, userNumber } from '../tlink-compat/index.ts'

/** Number and TLINK sensor type of each property of a product. */
export type SensorNumbers = ReadonlyMap<string, { num: number; type: number }>

/**
 * One item as the TLINK family pushes it (features.md TLK-PUSH): `sensorsDates` of a property item; none of a state item,
 * whose `isLine` says what became of the device. Numbers are those of `/compat/tlink`.
 */
export function tlinkPush(
  item: SubscriptionItem,
  device: number,
  tenantId: string,
  sensors: SensorNumbers,
): Record<string, unknown> {
  const time = timeText(item.ts)
  const isLine = item.type === 'state' && item.data.link === 'offline' ? 0 : 1
  return {
    flag: '00',
    deviceUserid: userNumber(tenantId),
    parentUserId: String(userNumber(tenantId)),
    sensorsDates:
      item.type === 'property'
        ? Object.entries(item.data).map(([identifier, value]) => ({
            times: time.slice(11),
            sensorsId: sensorIdOf(device, sensors.get(identifier)?.num ?? 0),
            identifier,
            isAlarm: '0',
            sensorsTypeId: sensors.get(identifier)?.type ?? 8,
            isLine,
            reVal: textOf(value),
            value: textOf(value),
          }))
        : [],
    time,
    rawData: '',
    deviceId: device,
    deviceNo: item.deviceNo,
    isLine,
  }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

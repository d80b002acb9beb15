import type { Readings } from '../../../modules/telemetry/index.ts'
import type { JournalRow } from '../../lanes.port.ts'

/** What the rows of one device say, property by property. */
export type DeviceReadings = Map<string, Readings>

/** Values that wait for their sealing, in columns: two numbers each instead of an object. */
export class ReadingsBuffer {
  readonly devices = new Map<number, DeviceReadings>()
  rows = 0
  values = 0

  add(row: JournalRow): void {
    const values = JSON.parse(row.values ?? '{}') as Record<string, unknown>
    let device = this.devices.get(row.device)
    if (device === undefined) {
      device = new Map()
      this.devices.set(row.device, device)
    }
    for (const property in values) {
      let readings = device.get(property)
      if (readings === undefined) {
        readings = { times: [], values: [], quality: null }
        device.set(property, readings)
      }
      if (row.quality !== 0) readings.quality ??= new Array<number>(readings.times.length).fill(0)
      readings.times.push(row.ts)
      readings.values.push(values[property])
      readings.quality?.push(row.quality)
      this.values++
    }
    this.rows++
  }
}

import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { Property } from '@thingwright/thing-model/model'
import type { Place } from '../../../ui/map/projection.ts'
import type { Readings } from '../live/use-latest.ts'

export interface Position {
  place: Place
  /** The device told it itself, at this time; null: somebody entered it. */
  reportedAt: number | null
  address: string
}

/** Where the device is: what it reported last, else what was entered; null when neither is known. WGS 84. */
export function positionOf(
  device: Pick<DeviceView, 'location'>,
  properties: readonly Property[],
  readings: Readings,
): Position | null {
  const reported = properties.flatMap(({ identifier, dataType }) => {
    const reading = dataType.type === 'geo' ? readings[identifier] : undefined
    const { lng, lat } = (reading?.value ?? {}) as { lng?: unknown; lat?: unknown }
    return reading && reading.quality !== 'bad' && typeof lng === 'number' && typeof lat === 'number'
      ? [{ place: { lng, lat }, reportedAt: reading.ts, address: '' }]
      : []
  })
  const newest = reported.sort((a, b) => b.reportedAt - a.reportedAt)[0]
  if (newest) return newest
  const { location } = device
  return location
    ? { place: { lng: location.lng, lat: location.lat }, reportedAt: null, address: location.address ?? '' }
    : null
}

import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

export interface Point {
  identifier: string
  name: string
  unit: string
  writable: boolean
}

const KEPT = 60_000

/** Properties of a device, as they can be bound. */
export function usePoints(deviceId: string | null): readonly Point[] {
  const may = useMay('thingModels.deviceModel')
  const model = useRead(
    'thingModels.deviceModel',
    { params: { id: deviceId ?? '' } },
    { enabled: deviceId !== null && may, staleTime: KEPT },
  )
  const found = (
    model.data as
      | { model?: { properties?: { identifier: string; name: string; unit?: string; access?: string }[] } }
      | undefined
  )?.model?.properties
  return (found ?? []).map(({ identifier, name, unit = '', access = 'r' }) => ({
    identifier,
    name,
    unit,
    writable: access.includes('w'),
  }))
}

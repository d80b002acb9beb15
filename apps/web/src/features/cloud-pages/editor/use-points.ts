import { useMemo } from 'react'
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
  const found = (model.data as { model?: { properties?: Described[] } } | undefined)?.model?.properties
  return useMemo(() => (found ?? []).flatMap(pointsIn), [found])
}

interface Described {
  identifier: string
  name: string
  unit?: string
  access?: string
  dataType?: { type: string; fields?: readonly Described[] }
}

/** A property, and after it the parts of its value: sides of a place, fields of a struct. Only the whole is written. */
export function pointsIn({ identifier, name, unit = '', access = 'r', dataType }: Described): Point[] {
  const whole = { identifier, name, unit, writable: access.includes('w') }
  const inside: Described[] =
    dataType?.type === 'geo'
      ? ['lat', 'lng'].map(side => ({ identifier: side, name: side, dataType: { type: 'double' } }))
      : dataType?.type === 'struct'
        ? [...(dataType.fields ?? [])]
        : []
  return [
    whole,
    ...inside.flatMap(pointsIn).map(part => ({
      identifier: `${identifier}.${part.identifier}`,
      name: `${name} · ${part.name}`,
      unit: part.unit,
      writable: false,
    })),
  ]
}

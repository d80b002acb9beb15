import type { MapCell } from '@thingwright/contracts/device-map.contract'
import { useMemo } from 'react'
import { every } from '../../../lib/every.ts'
import { useReads } from '../../../lib/server-state/use-read.ts'
import { type HeatSpot, heatOfCounts, heatOfValues } from './heat.ts'

/** Devices whose values are asked for at once. */
const CHUNK = 100
const REREAD_MS = 15_000

/** What the heat layer shows: spots with the ends of their scale, or that there is none and why. */
export interface Heat {
  state: 'off' | 'loading' | 'shown' | 'empty' | 'closer' | 'failed'
  spots: readonly HeatSpot[]
  least: number
  most: number
}

const nothing = (state: Heat['state']): Heat => ({ state, spots: [], least: 0, most: 0 })
/** A property in the address, apart from the two counts. */
export const PROPERTY = 'p:'

/**
 * Heat of the cells that the map shows.
 * @param by `count` (devices), `alarms` (devices in alarm), `p:` and a property's identifier (last value); empty: no heat
 */
export function useHeat(by: string, cells: readonly MapCell[] | undefined): Heat {
  const identifier = by.startsWith(PROPERTY) ? by.slice(PROPERTY.length) : ''
  const ids = useMemo(
    () => (identifier === '' ? [] : (cells ?? []).flatMap(({ device }) => (device ? [device.id] : [])).toSorted()),
    [cells, identifier],
  )
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, at) =>
    ids.slice(at * CHUNK, (at + 1) * CHUNK),
  )
  const reads = useReads(
    'telemetry.latestOfMany',
    chunks.map(chunk => ({ query: { ids: chunk.join(','), identifiers: identifier } })),
    { refetchInterval: every(REREAD_MS), staleTime: REREAD_MS },
  )
  if (by === '') return nothing('off')
  if (!cells) return nothing('loading')
  const keyOf = (cell: MapCell) => cell.device?.id ?? `${cell.lng}/${cell.lat}`
  if (identifier === '') {
    const counted = cells.map(cell => ({
      key: keyOf(cell),
      place: cell,
      count: by === 'alarms' ? cell.alarms : cell.count,
    }))
    const spots = heatOfCounts(counted)
    if (spots.length === 0) return nothing('empty')
    return { state: 'shown', spots, least: 1, most: Math.max(...counted.map(({ count }) => count)) }
  }
  // Of a cell of several the values are not known.
  if (cells.length > 0 && ids.length === 0) return nothing('closer')
  if (reads.some(({ isError, data }) => isError && !data)) return nothing('failed')
  if (reads.some(({ isPending }) => isPending)) return nothing('loading')
  const values = new Map(
    reads.flatMap(({ data }) => (data?.items ?? []).map(item => [item.id, item.values[identifier]?.value] as const)),
  )
  const known = cells.flatMap(cell => {
    const value = cell.device ? values.get(cell.device.id) : undefined
    return typeof value === 'number' ? [{ key: keyOf(cell), place: cell, value }] : []
  })
  if (known.length === 0) return nothing('empty')
  return { state: 'shown', ...heatOfValues(known) }
}

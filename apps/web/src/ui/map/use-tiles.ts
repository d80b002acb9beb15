import type { MapTilesView } from '@thingwright/contracts/device-map.contract'
import { useEffect, useState } from 'react'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { type Datum, loadGcj02, WGS84 } from './datum.ts'

/** The service of this installation that draws maps, if there is one and it answers. */
export interface ShownTiles {
  /** Drawn now; null: outlines. */
  tiles: MapTilesView | null
  datum: Datum
  /** The service that did not answer; null: none, or none asked. */
  failed: MapTilesView | null
  onFailed: () => void
  retry: () => void
}

/** Which tiles a map draws, and in which coordinates. */
export function useTiles(): ShownTiles {
  const read = useRead(
    'deviceMap.tiles',
    {},
    { enabled: useMay('deviceMap.tiles'), staleTime: Number.POSITIVE_INFINITY },
  )
  const known = read.data?.tiles ?? null
  const [failed, setFailed] = useState(false)
  const [gcj02, setGcj02] = useState<Datum | null>(null)
  const shifted = known?.datum === 'gcj02'
  useEffect(() => {
    if (!shifted) return
    let shown = true
    loadGcj02().then(
      datum => shown && setGcj02(datum),
      () => shown && setFailed(true),
    )
    return () => {
      shown = false
    }
  }, [shifted])
  const datum = shifted ? gcj02 : WGS84
  // Without the conversion every mark would be half a kilometre off: no tiles before it is there.
  const tiles = failed || !datum ? null : known
  return {
    tiles,
    datum: tiles && datum ? datum : WGS84,
    failed: failed ? known : null,
    onFailed: () => setFailed(true),
    retry: () => setFailed(false),
  }
}

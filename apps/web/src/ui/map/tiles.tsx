import type { MapTilesView } from '@thingwright/contracts/device-map.contract'
import { memo, useMemo, useRef } from 'react'
import css from './map.module.css'
import type { MapView } from './projection.ts'
import { addressOf, tilesOf } from './tile-grid.ts'

/** So many tiles that do not load, with none that does in between, and the service is taken for away. */
const MISSED = 6

/** The land as a service draws it. */
export const Tiles = memo(function Tiles({
  tiles,
  view,
  width,
  height,
  onFailed,
}: {
  tiles: MapTilesView
  /** In the coordinates of the service. */
  view: MapView
  width: number
  height: number
  onFailed: () => void
}) {
  const missed = useRef(0)
  const shown = useMemo(() => tilesOf(view, width, height, tiles.levels), [view, width, height, tiles.levels])
  return (
    <div className={css.tiles} aria-hidden="true">
      {tiles.layers.map(layer =>
        shown.map(tile => (
          <img
            key={`${layer} ${tile.key}`}
            src={addressOf(layer, tiles.servers, tile)}
            alt=""
            draggable={false}
            // The keys of services are for sites: they have to see which one asks, and see no more.
            referrerPolicy="origin"
            style={{ left: tile.left, top: tile.top, width: tile.width, height: tile.height }}
            onLoad={() => {
              missed.current = 0
            }}
            onError={event => {
              event.currentTarget.style.visibility = 'hidden'
              missed.current += 1
              if (missed.current === MISSED) onFailed()
            }}
          />
        )),
      )}
    </div>
  )
})

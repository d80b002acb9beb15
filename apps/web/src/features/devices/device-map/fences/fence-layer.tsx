import type { GeofenceView } from '@thingwright/contracts/geofences.contract'
import type { Place } from '../../../../ui/map/projection.ts'
import css from './fences.module.css'
import { boundsOfShape, type Drawing, placeFrom, ringOf, ringPath } from './shape.ts'

type Pixel = (place: Place) => [x: number, y: number]

/** Fences of the company on the map, and the one that is being drawn above them. */
export function FenceLayer({
  fences,
  drawing,
  colour,
  pixel,
}: {
  fences: readonly GeofenceView[]
  drawing: Drawing | null
  colour: string
  pixel: Pixel
}) {
  return (
    <>
      {fences.map(fence => {
        const { west, east, north } = boundsOfShape(fence.shape)
        const [x, y] = pixel({ lng: (west + east) / 2, lat: north })
        return (
          <g key={fence.id} style={{ color: fence.colour }} data-off={String(!fence.enabled)}>
            <path className={css.fence} d={ringPath(ringOf(fence.shape), pixel)} />
            <text className={css.fenceName} x={x} y={y - 6}>
              {fence.name}
            </text>
          </g>
        )
      })}
      {drawing && (
        <g style={{ color: colour }}>
          <path className={css.fence} d={ringPath(ringOf(drawing.shape), pixel)} />
          {handlesOf(drawing).map((place, at) => {
            const [x, y] = pixel(place)
            return <circle key={at} className={css.handle} cx={x} cy={y} r={6} />
          })}
        </g>
      )}
    </>
  )
}

/** What the pointer can take hold of. */
function handlesOf({ shape: { kind, centre, radius, points = [] } }: Drawing): Place[] {
  if (kind === 'polygon') return points
  return centre ? [centre, ...(radius ? [placeFrom(centre, radius, Math.PI / 2)] : [])] : []
}

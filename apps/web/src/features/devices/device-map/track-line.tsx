import type { Place } from '../../../ui/map/projection.ts'
import css from './device-map.module.css'
import { indexAt, pathOf, placeOnTrack } from './track.ts'
import type { ShownTrack } from './track-player.tsx'

/** The line of a track, the part behind the device stronger than the rest. */
export function TrackLine({
  track: { points, now },
  pixel,
}: {
  track: ShownTrack
  pixel: (place: Place) => [x: number, y: number]
}) {
  const passed = [...points.slice(0, indexAt(points, now) + 1), placeOnTrack(points, now)]
  return (
    <>
      <path className={css.line} d={pathOf(points, pixel)} />
      <path className={css.passed} d={pathOf(passed, pixel)} />
    </>
  )
}

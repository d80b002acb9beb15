import { useEffect, useState } from 'react'
import { type SeriesPoint, useScene } from '../scene-context.ts'

const EVERY_MS = 60_000

/** History of a value, read again every minute; null while it is read for the first time. */
export function useSeries(key: string | null, hours: number): readonly SeriesPoint[] | null {
  const { series } = useScene()
  const [points, setPoints] = useState<readonly SeriesPoint[] | null>(null)
  useEffect(() => {
    if (key === null) {
      setPoints([])
      return
    }
    let gone = false
    const read = () =>
      series(key, hours).then(
        found => {
          if (!gone) setPoints(found)
        },
        () => {
          if (!gone) setPoints(before => before ?? [])
        },
      )
    void read()
    const timer = setInterval(() => void read(), EVERY_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [key, hours, series])
  return points
}

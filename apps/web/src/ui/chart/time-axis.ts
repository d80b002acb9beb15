/** The server looks back no further. */
export const MAX_SPAN_MS = 400 * 86_400_000
/** A window narrower than this shows nothing more. */
export const MIN_SPAN_MS = 1000

/** A window zoomed around a point of it (0 left, 1 right); factors below 1 look closer. */
export function zoomed(bounds: { from: number; to: number }, at: number, factor: number): { from: number; to: number } {
  const span = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, (bounds.to - bounds.from) * factor))
  const centre = bounds.from + (bounds.to - bounds.from) * at
  const from = Math.max(0, centre - span * at)
  return { from, to: from + span }
}

const two = (n: number) => String(n).padStart(2, '0')

/**
 * Words of a time axis: the time of day, with seconds where the span is short; the date at each first mark of a day,
 * and alone where the span is long.
 */
export function axisWords(marks: readonly number[], spanMs: number): string[] {
  let day = ''
  return marks.map(ms => {
    const d = new Date(ms)
    const date = `${two(d.getMonth() + 1)}-${two(d.getDate())}`
    const seconds = spanMs < 600_000 ? `:${two(d.getSeconds())}` : ''
    const time = `${two(d.getHours())}:${two(d.getMinutes())}${seconds}`
    const first = date !== day
    day = date
    if (spanMs > 5 * 86_400_000) return first || time === '00:00' ? date : time
    return first ? `${time}\n${date}` : time
  })
}

import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { HomeSpan } from '../../lib/home-cards.ts'
import { useNow } from '../../ui/ticker.ts'

const HOUR_MS = 3_600_000
export const SPANS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS, '30d': 30 * 24 * HOUR_MS } as const
export type SpanName = keyof typeof SPANS
const FIRST: SpanName = '24h'
/** A span that ends now moves in steps, so that all cards ask the same. */
const MOVES_MS = 30_000
const LONGEST_MS = 31 * 24 * HOUR_MS
const SHORTEST_MS = 10 * 60_000

/** What the address says of the span: a name, or from when to when. */
export function useSpan() {
  const [params, setParams] = useSearchParams()
  const now = useNow()
  const until = Math.ceil(now / MOVES_MS) * MOVES_MS
  const text = params.get('range')
  const from = Number(params.get('from'))
  const to = Number(params.get('to'))
  const isChosen = to - from >= SHORTEST_MS && to - from <= LONGEST_MS
  const name: SpanName | null = isChosen ? null : text !== null && text in SPANS ? (text as SpanName) : FIRST
  const span = useMemo<HomeSpan>(
    () => (name === null ? { from, to } : { from: until - SPANS[name], to: until }),
    [name, from, to, until],
  )
  const choose = useCallback(
    (next: SpanName) => setParams(next === FIRST ? {} : { range: next }, { replace: true }),
    [setParams],
  )
  const zoom = useCallback(
    (since: number, end: number) => {
      const middle = (since + end) / 2
      const half = Math.max(end - since, SHORTEST_MS) / 2
      setParams({ from: String(Math.round(middle - half)), to: String(Math.round(middle + half)) }, { replace: true })
    },
    [setParams],
  )
  const reset = useCallback(() => setParams({}, { replace: true }), [setParams])
  return { name, span, choose, zoom, reset }
}

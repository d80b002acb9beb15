import { MAX_SPAN_MS, MIN_SPAN_MS } from '../../../ui/chart/time-axis.ts'

/** Ranges that end now. */
export const RANGES = {
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
} as const
export type RangeName = keyof typeof RANGES

export type HistoryWindow = { kind: 'last'; name: RangeName } | { kind: 'fixed'; from: number; to: number }

/** The window that an address asks for; the last 24 hours without a sound one. */
export function readWindow(params: URLSearchParams): HistoryWindow {
  const from = Number(params.get('from') ?? Number.NaN)
  const to = Number(params.get('to') ?? Number.NaN)
  if (Number.isFinite(from) && Number.isFinite(to) && to - from >= MIN_SPAN_MS && to - from <= MAX_SPAN_MS && from >= 0)
    return { kind: 'fixed', from, to }
  const name = params.get('range')
  return { kind: 'last', name: name !== null && name in RANGES ? (name as RangeName) : '24h' }
}

/** What stands in the address for a window; null takes an entry out. */
export function writeWindow(window: HistoryWindow): Record<'range' | 'from' | 'to', string | null> {
  return window.kind === 'fixed'
    ? { range: null, from: String(Math.round(window.from)), to: String(Math.round(window.to)) }
    : { range: window.name === '24h' ? null : window.name, from: null, to: null }
}

/** Its bounds in epoch ms at a given moment. */
export function boundsOf(window: HistoryWindow, now: number): { from: number; to: number } {
  return window.kind === 'fixed' ? { from: window.from, to: window.to } : { from: now - RANGES[window.name], to: now }
}

/** How often a window that ends now is read anew; null for one that stands still. */
export function refreshMs(window: HistoryWindow): number | null {
  if (window.kind === 'fixed') return null
  return Math.min(300_000, Math.max(10_000, RANGES[window.name] / 500))
}

import type { DISTRIBUTIONS } from '@thingwright/contracts/statistics.words'
import { every } from '../../lib/every.ts'
import type { HomeSpan } from '../../lib/home-cards.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'

/** Figures move with their samples, about once a minute. */
const REREAD_MS = 30_000
const REREAD = { refetchInterval: every(REREAD_MS), keep: true } as const

export function useFacts() {
  return useRead('statistics.facts', {}, { ...REREAD, enabled: useMay('statistics.facts') })
}

/** One answer for all cards of one span. */
export function useTrends({ from, to }: HomeSpan) {
  return useRead(
    'statistics.trends',
    { query: { from, to, before: '1' } },
    { keep: true, enabled: useMay('statistics.trends') },
  )
}

export function useShares(by: (typeof DISTRIBUTIONS)[number]) {
  return useRead(
    'statistics.distribution',
    { query: { by } },
    { ...REREAD, enabled: useMay('statistics.distribution') },
  )
}

export function useTalkers({ from, to }: HomeSpan) {
  return useRead('statistics.talkers', { query: { from, to } }, { keep: true, enabled: useMay('statistics.talkers') })
}

export function useAttention() {
  return useRead('statistics.attention', {}, REREAD)
}

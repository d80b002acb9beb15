import type { SimulatedCard } from '../cards/made-cards.ts'

const ACTIVE = { cmcc: '2', ctcc: '4' }
const MONTH_MS = 30 * 86_400_000
const SHANGHAI_MS = 28_800_000

/**
 * A stretch of the life of cards: those that are active, online and open use some of their plan, each at a pace of its
 * own, and a new month begins at nothing.
 * @param kept which month it was, and is now
 * @param forMs how long the stretch was
 */
export function useCards(
  cards: readonly SimulatedCard[],
  kept: { month: string | null },
  now: number,
  forMs: number,
): void {
  const month = new Date(now + SHANGHAI_MS).toISOString().slice(0, 7)
  if (kept.month !== null && kept.month !== month)
    for (const card of cards) Object.assign(card, { monthKb: 0, monthSms: 0 })
  kept.month = month
  for (const [place, card] of cards.entries()) {
    const isCmcc = card.iccid.startsWith('898604')
    if (card.status !== ACTIVE[isCmcc ? 'cmcc' : 'ctcc'] || !card.online || card.dataOff) continue
    // From a fifth of the plan in a month to all of it.
    const pace = 0.2 + (0.8 * ((place * 53) % 100)) / 100
    card.monthKb = Math.round((card.monthKb + (card.planKb * pace * forMs) / MONTH_MS) * 100) / 100
  }
}

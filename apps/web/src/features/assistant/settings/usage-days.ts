import type { Usage } from './hooks.ts'

export interface DayColumn {
  day: string
  replies: number
  prompt: number
  completion: number
  costFen: number
}

/** Every day of the month, those without a reply too. `YYYY-MM` in. */
export function monthDays(month: string, days: Usage['days']): DayColumn[] {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const known = new Map(days.map(day => [day.day, day]))
  return Array.from({ length: new Date(Date.UTC(year, number, 0)).getUTCDate() }, (_, at) => {
    const day = `${month}-${String(at + 1).padStart(2, '0')}`
    const found = known.get(day)
    return {
      day,
      replies: found?.replies ?? 0,
      prompt: found?.promptTokens ?? 0,
      completion: found?.completionTokens ?? 0,
      costFen: found?.costFen ?? 0,
    }
  })
}

/** The month before (-1) or after (1). */
export function monthBeside(month: string, step: -1 | 1): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const date = new Date(Date.UTC(year, number - 1 + step, 1))
  return date.toISOString().slice(0, 7)
}

/** The smallest of 1, 2, 5 × 10ⁿ that is not below the value: the top of an axis. */
export function axisTop(value: number): number {
  if (value <= 10) return 10
  const step = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map(times => times * step).find(top => top >= value)!
}

/** A cost from fen; below a fen with the places that tell something: `¥0.0031`. */
export function costText(fen: number, money: (fen: number) => string): string {
  return fen > 0 && fen < 1 ? `¥${(fen / 100).toFixed(4)}` : money(fen)
}

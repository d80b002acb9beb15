import { expect, it } from 'vitest'
import { withPeriod } from './period.ts'

it('turns a period and days into instants, and leaves nonsense out', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  expect(withPeriod({ period: '24h', result: 'ok' }, now)).toEqual({ result: 'ok', from: '2026-11-19T12:00:00.000Z' })
  const { from, to } = withPeriod({ from: '2026-11-01', to: '2026-11-02' }, now)
  expect(new Date(from!).getTime()).toBe(new Date('2026-11-01T00:00:00').getTime())
  // The last day is meant whole.
  expect(new Date(to!).getTime()).toBe(new Date('2026-11-03T00:00:00').getTime())
  // Tried: another word, a name from the prototype, another form of a day, a day that is none.
  const wrong: Record<string, string>[] = [
    { period: '3h' },
    { period: 'toString' },
    { from: '1.11.2026' },
    { to: '2026-13-40' },
  ]
  for (const filters of wrong) expect(withPeriod(filters, now)).toEqual({})
})

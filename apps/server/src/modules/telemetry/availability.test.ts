import { describe, expect, it } from 'vitest'
import { availability } from './availability.ts'

const HOUR = 3_600_000
const day = (n: number) => ({
  day: `2026-11-0${n}`,
  starts: new Date(n * 24 * HOUR),
  ends: new Date((n + 1) * 24 * HOUR),
})
const change = (hour: number, kind: 'online' | 'offline', reason: string | null = null) => ({
  at: new Date(hour * HOUR),
  kind,
  reason,
})

describe('availability of days', () => {
  it('counts what is known, carries a state over midnight and ends now', () => {
    const changes = [
      change(20, 'online'),
      change(30, 'offline', 'no_data'),
      change(36, 'online'),
      change(50, 'offline', 'client'),
    ]
    expect(availability([day(1), day(2)], changes, 60 * HOUR)).toEqual([
      { day: '2026-11-01', knownMs: 24 * HOUR, onlineMs: 18 * HOUR, reasons: { no_data: 1 } },
      { day: '2026-11-02', knownMs: 12 * HOUR, onlineMs: 2 * HOUR, reasons: { client: 1 } },
    ])
  })

  it('knows nothing of the time before the first sign', () => {
    expect(availability([day(0), day(1)], [change(30, 'online')], 48 * HOUR)).toEqual([
      { day: '2026-11-00', knownMs: 0, onlineMs: 0, reasons: {} },
      { day: '2026-11-01', knownMs: 18 * HOUR, onlineMs: 18 * HOUR, reasons: {} },
    ])
    expect(availability([day(0)], [], HOUR)).toMatchObject([{ knownMs: 0, onlineMs: 0 }])
  })
})

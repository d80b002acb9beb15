import { describe, expect, it } from 'vitest'
import { readZone, windowAt } from './ota-window.ts'

const at = (text: string) => Date.parse(text)
const night = { from: '22:00', until: '04:00' }

describe('a maintenance window', () => {
  it('is open by the clock of the device, also past midnight', () => {
    // 23:30 in Shanghai, 00:30 in Tokyo, 16:30 in London
    const now = at('2026-11-20T15:30:20Z')
    expect(windowAt(night, 'Asia/Shanghai', now)).toEqual({ open: true, untilMs: at('2026-11-20T20:00:00Z') })
    expect(windowAt(night, 'Asia/Tokyo', now)).toEqual({ open: true, untilMs: at('2026-11-20T19:00:00Z') })
    expect(windowAt(night, 'Europe/London', now)).toMatchObject({ open: false })
    expect(windowAt(night, '+08:00', now)).toEqual(windowAt(night, 'Asia/Shanghai', now))
    expect(windowAt(night, '-03:30', at('2026-11-20T01:30:00Z'))).toMatchObject({ open: true })
  })

  it('says when to look again, never after it has opened', () => {
    const zone = 'Asia/Shanghai'
    let now = at('2026-11-20T01:10:00Z')
    const looks: number[] = []
    for (let n = 0; n < 20; n++) {
      const state = windowAt(night, zone, now)
      if (state.open) break
      expect(state.nextMs).toBeGreaterThan(now)
      looks.push(state.nextMs)
      now = state.nextMs
    }
    expect(now).toBe(at('2026-11-20T14:00:00Z'))
    expect(looks.length).toBeLessThan(12)
  })

  it('belongs to the day on which it opens', () => {
    // 2026-11-20 is a Friday
    const friday = { ...night, days: [5] }
    expect(windowAt(friday, '+00:00', at('2026-11-20T23:00:00Z'))).toMatchObject({ open: true })
    expect(windowAt(friday, '+00:00', at('2026-11-21T03:00:00Z'))).toMatchObject({ open: true })
    expect(windowAt(friday, '+00:00', at('2026-11-20T03:00:00Z'))).toMatchObject({ open: false })
    expect(windowAt(friday, '+00:00', at('2026-11-21T23:00:00Z'))).toMatchObject({ open: false })
    expect(windowAt({ from: '00:00', until: '00:00', days: [6, 7] }, '+00:00', at('2026-11-22T23:59:00Z'))).toEqual({
      open: true,
      untilMs: at('2026-11-23T00:00:00Z'),
    })
  })
})

it('zones are read as devices and people write them', () => {
  expect(['Asia/Tokyo', '+0900', '-03:30', 540, -210, 'UTC'].map(readZone)).toEqual([
    'Asia/Tokyo',
    '+09:00',
    '-03:30',
    '+09:00',
    '-03:30',
    'UTC',
  ])
  expect(['Nowhere/City', '', '+25:00', 9.5, 900, null, {}, 'x'.repeat(65)].map(readZone)).toEqual(Array(8).fill(null))
})

import { describe, expect, it } from 'vitest'
import { type RaisedOfTrigger, STORM_FROM, STORM_MS, stormsOf } from './alarm-storms.ts'

const alarms = (count: number, from = 0, step = 1_000, triggerId = 't') =>
  Array.from({ length: count }, (_, i) => ({
    id: `${triggerId}${String(i).padStart(4, '0')}`,
    triggerId,
    at: from + i * step,
  }))

describe('a storm', () => {
  it('begins with the sixth alarm of a trigger within a minute, and the first stands for all', () => {
    expect(stormsOf([], alarms(STORM_FROM))).toEqual([])
    expect(stormsOf([], alarms(STORM_FROM + 2))).toEqual([
      { id: 't0005', stormId: 't0000' },
      { id: 't0006', stormId: 't0000' },
    ])
    expect(stormsOf([], alarms(100, 0, STORM_MS / 5 + 1))).toEqual([])
  })

  it('goes on as long as they follow one another, over batches, and a new one has a new first', () => {
    const all = alarms(400)
    const merged = new Map<string, string>()
    const seen: RaisedOfTrigger[] = []
    for (let i = 0; i < all.length; i += 7) {
      const part = all.slice(i, i + 7)
      for (const { id, stormId } of stormsOf(seen.slice(-STORM_FROM), part)) merged.set(id, stormId)
      seen.push(...part.map(alarm => ({ ...alarm, stormId: merged.get(alarm.id) ?? null })))
    }
    expect([merged.size, new Set(merged.values())]).toEqual([395, new Set(['t0000'])])
    const later = alarms(7, 1_000_000).map((alarm, i) => ({ ...alarm, id: `u${i}` }))
    expect(stormsOf(seen.slice(-STORM_FROM), later)).toEqual([
      { id: 'u5', stormId: 'u0' },
      { id: 'u6', stormId: 'u0' },
    ])
  })

  it('is of one trigger', () => {
    expect(stormsOf([], [...alarms(5), ...alarms(5, 0, 1_000, 'u')])).toEqual([])
  })
})

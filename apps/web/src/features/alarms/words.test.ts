import { describe, expect, it } from 'vitest'
import { actionsOf, lengthOf, targetName, valueText } from './words.ts'

const base = { active: true, acknowledged: false, work: 'open', shelvedUntil: null } as const

describe('what can still be done about an alarm', () => {
  it('keeps active, acknowledged and work apart', () => {
    expect(actionsOf(base)).toMatchObject({ ack: true, clear: true, handle: true, reopen: false, unshelve: false })
    // Handled, and its condition still holds: it may be cleared by hand, and work may go on.
    expect(actionsOf({ ...base, work: 'done' })).toMatchObject({ ack: true, clear: true, handle: false, reopen: true })
    // Cleared before anybody saw it.
    expect(actionsOf({ ...base, active: false })).toMatchObject({
      ack: true,
      clear: false,
      shelve: false,
      handle: true,
    })
    expect(actionsOf({ ...base, acknowledged: true }).ack).toBe(false)
    expect(actionsOf({ ...base, shelvedUntil: '2026-11-26T00:00:00.000Z' })).toMatchObject({
      shelve: false,
      unshelve: true,
    })
  })
})

describe('words of an alarm', () => {
  it('counts from raise to clear, and until now while it is active', () => {
    const raisedAt = '2026-11-26T00:00:00.000Z'
    const at = Date.parse('2026-11-26T00:01:30.000Z')
    expect(lengthOf({ raisedAt, clearedAt: null }, at)).toBe(90_000)
    expect(lengthOf({ raisedAt, clearedAt: '2026-11-26T00:00:10.000Z' }, at)).toBe(10_000)
    // A clock of the browser that is behind.
    expect(lengthOf({ raisedAt, clearedAt: null }, at - 3_600_000)).toBe(0)
  })

  it('names the device, or what is left of it', () => {
    expect(targetName({ deviceName: 'Cold room', deviceNo: 'C1', triggerName: 'Warm' })).toBe('Cold room')
    expect(targetName({ deviceName: null, deviceNo: null, triggerName: 'Warm' })).toBe('Warm')
  })

  it('shows values as they were', () => {
    expect(valueText(false)).toBe('false')
    expect(valueText(0, '°C')).toBe('0\u202f°C')
    expect(valueText(null)).toBe('–')
    expect(valueText('9007199254740993')).toBe('9007199254740993')
    expect(valueText({ a: 1 })).toBe('{"a":1}')
  })
})

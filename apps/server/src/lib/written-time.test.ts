import { describe, expect, it } from 'vitest'
import { readTime, zoneMinutes } from './written-time.ts'

const CHINA = zoneMinutes('+08:00')
const AT = Date.UTC(2026, 10, 1, 19, 4, 5)

describe('a written time', () => {
  it.each([
    '2026/11/2 3:04:05',
    '2026-11-2 03:04:05',
    '2026.11.02 03:04:05',
    '2026-11-02T03:04:05+08',
    '2026-11-02T03:04:05+0800',
    '2026-11-02T03:04:05+08:00',
    '2026-11-02 03:04:05 +08:00',
    '2026-11-01T19:04:05Z',
    '2026-11-01T19:04:05.000000Z',
    '2026-11-01 19:04:05+00:00',
    '2026-11-01 19:04:05 UTC',
    '20261102030405',
    '20261102T030405+0800',
    '20261101T190405Z',
    'Sun, 01 Nov 2026 19:04:05 GMT',
    'Sunday, 01-Nov-2026 19:04:05 GMT',
    '1 Nov 2026 19:04:05 +0000',
    'Nov 2 2026 03:04:05',
    'Nov 2, 2026 03:04:05',
    'Sun Nov  1 19:04:05 2026 GMT'.replace(' 2026 GMT', ' GMT 2026'),
    'Mon Nov  2 03:04:05 2026',
    'Mon Nov 02 2026 03:04:05 GMT+0800',
    '2026\u5e7411\u67082\u65e5 3:04:05',
    '2026\u5e7411\u670802\u65e5 03\u65f604\u520605\u79d2',
  ])('%s is read', text => expect(readTime(text, CHINA)).toBe(AT))

  it('keeps milliseconds and cuts finer fractions', () => {
    expect(readTime('2026-11-01T19:04:05.123456Z')).toBe(AT + 123)
    expect(readTime('2026-11-02 03:04:05,5', CHINA)).toBe(AT + 500)
  })

  it.each([
    '',
    'yesterday',
    '2026-13-01 00:00:00',
    '2026-02-30 00:00:00',
    '2026-11-02',
    '11/2/2026 03:04:05',
    '2026-11-02T03:04:05+25:00',
    '2026-11-02 25:00:00',
    '1 Foo 2026 00:00:00',
  ])('%s is none', text => expect(readTime(text, CHINA)).toBeUndefined())

  it('without a zone is none where no zone is meant', () => {
    expect(readTime('2026-11-02 03:04:05')).toBeUndefined()
    expect(readTime('2026-11-02 03:04:05Z')).toBeDefined()
  })
})

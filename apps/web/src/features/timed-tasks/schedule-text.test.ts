import { expect, it } from 'vitest'
import en from './locales/en.json' with { type: 'json' }
import { momentText } from './schedule-text.ts'

/** The English texts, with what is put into them. */
const t = ((key: string, values: Record<string, string | number> = {}) => {
  const plural = values.count === undefined ? key : `${key}_${values.count === 1 ? 'one' : 'other'}`
  const found = plural.split('.').reduce<unknown>((now, part) => (now as Record<string, unknown>)[part], en)
  return String(found).replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]))
}) as Parameters<typeof momentText>[1]

it('says a time of the sun as part of a sentence, and alone', () => {
  expect(momentText({ sun: 'sunset', offsetMinutes: 30 }, t)).toBe('30 minutes after sunset')
  expect(momentText({ sun: 'sunrise', offsetMinutes: -1 }, t)).toBe('1 minute before sunrise')
  expect(momentText({ sun: 'sunset' }, t)).toBe('Sunset')
  expect(momentText('08:00', t)).toBe('08:00')
})

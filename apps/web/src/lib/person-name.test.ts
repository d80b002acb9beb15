import { beforeAll, expect, it } from 'vitest'
import { registerAllTexts } from '../texts.ts'
import { changeLocale, loadTexts, startI18n } from './i18n.ts'
import { personName } from './person-name.ts'

beforeAll(async () => {
  registerAllTexts()
  await startI18n('zh')
  await loadTexts('common')
})

it('names people as they are called, and the platform by one word of the language', async () => {
  expect(personName('李雷')).toBe('李雷')
  expect(personName('system:demo')).toBe('系统')
  await changeLocale('en')
  expect(personName('system:orders')).toBe('System')
  expect(personName('systematic')).toBe('systematic')
})

it('has a dash, or what the caller says, for nobody', () => {
  expect([personName(''), personName(null), personName(undefined, '')]).toEqual(['–', '–', ''])
})

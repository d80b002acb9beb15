import { expect, it } from 'vitest'
import { mendLanguage } from './usable-language.ts'

it('a language that Intl refuses is replaced, any other stays', () => {
  const odd = { language: 'en-US@posix' }
  mendLanguage(odd)
  expect(odd.language).toBe('en-US')
  const usual = { language: 'zh-CN' }
  mendLanguage(usual)
  expect(usual.language).toBe('zh-CN')
})

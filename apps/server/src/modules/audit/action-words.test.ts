import { allContracts } from '@thingwright/contracts/all-contracts'
import { expect, it } from 'vitest'
import { actionWord } from './action-words.ts'

it.each(['zh', 'en'] as const)('every operation that a route can write has words (%s)', locale => {
  const names = Object.values(allContracts)
    .flatMap(contracts => Object.values(contracts as Record<string, { audit?: unknown }>))
    .map(({ audit }) => audit)
    .filter(audit => typeof audit === 'string')
  expect(names.length).toBeGreaterThan(100)
  // A part without words stands for itself, underscores and all.
  const wordless = names.filter(name => {
    const [noun = '', verb = ''] = name.split('.')
    const word = actionWord(locale, name)
    return word.includes('_') || word === `${noun}.${verb}` || (locale === 'zh' && /^[a-z_ ·]+$/.test(word))
  })
  expect([...new Set(wordless)]).toEqual([])
})

it.each(['zh', 'en'] as const)('what was refused or failed is not told as done (%s)', locale => {
  for (const result of ['refused', 'failed'] as const) {
    expect(actionWord(locale, 'session.sign_in', result)).not.toContain(actionWord(locale, 'session.sign_in'))
    expect(actionWord(locale, 'session.sign_in', result)).not.toMatch(/signed in|登录成功/)
    expect(actionWord(locale, 'device.delete', result)).toMatch(/not done|未执行/)
  }
})

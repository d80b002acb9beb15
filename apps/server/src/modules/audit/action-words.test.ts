import { expect, it } from 'vitest'
import { actionWord } from './action-words.ts'

it.each(['zh', 'en'] as const)('what was refused or failed is not told as done (%s)', locale => {
  for (const result of ['refused', 'failed'] as const) {
    expect(actionWord(locale, 'session.sign_in', result)).not.toContain(actionWord(locale, 'session.sign_in'))
    expect(actionWord(locale, 'session.sign_in', result)).not.toMatch(/signed in|登录成功/)
    expect(actionWord(locale, 'device.delete', result)).toMatch(/not executed|未执行/)
  }
})

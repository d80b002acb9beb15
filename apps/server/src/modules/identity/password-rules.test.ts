import { DEFAULT_SECURITY_POLICY } from '@thingwright/contracts/security.contract'
import { describe, expect, it } from 'vitest'
import { checkNewPassword, passwordExpired } from './password-rules.ts'

const codes = (password: string, over: object = {}, who: { username?: string; phone?: string } = {}) =>
  checkNewPassword({ ...DEFAULT_SECURITY_POLICY, ...over }, { password, ...who }).map(problem => problem.code)

describe('new passwords', () => {
  it.each([
    'right horse battery',
    'journey-password-1',
    '正确的马电池订书钉',
    'x7!kQ2#m',
    `${'a'.repeat(60)}bcdk2`,
    '🐴🔋📎🧷🐴🔋📎🧶x',
  ])('like %s are taken', password => {
    expect(codes(password)).toEqual([])
  })

  it.each([
    ['seven characters', 'x7!kQ2#', 'password.too_short'],
    ['seven emoji, which are more code units', '🐴🔋📎🧷🐴🔋📎', 'password.too_short'],
    ['129 characters', `${'x7!kQ2#m'.repeat(16)}y`, 'password.too_long'],
    ['the most used one', 'password', 'password.common'],
    ['the most used one dressed up', 'P@ssw0rd2024!', 'password.common'],
    ['a word and a year', 'Welcome2026', 'password.common'],
    ['digits in a row', '12345678', 'password.common'],
    ['digits backwards', '987654321', 'password.common'],
    ['letters in a row', 'abcdefghijk', 'password.common'],
    ['a row of keys', 'asdfghjkl', 'password.common'],
    ['a pattern of keys', '1qaz2wsx', 'password.common'],
    ['one character', 'zzzzzzzzzzzz', 'password.common'],
    ['something repeated', 'abcabcabcabc', 'password.common'],
    ['full-width letters that fold to a common one', 'ｐａｓｓｗｏｒｄ', 'password.common'],
  ])('with %s are refused', (_name, password, code) => {
    expect(codes(password)).toContain(code)
  })

  it('do not hold the name or the phone, forwards or backwards', () => {
    expect(codes('my-Chen.Gong-77x', {}, { username: 'chen.gong' })).toEqual(['password.contains_name'])
    expect(codes('my-gnog.nehc-77x', {}, { username: 'chen.gong' })).toEqual(['password.contains_name'])
    expect(codes('call 13912345678 x', {}, { phone: '13912345678' })).toEqual(['password.contains_name'])
    // A name of two letters is in every other word.
    expect(codes('right li horse', {}, { username: 'li' })).toEqual([])
  })

  it('follow the company: length and kinds of characters', () => {
    expect(codes('right horse', { passwordMinLength: 12 })).toEqual(['password.too_short'])
    expect(codes('righthorsebattery', { passwordMinClasses: 3 })).toEqual(['password.classes'])
    expect(codes('rightHorse7battery', { passwordMinClasses: 3 })).toEqual([])
    expect(codes('rightHorse7battery', { passwordMinClasses: 4 })).toEqual(['password.classes'])
  })

  it('grow old when the company says so', () => {
    const policy = { ...DEFAULT_SECURITY_POLICY, passwordExpiryDays: 90 }
    const changed = new Date(Date.UTC(2026, 0, 1))
    expect(passwordExpired(policy, changed, changed.getTime() + 90 * 86_400_000 - 1)).toBe(false)
    expect(passwordExpired(policy, changed, changed.getTime() + 90 * 86_400_000)).toBe(true)
    expect(passwordExpired({ ...policy, passwordExpiryDays: 0 }, changed, Number.MAX_SAFE_INTEGER)).toBe(false)
  })
})

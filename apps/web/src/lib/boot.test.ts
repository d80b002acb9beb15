import { describe, expect, it } from 'vitest'
import { parseBoot } from './boot.ts'

const NOTHING = { devFlag: false, demo: false, demoSignIn: null, version: '', portal: null }

describe('boot data', () => {
  it.each([
    undefined,
    null,
    '',
    '{',
    '7',
    'null',
    '[]',
    '{"devFlag":"yes","demo":1,"demoSignIn":{"username":5},"version":3}',
  ])('has its defaults for %j', text => expect(parseBoot(text)).toEqual(NOTHING))

  it('reads what the server wrote', () => {
    expect(
      parseBoot(
        '{"devFlag":true,"demo":true,"demoSignIn":{"username":"demo","phone":"138","password":"p"},"version":"1.2.3"}',
      ),
    ).toEqual({
      devFlag: true,
      demo: true,
      demoSignIn: { username: 'demo', phone: '138', password: 'p' },
      version: '1.2.3',
      portal: null,
    })
    expect(parseBoot('{"demoSignIn":{"username":"demo"}}').demoSignIn).toEqual({ username: 'demo' })
  })
})

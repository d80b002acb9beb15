import { describe, expect, it } from 'vitest'
import { languageOf, ownPath, withoutLanguage } from './navigation.ts'

const origin = 'http://console.test'

describe('the path to return to', () => {
  it.each(['/manage/device', '/manage/device?q=a%20b&tab=2#x', '/manage/device/DeviceSet/DeviceCenter?id=1', '/'])(
    'follows the own path %j',
    path => expect(ownPath(path, origin)).toBe(path),
  )

  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    'https://evil.example/',
    'http:evil',
    'javascript:alert(1)',
    'data:text/html,x',
    ' /manage',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a\\..\\evil',
    '/..//evil.example',
    '/.//evil.example',
    'manage/device',
    '',
    null,
  ])('refuses %j', target => expect(ownPath(target, origin)).toBeNull())
})

describe('languages in the address', () => {
  it.each([
    ['/zh/manage/device?x=1', '/manage/device?x=1', 'zh'],
    ['/en', '/', 'en'],
    ['/en/', '/', 'en'],
    ['/zh?x=1', '/?x=1', 'zh'],
    ['/enterprise', '/enterprise', null],
    ['/zhx/manage', '/zhx/manage', null],
    ['/manage/en', '/manage/en', null],
  ] as const)('%s is %s in %s', (path, bare, language) => {
    expect(withoutLanguage(path)).toBe(bare)
    expect(languageOf(path)).toBe(language)
  })
})

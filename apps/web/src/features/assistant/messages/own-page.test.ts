import { expect, it } from 'vitest'
import { ownPage } from './own-page.ts'

it('only the pages of the console are linked', () => {
  for (const own of [
    '/manage/device',
    '/manage/device/DeviceSet/DeviceCenter?id=1&tab=history#x',
    '/admin/account?tab=assistant',
    '/index',
  ])
    expect(ownPage(own)).toBe(own)
  for (const other of [
    'https://evil.example/manage/device',
    '//evil.example/manage/device',
    '/\\evil.example/manage/device',
    '/\t/evil.example',
    '/manage/device\n',
    '/ /evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'manage/device',
    '#x',
    '/api/v1/devices',
    '/oauth/token',
    '/manage/device/../../api/v1/devices',
    '',
    null,
    undefined,
  ])
    expect(ownPage(other), String(other)).toBeNull()
})

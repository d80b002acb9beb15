import { expect, it } from 'vitest'
import en from './locales/en.json'
import { contextOf, startersOf } from './page-context.ts'

const ID = '019aa7b2-1c2d-7e3f-8a4b-5c6d7e8f9a0b'

it('knows the device or product that a page shows', () => {
  expect(contextOf('/manage/device/DeviceSet/DeviceCenter', `?id=${ID}&tab=live`)).toEqual({ kind: 'device', id: ID })
  expect(contextOf('/manage/product/ProductSet/ProductFormat', `?id=${ID}`)).toEqual({ kind: 'product', id: ID })
  expect(contextOf('/manage/device', `?id=${ID}`)).toBeNull()
  expect(contextOf('/manage/device/DeviceSet/DeviceCenter', '?id=new')).toBeNull()
  expect(contextOf('/manage/device/DeviceSet/DeviceCenter', '')).toBeNull()
})

it('has questions for pages, with words for each', () => {
  expect(startersOf('/manage/device/DeviceSet/DeviceCenter')).toBe('device')
  expect(startersOf('/manage/device')).toBe('devices')
  expect(startersOf('/admin/userlog')).toBe('logs')
  expect(startersOf('/index')).toBeNull()
  for (const path of [
    '/manage/device',
    '/manage/product',
    '/manage/role',
    '/develop/FirmwareUpdate',
    '/develop/DataSubscription',
    '/develop/LinkInterface',
    '/admin/member',
    '/admin/account',
    '/admin/security',
    '/admin/action',
  ])
    expect(Object.keys(en.starters.pages)).toContain(startersOf(path))
})

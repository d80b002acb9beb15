import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { describe, expect, it } from 'vitest'
import { entryKey, matchMenu } from './menu-match.ts'

const item = (path: string, children: MenuItem[] = []): MenuItem => ({
  id: path || `group of ${children.map(c => c.id).join()}`,
  name: '',
  ename: '',
  icon: '',
  path,
  sort: 1,
  idPath: '',
  jump: 0,
  order: 0,
  children,
})

const MENUS = [
  item('', [item('/stat/EnterpriseOverview'), item('/stat/DeviceMap')]),
  item('', [
    item('/manage/product'),
    item('/manage/device'),
    item('/manage/user'),
    item('/manage/user/center/alarm'),
    item('/manage/tel'),
  ]),
  item('', [item('/apply/WebApp'), item('/apply/WechatApp'), item('/apply/WechatApplet')]),
  item('', [item('/cost/account'), item('', [item('/cost/order')])]),
  item('', [item('/admin/account'), item('/admin/action'), item('/admin/userlog')]),
  item('', [item('/operator/tenants')]),
]

describe('the highlighted menu entry', () => {
  it.each([
    ['/stat/DeviceMap', '/stat/DeviceMap'],
    ['/manage/product', '/manage/product'],
    ['/manage/product/ProductSet/ProductSetInfo?id=1', '/manage/product'],
    ['/manage/device/DeviceSet/DeviceCenter?id=1#x', '/manage/device'],
    ['/manage/user', '/manage/user'],
    ['/manage/user/center/info', '/manage/user'],
    // The longest path wins.
    ['/manage/user/center/alarm', '/manage/user/center/alarm'],
    ['/manage/user/center/alarm?id=7', '/manage/user/center/alarm'],
    ['/apply/WechatApp', '/apply/WechatApp'],
    ['/apply/WechatApplet', '/apply/WechatApplet'],
    ['/apply/WechatApplet/WechatAppletAuthorize', '/apply/WechatApplet'],
    ['/cost/account/AccountAssets', '/cost/account'],
    ['/cost/order/detail', '/cost/order'],
    ['/admin/userlog', '/admin/userlog'],
    ['/operator/tenants/7', '/operator/tenants'],
  ])('of %s is %s', (path, expected) => expect(matchMenu(MENUS, path)?.id).toBe(expected))

  it.each(['/manage/products', '/manage/role', '/administration/account', '/index', '/', '/apply/Wechat'])(
    'of %s is none: segments are compared whole',
    path => expect(matchMenu(MENUS, path)).toBeNull(),
  )

  it('comes with the submenus that must be open', () => {
    expect(matchMenu(MENUS, '/cost/order')?.parents).toEqual([
      'group of /cost/account,group of /cost/order',
      'group of /cost/order',
    ])
  })

  it('does not mix areas that share a word', () => {
    expect(entryKey('/cost/account')).not.toBe(entryKey('/admin/account'))
    expect(entryKey('/manage/EnterpriseOverview')).toBe('manage/EnterpriseOverview')
  })
})

import { describe, expect, it } from 'vitest'
import { WEB_ROUTES, type WebRoute } from './web-routes.ts'

/** The flags as words, in the order of the table: auth head menu limits accountState alone ai. */
const flags = (r: WebRoute) =>
  [r.auth, r.head, r.menu, r.limits, r.accountState, r.alone, r.ai].map(f => (f ? 'yes' : 'no')).join(' ')

/** Written by hand from the table of the outside interfaces §5. */
const TABLE: Record<string, string[]> = {
  'no yes no yes no no yes': ['/', '/index'],
  'no yes no no no no yes': [
    '/alonePage/ApiInterfaceOpen',
    '/alonePage/FunctionsAndCharges',
    '/alonePage/AppDown',
    '/alonePage/TermsService',
  ],
  'yes yes yes no yes no yes': ['/alonePage/NoPermissio', '/system/menuList'],
  'yes yes no no no no yes': ['/alonePage/accountNotActivated'],
  'yes yes yes yes yes no yes': [
    '/stat/EnterpriseOverview',
    '/stat/DeviceMap',
    '/manage/product',
    '/manage/product/ProductSet',
    '/manage/product/ProductSet/ProductSetInfo',
    '/manage/product/ProductSet/ProductSetLink',
    '/manage/product/ProductSet/ProductFormat',
    '/manage/product/ProductSet/ProductSetOrder',
    '/manage/device',
    '/manage/device/DeviceSet',
    '/manage/device/DeviceSet/DeviceCenter',
    '/manage/device/DeviceSet/DeviceSetLink',
    '/manage/user',
    '/manage/user/center',
    '/manage/user/center/info',
    '/manage/user/center/trigger',
    '/manage/user/center/cloudConfig',
    '/manage/user/center/timedTasks',
    '/manage/user/center/alarm',
    '/manage/user',
    '/manage/user/center/info',
    '/manage/role',
    '/manage/tel',
    '/manage/ezviz',
    '/ChirpStack/DeviceProfiles',
    '/ChirpStack/DeviceProfiles/add',
    '/ChirpStack/DeviceProfiles/edit',
    '/ChirpStack/Gateways',
    '/ChirpStack/Gateways/add',
    '/ChirpStack/Gateways/edit',
    '/ChirpStack/Gateways/regionInfo',
    '/flowCard/CmccFlowCard',
    '/flowCard/CtccFlowCard',
    '/apply/WebApp',
    '/apply/WechatApp',
    '/apply/WechatApplet',
    '/apply/WechatApplet/info',
    '/apply/WechatApplet/WechatAppletAuthorize',
    '/develop/LinkInterface',
    '/develop/FirmwareUpdate',
    '/develop/DataSubscription',
    '/cost/account',
    '/cost/account/AccountAssets',
    '/cost/account/balance',
    '/cost/account/MsgOrVmsBuy',
    '/cost/account/MsgOrVmsRecord',
    '/cost/account/cardBuy',
    '/cost/account/cardInfo',
    '/cost/order',
    '/cost/order/detail',
    '/cost/consume',
    '/cost/recharge',
    '/invoice/InvoiceRequest',
    '/invoice/InvoiceList',
    '/invoice/InvoicingQualification',
    '/admin/account',
    '/admin/security',
    '/admin/member',
    '/admin/material',
    '/admin/address',
    '/admin/purchase',
    '/admin/alarme',
    '/admin/action',
    '/admin/userlog',
  ],
  'yes yes yes yes no no yes': [
    '/operator/companies',
    '/operator/approvals',
    '/operator/health',
    '/operator/jobs',
    '/operator/announcements',
    '/operator/money',
    '/operator/*',
  ],
  'no no no no no yes no': ['/page/:appSuffix', '/w/:suffix', '/w/:suffix/*', '/alonePage/Acknowledge'],
  'no yes no no no no no': ['*'],
}

const BUILT_NOW = [
  '/manage/ezviz',
  '/ChirpStack/DeviceProfiles',
  '/ChirpStack/DeviceProfiles/add',
  '/ChirpStack/DeviceProfiles/edit',
  '/ChirpStack/Gateways',
  '/ChirpStack/Gateways/add',
  '/ChirpStack/Gateways/edit',
  '/ChirpStack/Gateways/regionInfo',
  '/manage/user/center/cloudConfig',
  '/page/:appSuffix',
  '/apply/WebApp',
  '/apply/WechatApp',
  '/apply/WechatApplet/info',
  '/apply/WechatApplet/WechatAppletAuthorize',
  '/w/:suffix',
  '/w/:suffix/*',
  '/cost/account/AccountAssets',
  '/cost/account/balance',
  '/cost/account/MsgOrVmsBuy',
  '/cost/account/MsgOrVmsRecord',
  '/cost/account/cardBuy',
  '/cost/account/cardInfo',
  '/cost/order',
  '/cost/order/detail',
  '/cost/consume',
  '/cost/recharge',
  '/stat/DeviceMap',
  '/invoice/InvoiceRequest',
  '/invoice/InvoiceList',
  '/invoice/InvoicingQualification',
  '/admin/purchase',
  '/manage/user/center/trigger',
  '/manage/user/center/alarm',
  '/stat/EnterpriseOverview',
  '/develop/DataSubscription',
  '/develop/LinkInterface',
  '/flowCard/CmccFlowCard',
  '/flowCard/CtccFlowCard',
  '/manage/tel',
  '/admin/alarme',
  '/admin/address',
  '/admin/material',
  '/alonePage/Acknowledge',
  '/alonePage/TermsService',
  '/alonePage/AppDown',
  '/alonePage/FunctionsAndCharges',
  '/alonePage/ApiInterfaceOpen',
  '/index',
  '/alonePage/NoPermissio',
  '/alonePage/accountNotActivated',
  '/manage/product',
  '/manage/product/ProductSet/ProductSetInfo',
  '/manage/product/ProductSet/ProductSetLink',
  '/manage/product/ProductSet/ProductFormat',
  '/manage/device',
  '/manage/device/DeviceSet/DeviceCenter',
  '/manage/device/DeviceSet/DeviceSetLink',
  '/admin/account',
  '/admin/member',
  '/operator/companies',
  '/operator/approvals',
  '/operator/health',
  '/operator/jobs',
  '/operator/announcements',
  '/operator/money',
  '*',
]

describe('web routes', () => {
  it('holds the addresses of the table, each with its flags', () => {
    const found = new Map(WEB_ROUTES.map(route => [route.path, flags(route)]))
    for (const [word, paths] of Object.entries(TABLE))
      for (const path of paths) expect([path, found.get(path)]).toEqual([path, word])
  })

  it('closes what is not in the table to all but those of a company who may see it', () => {
    const known = new Set(Object.values(TABLE).flat())
    const others = WEB_ROUTES.filter(route => !known.has(route.path))
    expect(others.filter(route => flags(route) !== 'yes yes yes yes yes no yes').map(route => route.path)).toEqual([])
  })

  it('ends with the address of everything else', () => {
    expect(WEB_ROUTES.at(-1)?.path).toBe('*')
  })

  it('names every address once', () => {
    const paths = WEB_ROUTES.map(r => r.path)
    expect(new Set(paths).size).toBe(paths.length)
  })

  it('opens the menu editor only with the dev flag, and nothing else', () => {
    expect(WEB_ROUTES.filter(r => r.devOnly).map(r => r.path)).toEqual(['/system/menuList'])
  })

  it('sends parents without a page to their first child, which exists', () => {
    const parents = Object.fromEntries(WEB_ROUTES.filter(r => r.redirectTo).map(r => [r.path, r.redirectTo]))
    expect(parents).toEqual({
      '/': '/index',
      '/manage/product/ProductSet': '/manage/product/ProductSet/ProductSetInfo',
      '/manage/device/DeviceSet': '/manage/device/DeviceSet/DeviceCenter',
      '/manage/user/center': '/manage/user/center/info',
      '/apply/WechatApplet': '/apply/WechatApplet/info',
      '/cost/account': '/cost/account/AccountAssets',
    })
    for (const child of Object.values(parents)) expect(WEB_ROUTES.some(r => r.path === child)).toBe(true)
  })

  it('keeps what is built, built', () => {
    const pages = WEB_ROUTES.filter(r => r.built && !r.redirectTo).map(r => r.path)
    expect(pages).toEqual(expect.arrayContaining(BUILT_NOW))
  })
})

/**
 * Every address of the console with its flags (the specification's route table). Plain values that import nothing:
 * the browser's router and guard read them, the server knows from them which menu keys exist and which are built.
 */

import type { ModuleFacts } from './module.ts'
import { MODULES } from './modules.ts'

/** What the guard and the layout do with a route. */
export interface RouteFlags {
  /** true: signed-in people only; false: everybody. A route without it is blocked by the guard. */
  auth: boolean
  /** The header bar is shown. */
  head: boolean
  /** The side menu is shown (to signed-in people). */
  menu: boolean
  /** The route must be among the person's menu permissions. */
  limits: boolean
  /** The company account must be active. */
  accountState: boolean
  /** Stands alone: no layout at all. */
  alone: boolean
  /** The assistant may be offered. */
  ai: boolean
}

export interface WebRoute extends RouteFlags {
  /** The address, `:name` for a parameter and `*` for any rest; at the same time the key of the menu permission. */
  path: string
  /** Has a page: of the table itself, or of the module that names the address. Every one has. */
  built: boolean
  /** A parent without a page of its own: the address of its first child. */
  redirectTo?: string
  /** Reachable only with the dev flag. */
  devOnly?: true
}

const PUBLIC: RouteFlags = {
  auth: false,
  head: true,
  menu: false,
  limits: false,
  accountState: false,
  alone: false,
  ai: true,
}
const CONSOLE: RouteFlags = {
  auth: true,
  head: true,
  menu: true,
  limits: true,
  accountState: true,
  alone: false,
  ai: true,
}

const built = (path: string): WebRoute => ({ path, ...CONSOLE, built: true })
const planned = (path: string): WebRoute => ({ path, ...CONSOLE, built: false })
/** Built as soon as its first child is. */
const parent = (path: string, firstChild: string): WebRoute => ({
  path,
  ...CONSOLE,
  built: false,
  redirectTo: `${path}/${firstChild}`,
})

const TABLE: readonly WebRoute[] = [
  { path: '/', ...PUBLIC, limits: true, built: true, redirectTo: '/index' },
  { path: '/index', ...PUBLIC, limits: true, built: true },
  { path: '/alonePage/ApiInterfaceOpen', ...PUBLIC, built: true },
  { path: '/alonePage/FunctionsAndCharges', ...PUBLIC, built: true },
  { path: '/alonePage/AppDown', ...PUBLIC, built: true },
  { path: '/alonePage/TermsService', ...PUBLIC, built: true },
  // The way from a message about an alarm: for whoever holds its link, on a phone as well.
  { path: '/alonePage/Acknowledge', ...PUBLIC, head: false, alone: true, ai: false, built: true },
  { path: '/alonePage/NoPermissio', ...CONSOLE, limits: false, built: true },
  {
    path: '/alonePage/accountNotActivated',
    ...CONSOLE,
    menu: false,
    limits: false,
    accountState: false,
    built: true,
  },
  { path: '/system/menuList', ...CONSOLE, limits: false, built: true, devOnly: true },

  built('/stat/EnterpriseOverview'),
  built('/stat/DeviceMap'),

  built('/manage/product'),
  parent('/manage/product/ProductSet', 'ProductSetInfo'),
  built('/manage/product/ProductSet/ProductSetInfo'),
  built('/manage/product/ProductSet/ProductSetLink'),
  built('/manage/product/ProductSet/ProductFormat'),
  built('/manage/product/ProductSet/ProductSetOrder'),
  built('/manage/device'),
  parent('/manage/device/DeviceSet', 'DeviceCenter'),
  built('/manage/device/DeviceSet/DeviceCenter'),
  built('/manage/device/DeviceSet/DeviceSetLink'),
  planned('/manage/user'),
  parent('/manage/user/center', 'info'),
  planned('/manage/user/center/info'),
  planned('/manage/user/center/trigger'),
  planned('/manage/user/center/cloudConfig'),
  planned('/manage/user/center/timedTasks'),
  planned('/manage/user/center/alarm'),
  built('/manage/role'),
  planned('/manage/tel'),
  planned('/manage/ezviz'),

  planned('/ChirpStack/DeviceProfiles'),
  planned('/ChirpStack/DeviceProfiles/add'),
  planned('/ChirpStack/DeviceProfiles/edit'),
  planned('/ChirpStack/Gateways'),
  planned('/ChirpStack/Gateways/add'),
  planned('/ChirpStack/Gateways/edit'),
  planned('/ChirpStack/Gateways/regionInfo'),

  planned('/flowCard/CmccFlowCard'),
  planned('/flowCard/CtccFlowCard'),

  planned('/apply/WebApp'),
  planned('/apply/WechatApp'),
  parent('/apply/WechatApplet', 'info'),
  planned('/apply/WechatApplet/info'),
  planned('/apply/WechatApplet/WechatAppletAuthorize'),

  built('/develop/LinkInterface'),
  built('/develop/FirmwareUpdate'),
  planned('/develop/DataSubscription'),

  parent('/cost/account', 'AccountAssets'),
  planned('/cost/account/AccountAssets'),
  planned('/cost/account/balance'),
  planned('/cost/account/MsgOrVmsBuy'),
  planned('/cost/account/MsgOrVmsRecord'),
  planned('/cost/account/cardBuy'),
  planned('/cost/account/cardInfo'),
  planned('/cost/order'),
  planned('/cost/order/detail'),
  planned('/cost/consume'),
  planned('/cost/recharge'),

  planned('/invoice/InvoiceRequest'),
  planned('/invoice/InvoiceList'),
  planned('/invoice/InvoicingQualification'),

  built('/admin/account'),
  built('/admin/security'),
  built('/admin/member'),
  planned('/admin/material'),
  planned('/admin/address'),
  planned('/admin/purchase'),
  planned('/admin/alarme'),
  built('/admin/action'),
  built('/admin/userlog'),

  // Operators of the platform only: their own menu permissions are the only ones that hold this key.
  { ...built('/operator/companies'), accountState: false },
  { ...built('/operator/approvals'), accountState: false },
  { ...built('/operator/health'), accountState: false },
  { ...built('/operator/jobs'), accountState: false },
  { ...built('/operator/announcements'), accountState: false },
  { ...built('/operator/money'), accountState: false },
  // What operators ask for and is not there is answered by the page that says so.
  { ...built('/operator/*'), accountState: false },
  // The portal of a company for its end users: on a phone as well, in that company's looks.
  { path: '/w/:suffix', ...PUBLIC, head: false, alone: true, ai: false, built: true },
  { path: '/w/:suffix/*', ...PUBLIC, head: false, alone: true, ai: false, built: true },
  // Served by a program of its own; the console only sends people there.
  { path: '/page/:appSuffix', ...PUBLIC, head: false, alone: true, ai: false, built: true },
  { path: '*', ...PUBLIC, ai: false, built: true },
]

/** Where pages of modules stand that the table does not announce: before those of the platform. */
const BEFORE = '/operator/companies'

const ofModules = new Set((MODULES as readonly ModuleFacts[]).flatMap(({ pages = {} }) => Object.keys(pages)))
const announced = new Set(TABLE.map(route => route.path))
const ready = TABLE.map(route => (ofModules.has(route.path) ? { ...route, built: true } : route))
const isReady = (path: string) => ready.some(route => route.path === path && route.built)

/** The specification's table of addresses, and the pages that modules add to it. */
export const WEB_ROUTES: readonly WebRoute[] = ready.flatMap(route => [
  ...(route.path === BEFORE ? [...ofModules].filter(path => !announced.has(path)).map(built) : []),
  route.redirectTo ? { ...route, built: route.built || isReady(route.redirectTo) } : route,
])

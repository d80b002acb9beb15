import type { ModuleFacts, ModuleRole } from './module.ts'
import { MODULES } from './modules.ts'

const OF_THE_COMPANY = [
  'product:read',
  'product:write',
  'product:delete',
  'device:read',
  'device:write',
  'device:delete',
  'device:secret',
  'device:command',
  'telemetry:read',
  'telemetry:export',
  'group:read',
  'group:write',
  'role:read',
  'role:write',
  'member:read',
  'member:write',
  'company:read',
  'company:write',
  'company:export',
  'security:write',
  'firmware:read',
  'firmware:write',
  'firmware:deploy',
  'developer:read',
  'api-key:write',
  'audit:read',
  'audit:export',
  'user-log:read',
] as const
/** What nobody of a company may do, whatever his role: rights of the platform's own people. */
const OF_THE_PLATFORM = ['announcement:write', 'menu:write', 'operator:use', 'operator:write'] as const

type RightsOf<M> = M extends { rights: readonly (infer R)[] } ? R : never
export type Permission =
  | (typeof OF_THE_COMPANY)[number]
  | RightsOf<(typeof MODULES)[number]>
  | (typeof OF_THE_PLATFORM)[number]

const FACTS: readonly ModuleFacts[] = MODULES
const rightsIn = (part: 'rights' | 'notForApiKeys' | 'ownersOwn') =>
  FACTS.flatMap(module => module[part] ?? []) as Permission[]

/** Every right there is. A role holds a list of them; `*` in a role means all. */
export const PERMISSIONS: readonly Permission[] = [...OF_THE_COMPANY, ...rightsIn('rights'), ...OF_THE_PLATFORM]

/**
 * Rights that no API key can be given: what decides who may do what, what is a person's own step, and the platform's desk.
 * A key that leaks must not be able to make itself others, or people.
 */
export const NOT_FOR_API_KEYS: readonly Permission[] = [
  'api-key:write',
  'member:write',
  'role:write',
  'security:write',
  'company:write',
  'company:export',
  'menu:write',
  'announcement:write',
  'operator:use',
  'operator:write',
  ...rightsIn('notForApiKeys'),
]

/** Everything behind a list: its key is its address, and the details of what it shows belong to it. */
const PRODUCT_PAGES = [
  '/manage/product',
  '/manage/product/ProductSet/ProductSetInfo',
  '/manage/product/ProductSet/ProductSetLink',
  '/manage/product/ProductSet/ProductFormat',
  '/manage/product/ProductSet/ProductSetOrder',
] as const
const DEVICE_PAGES = [
  '/manage/device',
  '/manage/device/DeviceSet/DeviceCenter',
  '/manage/device/DeviceSet/DeviceSetLink',
] as const
const STATISTICS_PAGES = ['/stat/EnterpriseOverview', '/stat/DeviceMap'] as const
const USER_PAGES = [
  '/manage/user',
  '/manage/user/center/info',
  '/manage/user/center/trigger',
  '/manage/user/center/cloudConfig',
  '/manage/user/center/timedTasks',
  '/manage/user/center/alarm',
] as const
const COST_PAGES = [
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
  '/admin/purchase',
] as const

/** What stays with the owner: the company's whole data in one file, and the rules of sign-in. */
const OWNERS_OWN: readonly Permission[] = ['company:export', 'security:write', ...rightsIn('ownersOwn')]

const NOT_OF_ADMINISTRATORS: readonly Permission[] = [...OF_THE_PLATFORM, ...OWNERS_OWN]
const administrator = PERMISSIONS.filter(permission => !NOT_OF_ADMINISTRATORS.includes(permission))

/** What the modules give a role. */
const ofModules = (role: ModuleRole) => FACTS.flatMap(module => module.roles?.[role] ?? []) as Permission[]
/** Pages of the modules that a role sees, without those that stand in its list. */
const pagesFor = (role: ModuleRole, listed: readonly string[]) => [
  ...new Set([
    ...listed,
    ...FACTS.flatMap(({ pages = {} }) => Object.keys(pages).filter(path => pages[path]!.includes(role))),
  ]),
]

/**
 * Rights of the built-in roles, which every company has, can copy and cannot change. Operators of the platform get
 * theirs beside these. Built-in roles show the whole company; a narrower data scope is chosen in a copy.
 */
export const BUILTIN_ROLES = {
  owner: { name: '所有者', ename: 'Owner', permissions: ['*'], menuKeys: ['*'] },
  administrator: { name: '管理员', ename: 'Administrator', permissions: administrator, menuKeys: ['*'] },
  operations: {
    name: '运维',
    ename: 'Operations',
    permissions: [
      'product:read',
      'device:read',
      'device:write',
      'device:command',
      'telemetry:read',
      'telemetry:export',
      'group:read',
      'group:write',
      'firmware:read',
      'firmware:write',
      'firmware:deploy',
      ...ofModules('operations'),
    ],
    menuKeys: pagesFor('operations', [
      ...STATISTICS_PAGES,
      ...PRODUCT_PAGES,
      ...DEVICE_PAGES,
      ...USER_PAGES,
      '/manage/tel',
      '/manage/ezviz',
      '/flowCard/CmccFlowCard',
      '/flowCard/CtccFlowCard',
      '/develop/FirmwareUpdate',
      '/admin/alarme',
    ]),
  },
  finance: {
    name: '财务',
    ename: 'Finance',
    permissions: ['company:read', 'audit:read', ...ofModules('finance')],
    menuKeys: pagesFor('finance', ['/stat/EnterpriseOverview', ...COST_PAGES, '/admin/account', '/admin/action']),
  },
  developer: {
    name: '开发',
    ename: 'Developer',
    permissions: [
      'product:read',
      'product:write',
      'device:read',
      'device:write',
      'device:secret',
      'device:command',
      'telemetry:read',
      'telemetry:export',
      'group:read',
      'group:write',
      'firmware:read',
      'firmware:write',
      'firmware:deploy',
      'developer:read',
      'api-key:write',
      ...ofModules('developer'),
    ],
    menuKeys: pagesFor('developer', [
      ...STATISTICS_PAGES,
      ...PRODUCT_PAGES,
      ...DEVICE_PAGES,
      '/apply/WebApp',
      '/apply/WechatApp',
      '/apply/WechatApplet/info',
      '/apply/WechatApplet/WechatAppletAuthorize',
      '/develop/LinkInterface',
      '/develop/FirmwareUpdate',
    ]),
  },
  read_only: {
    name: '只读',
    ename: 'Read only',
    permissions: [
      'product:read',
      'device:read',
      'telemetry:read',
      'group:read',
      'firmware:read',
      ...ofModules('read_only'),
    ],
    menuKeys: pagesFor('read_only', [
      ...STATISTICS_PAGES,
      ...PRODUCT_PAGES,
      ...DEVICE_PAGES,
      '/develop/FirmwareUpdate',
    ]),
  },
  support: {
    name: '客服',
    ename: 'Support',
    permissions: [
      'product:read',
      'device:read',
      'device:command',
      'telemetry:read',
      'group:read',
      'user-log:read',
      ...ofModules('support'),
    ],
    menuKeys: pagesFor('support', [...STATISTICS_PAGES, ...DEVICE_PAGES, ...USER_PAGES, '/admin/userlog']),
  },
} satisfies Record<
  string,
  { name: string; ename: string; permissions: readonly (Permission | '*')[]; menuKeys: readonly string[] }
>

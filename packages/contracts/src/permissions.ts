/** Every right there is. A role holds a list of them; `*` in a role means all. */
export const PERMISSIONS = [
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
  'audit:read',
  'menu:write',
  'operator:use',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** Rights of a built-in role. Operators of the platform get theirs beside these. */
export const BUILTIN_ROLES = {
  owner: { name: '所有者', ename: 'Owner', permissions: ['*'], menuKeys: ['*'] },
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
    ],
    menuKeys: ['*'],
  },
  read_only: {
    name: '只读',
    ename: 'Read only',
    permissions: ['product:read', 'device:read', 'telemetry:read', 'group:read'],
    // A page's key is its address: the details of what the lists show belong to it.
    menuKeys: [
      '/manage/product',
      '/manage/product/ProductSet/ProductSetInfo',
      '/manage/product/ProductSet/ProductSetLink',
      '/manage/product/ProductSet/ProductFormat',
      '/manage/device',
      '/manage/device/DeviceSet/DeviceCenter',
      '/manage/device/DeviceSet/DeviceSetLink',
    ],
  },
} as const satisfies Record<
  string,
  { name: string; ename: string; permissions: readonly (Permission | '*')[]; menuKeys: readonly string[] }
>

/** What an end user may be granted, by himself or through his package. `view` comes with every other. */
export const END_USER_RIGHTS = [
  'view',
  'control',
  'triggers',
  'tasks',
  'pages',
  'devices',
  'video',
  'sim',
  'export',
  'api',
  'users',
  'branding',
] as const
export type EndUserRight = (typeof END_USER_RIGHTS)[number]

/** Of an end user who is made with neither package nor rights: he sees his devices and switches them. */
export const USUAL_RIGHTS: readonly EndUserRight[] = ['view', 'control']

/** In the order of what stands in the way: a frozen one who has expired too is frozen. */
export const END_USER_STATES = ['active', 'invited', 'frozen', 'expired'] as const
export type EndUserState = (typeof END_USER_STATES)[number]

/** Bytes of an end user's own materials where neither he nor his package has a quota: 100 MB. */
export const END_USER_MEDIA_BYTES = 100 * 1024 * 1024

/** Levels of the tree: customer, customer's customer … */
export const END_USER_LEVELS = 5
/** Devices that one request assigns, takes back or hands over at once; more are a task of the task centre. */
export const HANDOVER_AT_ONCE = 500
export const HANDOVER_MOST = 100_000

/**
 * What a right of an end user means: rights of routes, and pages of the console. Words of areas that are not part of this
 * version grant nothing.
 */
export const END_USER_GRANTS: Readonly<
  Record<EndUserRight, { readonly permissions: readonly string[]; readonly pages: readonly string[] }>
> = {
  view: {
    permissions: [
      'product:read',
      'device:read',
      'telemetry:read',
      'alarm:read',
      'trigger:read',
      'timed-task:read',
      'contact:read',
      'contact:write',
    ],
    pages: [
      '/stat/DeviceMap',
      '/manage/device',
      '/manage/device/DeviceSet/DeviceCenter',
      '/manage/user/center/info',
      '/manage/user/center/trigger',
      '/manage/user/center/alarm',
      '/admin/security',
    ],
  },
  control: { permissions: ['device:command', 'alarm:acknowledge', 'alarm:handle'], pages: [] },
  triggers: { permissions: ['trigger:write'], pages: [] },
  tasks: { permissions: ['timed-task:write'], pages: ['/manage/user/center/timedTasks'] },
  pages: {
    // Pictures of his pages are materials of his own.
    permissions: ['page:read', 'page:write', 'media:read', 'media:write', 'media:delete'],
    pages: ['/manage/user/center/cloudConfig', '/admin/material'],
  },
  devices: { permissions: ['device:write'], pages: [] },
  video: { permissions: ['video:read'], pages: ['/manage/ezviz'] },
  sim: { permissions: ['sim-traffic:read'], pages: [] },
  export: { permissions: ['telemetry:export'], pages: [] },
  api: { permissions: ['developer:read', 'api-key:write'], pages: [] },
  users: { permissions: ['end-user:read', 'end-user:write'], pages: ['/manage/user'] },
  branding: { permissions: [], pages: [] },
}

/** Every page that an end user can be given, in the order of the menu. */
export const END_USER_PAGES: readonly string[] = [
  ...new Set(END_USER_RIGHTS.flatMap(right => END_USER_GRANTS[right].pages)),
]
/** What everybody who signs in reaches: his own profile, password and sessions. */
export const END_USER_OWN_PAGES: readonly string[] = ['/manage/user/center/info', '/admin/security']

/** The rights in their own order, with `view` where there is any. */
export function wholeRights(rights: readonly string[]): EndUserRight[] {
  return END_USER_RIGHTS.filter(right => rights.includes(right) || (right === 'view' && rights.length > 0))
}

/** Words of routes' rights that these give. */
export function permissionsOfRights(rights: readonly EndUserRight[]): string[] {
  return [...new Set(rights.flatMap(right => END_USER_GRANTS[right].permissions))]
}

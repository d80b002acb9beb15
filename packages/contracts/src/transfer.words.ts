/** In the order in which they are brought in: what is referred to comes first. */
export const TRANSFER_KINDS = [
  'settings',
  'groups',
  'products',
  'roles',
  'devices',
  'pages',
  'alarm_levels',
  'geofences',
  'triggers',
  'trigger_presets',
  'members',
  'materials',
] as const

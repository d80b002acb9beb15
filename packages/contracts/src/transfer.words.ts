/** Kinds that modules bring by themselves (lib/transfer-source.ts of the server). */
export const FURTHER_KINDS = [
  'calendars',
  'scenes',
  'timed_tasks',
  'message_templates',
  'user_packages',
  'tariffs',
  'reports',
  'portals',
  'official_accounts',
  'lora_links',
  'telecom_links',
  'connections',
] as const
export type FurtherKind = (typeof FURTHER_KINDS)[number]

/** In the order in which they are brought in: what is referred to comes first. */
export const TRANSFER_KINDS = [
  'settings',
  'groups',
  'products',
  'roles',
  'devices',
  'materials',
  'pages',
  'alarm_levels',
  'geofences',
  'triggers',
  'trigger_presets',
  ...FURTHER_KINDS,
  'members',
] as const

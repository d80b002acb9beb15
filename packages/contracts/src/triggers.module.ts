import type { ModuleFacts } from './module.ts'

export const triggersModule = {
  rights: ['trigger:read', 'trigger:write'],
  roles: {
    operations: ['trigger:read', 'trigger:write'],
    developer: ['trigger:read', 'trigger:write'],
    read_only: ['trigger:read'],
    support: ['trigger:read'],
  },
  pages: { '/manage/user/center/trigger': ['operations', 'developer', 'read_only', 'support'] },
  errors: {
    'trigger_preset.not_found': 404,
    'trigger_preset.name_taken': 409,
    'trigger_preset.empty': 422,
    'trigger_preset.limit': 409,
    'trigger_preset.product_unknown': 422,
  },
  found: ['trigger'],
} as const satisfies ModuleFacts

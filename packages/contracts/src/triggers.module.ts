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
  found: ['trigger'],
} as const satisfies ModuleFacts

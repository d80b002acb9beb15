import type { ModuleFacts } from './module.ts'

export const subscriptionsModule = {
  rights: ['subscription:read', 'subscription:write'],
  roles: { developer: ['subscription:read', 'subscription:write'] },
  pages: { '/develop/DataSubscription': ['developer'] },
} as const satisfies ModuleFacts

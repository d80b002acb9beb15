import type { ModuleFacts } from './module.ts'

export const mediaModule = {
  rights: ['media:read', 'media:write', 'media:delete'],
  roles: { operations: ['media:read'], developer: ['media:read', 'media:write'] },
  pages: { '/admin/material': ['operations', 'developer'] },
} as const satisfies ModuleFacts

import type { ModuleFacts } from './module.ts'

export const addressesModule = {
  rights: ['address:read', 'address:write'],
  roles: {
    operations: ['address:read'],
    finance: ['address:read', 'address:write'],
    support: ['address:read'],
  },
  pages: { '/admin/address': ['operations', 'finance', 'support'] },
} as const satisfies ModuleFacts

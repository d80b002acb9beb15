import type { ModuleFacts } from './module.ts'

export const contactsModule = {
  rights: ['contact:read', 'contact:write'],
  roles: {
    operations: ['contact:read', 'contact:write'],
    developer: ['contact:read', 'contact:write'],
    read_only: ['contact:read'],
  },
  pages: {
    '/admin/alarme': ['operations', 'developer', 'read_only'],
  },
  errors: {
    'contact.not_found': 404,
    'contact.email_taken': 409,
    'contact.code_wrong': 422,
    'contact.code_too_soon': 429,
    'contact.mail_failed': 502,
  },
  found: ['contact'],
} as const satisfies ModuleFacts

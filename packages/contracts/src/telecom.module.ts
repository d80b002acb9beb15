import type { ModuleFacts } from './module.ts'

export const telecomModule = {
  rights: ['telecom-key:read', 'telecom-key:write'],
  roles: {
    operations: ['telecom-key:read'],
    developer: ['telecom-key:read', 'telecom-key:write'],
    read_only: ['telecom-key:read'],
    support: ['telecom-key:read'],
  },
  pages: { '/manage/tel': ['operations', 'developer', 'read_only', 'support'] },
  errors: {
    'telecom_key.not_found': 404,
    'telecom_key.name_taken': 409,
    'telecom_key.limit': 409,
    'telecom_key.in_use': 409,
    'telecom_key.secret_missing': 422,
    'telecom_key.secret_form': 422,
    'telecom_key.address_blocked': 422,
    'telecom_key.source_invalid': 422,
    'telecom_key.disabled': 409,
    'telecom_key.product_missing': 422,
    'telecom_key.refused': 502,
    'telecom_link.not_nbiot': 409,
    'telecom_link.product_taken': 409,
    'telecom_link.master_key_missing': 422,
    'telecom_link.missing': 409,
    'telecom_link.imei_taken': 409,
    'telecom_link.imei_missing': 422,
    'telecom_callback.refused': 403,
    'telecom_callback.later': 503,
  },
  found: ['telecom_key'],
} as const satisfies ModuleFacts

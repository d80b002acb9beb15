import type { ModuleFacts } from './module.ts'

/** Lists, the overview, telemetry and cloud pages as files that are mailed on a schedule. */
export const reportsModule = {
  rights: ['report:read', 'report:write'],
  roles: {
    operations: ['report:read', 'report:write'],
    finance: ['report:read', 'report:write'],
    developer: ['report:read', 'report:write'],
    read_only: ['report:read'],
    support: ['report:read'],
  },
  pages: {
    '/stat/reports': ['operations', 'finance', 'developer', 'read_only', 'support'],
  },
  errors: {
    'report.not_found': 404,
    'report.limit': 409,
    'report.invalid': 422,
    'report.field_missing': 422,
    'report.column_unknown': 422,
    'report.filter_unknown': 422,
    'report.device_unknown': 422,
    'report.property_unknown': 422,
    'report.page_unknown': 422,
    'report.page_unpublished': 422,
    'report.no_period': 422,
    'report.period_missing': 422,
    'report.one_time': 422,
    'report.recipient_unknown': 422,
    'report.address_unverified': 422,
    'report.too_many_rows': 422,
    'report.owner_gone': 409,
    'report.too_late': 409,
    'report.stopped': 409,
    'report.mail_failed': 502,
    'report.recipient_gone': 409,
  },
  found: ['report'],
} as const satisfies ModuleFacts

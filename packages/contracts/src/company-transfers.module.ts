import type { ModuleFacts } from './module.ts'

/** Devices that go to another company of the installation. */
export const companyTransfersModule = {
  rights: ['company-transfer:read', 'company-transfer:write'],
  // Devices that leave the company do not come back by themselves: a person's own step.
  notForApiKeys: ['company-transfer:write'],
  roles: {
    operations: ['company-transfer:read'],
    read_only: ['company-transfer:read'],
    support: ['company-transfer:read'],
  },
  pages: {
    '/manage/company-transfers': ['operations', 'read_only', 'support'],
  },
  found: ['company_transfer'],
  errors: {
    'company_transfer.not_found': 404,
    'company_transfer.code_unknown': 404,
    'company_transfer.empty': 422,
    'company_transfer.too_many': 422,
    'company_transfer.link_type': 422,
    'company_transfer.offered': 409,
    'company_transfer.product_missing': 422,
    'company_transfer.product_differs': 422,
    'company_transfer.not_open': 409,
    'company_transfer.own': 409,
    'device.left': 409,
  },
} as const satisfies ModuleFacts

import type { ModuleFacts } from './module.ts'

/** The money of a company: what it has, what it was charged. */
export const walletsModule = {
  rights: ['money:read', 'money:write'],
  roles: { finance: ['money:read', 'money:write'] },
  pages: {
    '/cost/account/AccountAssets': ['finance'],
    '/cost/account/balance': ['finance'],
    '/cost/account/MsgOrVmsRecord': ['finance'],
    '/cost/consume': ['finance'],
  },
  errors: {
    'wallet.insufficient': 409,
    'wallet.amount_invalid': 422,
    'wallet.statement_month': 422,
    'units.insufficient': 409,
  },
} as const satisfies ModuleFacts

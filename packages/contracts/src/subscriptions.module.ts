import type { ModuleFacts } from './module.ts'

export const subscriptionsModule = {
  rights: ['subscription:read', 'subscription:write'],
  roles: { developer: ['subscription:read', 'subscription:write'] },
  errors: {
    'subscription.not_found': 404,
    'subscription.limit': 409,
    'subscription.name_taken': 409,
    'subscription.filter_invalid': 422,
    'subscription.target_not_available': 422,
    'subscription.target_invalid': 422,
    'subscription.target_kind_fixed': 422,
    'subscription.secret_needed': 422,
    'subscription.template_invalid': 422,
    'subscription.no_secret': 409,
    'subscription.not_pull': 409,
    'subscription.cursor_ahead': 422,
    'subscription.replay_nothing': 422,
  },
  pages: { '/develop/DataSubscription': ['developer'] },
} as const satisfies ModuleFacts

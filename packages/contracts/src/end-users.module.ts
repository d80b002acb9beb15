import type { ModuleFacts } from './module.ts'

export const endUsersModule = {
  rights: ['end-user:read', 'end-user:write', 'end-user:enter'],
  // A program makes customers and gives them devices; to work as one of them is a person's own step.
  notForApiKeys: ['end-user:enter'],
  roles: {
    operations: ['end-user:read', 'end-user:write', 'end-user:enter'],
    support: ['end-user:read', 'end-user:write', 'end-user:enter'],
    read_only: ['end-user:read'],
  },
  pages: {
    '/manage/user': ['operations', 'support', 'read_only'],
    '/manage/user/center/info': ['operations', 'support', 'read_only'],
  },
  found: ['end_user'],
  errors: {
    'end_user.not_found': 404,
    'end_user.username_taken': 409,
    'end_user.phone_taken': 409,
    'end_user.email_taken': 409,
    'end_user.parent_circular': 422,
    'end_user.too_deep': 422,
    'end_user.beyond_own': 403,
    'end_user.yourself': 409,
    'end_user.state_invalid': 409,
    'end_user.has_sub_users': 409,
    'end_user.quota_exceeded': 409,
    'end_user.device_twice': 422,
    'end_user.not_his': 422,
    'end_user.same_owner': 422,
    'end_user.expired': 403,
    'user_package.not_found': 404,
    'user_package.name_taken': 409,
    'user_package.in_use': 409,
  },
} as const satisfies ModuleFacts

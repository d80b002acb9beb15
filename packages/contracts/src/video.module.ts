import type { ModuleFacts } from './module.ts'

/** Cameras: EZVIZ accounts, channels, live pictures, turning, snapshots. */
export const videoModule = {
  rights: ['video:read', 'video:write', 'video:control', 'video:configure'],
  roles: {
    operations: ['video:read', 'video:write', 'video:control'],
    developer: ['video:read'],
    read_only: ['video:read'],
    support: ['video:read', 'video:control'],
  },
  pages: { '/manage/ezviz': ['operations', 'developer', 'read_only', 'support'] },
  found: ['video_channel'],
  errors: {
    'video.account_not_found': 404,
    'video.account_name_taken': 409,
    'video.account_disabled': 409,
    'video.address_blocked': 422,
    'video.limit': 409,
    'video.not_found': 404,
    'video.device_unknown': 422,
    'video.no_vendor': 409,
    'video.vendor': 502,
    'video.vendor_unreachable': 502,
    'video.account_refused': 502,
    'video.code_wrong': 422,
    'video.device_of_other': 409,
    'video.serial_wrong': 422,
    'video.offline': 409,
    'video.code_needed': 409,
    'video.no_ptz': 409,
    'video.stream_kind': 422,
    'video.stream_ended': 410,
    'video.period': 422,
    'video.too_often': 429,
    'video.preset_not_found': 404,
    'video.picture_not_found': 404,
  },
} as const satisfies ModuleFacts

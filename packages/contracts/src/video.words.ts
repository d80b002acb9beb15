/** Where a channel comes from: a device of an EZVIZ account, or an address that was typed in. */
export const VIDEO_SOURCES = ['ezviz', 'address'] as const
export const VIDEO_STATES = ['online', 'offline', 'unknown'] as const
export const PTZ_DIRECTIONS = [
  'up',
  'down',
  'left',
  'right',
  'up_left',
  'down_left',
  'up_right',
  'down_right',
  'zoom_in',
  'zoom_out',
] as const
export type PtzDirection = (typeof PTZ_DIRECTIONS)[number]
export const PTZ_SPEEDS = ['slow', 'medium', 'fast'] as const
export type PtzSpeed = (typeof PTZ_SPEEDS)[number]
export const STREAM_KINDS = ['hls', 'flv'] as const
export const PLAYBACK_SOURCES = ['local', 'cloud'] as const

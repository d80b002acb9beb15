/** Shapes of geofences, in the order in which they are offered. */
export const FENCE_KINDS = ['circle', 'polygon'] as const
export type FenceKind = (typeof FENCE_KINDS)[number]

export const FENCE_LIMITS = {
  /** Metres: half way round the earth holds everything. */
  radius: 20_000_000,
  points: 500,
  /** Geofences of one company. */
  fences: 2_000,
} as const

/** How a trigger asks for a geofence: a state that lasts, or a crossing that lasts until the way back. */
export const FENCE_STATES = ['enter', 'leave', 'inside', 'outside'] as const
export type FenceState = (typeof FENCE_STATES)[number]

/** The first is what a new fence has. */
export const FENCE_COLOURS = ['#1677ff', '#52c41a', '#fa8c16', '#f5222d', '#722ed1', '#13c2c2'] as const

/** Topics of the live socket (interfaces.md §3), with the right each needs. Plain values, used on both sides. */
export const LIVE_TOPICS = [
  { pattern: 'device/{id}/properties', permission: 'telemetry:read' },
  { pattern: 'device/{id}/state', permission: 'device:read' },
  { pattern: 'device/{id}/commands', permission: 'device:read' },
  { pattern: 'device/{id}/messages', permission: 'telemetry:read' },
  { pattern: 'devices/state', permission: 'device:read' },
] as const

export type LiveTopicPattern = (typeof LIVE_TOPICS)[number]['pattern']

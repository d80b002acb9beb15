/** Topics of the live socket (interfaces.md §3), with the right each needs (`signed-in`: none). Plain values, used on both sides. */
export const LIVE_TOPICS = [
  { pattern: 'device/{id}/properties', permission: 'telemetry:read' },
  { pattern: 'device/{id}/state', permission: 'device:read' },
  { pattern: 'device/{id}/commands', permission: 'device:read' },
  { pattern: 'device/{id}/messages', permission: 'telemetry:read' },
  // Bytes as they cross the connection, each an object of its own; the snapshot holds the last 100.
  { pattern: 'device/{id}/frames', permission: 'telemetry:read' },
  { pattern: 'devices/state', permission: 'device:read' },
  // Says only that inboxes of the company changed; whoever hears it asks for his own.
  { pattern: 'inbox', permission: 'signed-in' },
  // The tasks that the caller started: their state and progress.
  { pattern: 'tasks', permission: 'signed-in' },
  // The caller's rights, data scope or roles changed: his console asks for them anew.
  { pattern: 'me', permission: 'signed-in' },
  // The installation's menu changed.
  { pattern: 'menus', permission: 'signed-in' },
] as const

export type LiveTopicPattern = (typeof LIVE_TOPICS)[number]['pattern']

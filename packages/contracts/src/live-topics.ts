import type { ModuleFacts } from './module.ts'
import { MODULES } from './modules.ts'
import type { Permission } from './permissions.ts'

const OWN = [
  { pattern: 'device/{id}/properties', permission: 'telemetry:read' },
  { pattern: 'device/{id}/state', permission: 'device:read' },
  { pattern: 'device/{id}/commands', permission: 'device:read' },
  { pattern: 'device/{id}/messages', permission: 'telemetry:read' },
  // Bytes as they cross the connection, each an object of its own; the snapshot holds the last 100.
  { pattern: 'device/{id}/frames', permission: 'telemetry:read' },
  { pattern: 'devices/state', permission: 'device:read' },
  // The caller's rights, data scope or roles changed: his console asks for them anew.
  { pattern: 'me', permission: 'signed-in' },
] as const

type TopicsOf<M> = M extends { live: readonly { pattern: infer P }[] } ? P : never
export type LiveTopicPattern = (typeof OWN)[number]['pattern'] | TopicsOf<(typeof MODULES)[number]>

export interface LiveTopicRow {
  pattern: LiveTopicPattern
  permission: Permission | 'signed-in'
}

const ofModules = (MODULES as readonly ModuleFacts[]).flatMap(module => module.live ?? []) as LiveTopicRow[]

/** Topics of the live socket (interfaces.md §3), with the right each needs (`signed-in`: none). Plain values, used on both sides. */
export const LIVE_TOPICS: readonly LiveTopicRow[] = [...OWN, ...ofModules]

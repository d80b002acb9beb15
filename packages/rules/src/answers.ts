import type { Test } from './compare.ts'
import type { Slot } from './directory.ts'
import type { Instance } from './instance.ts'
import { FALSE, TRUE, UNKNOWN } from './memory.ts'
import type { Node } from './program.ts'

/** Answer of a comparison with the last values; UNKNOWN where one of them never came. */
export function compared(test: Test, own: Slot, other: Slot | null): number {
  if (own.ts === Number.NEGATIVE_INFINITY || other?.ts === Number.NEGATIVE_INFINITY) return UNKNOWN
  const answer = test(own.value, other?.value)
  return answer === null ? UNKNOWN : answer ? TRUE : FALSE
}

/** Answer of a condition about presence. @param presence 0 offline, 1 online, 2 not known */
export function presenceOf(instance: Instance, place: number, presence: number): number {
  const node = instance.program.nodes[place]!
  if (presence === 2 || node.type !== 'presence') return UNKNOWN
  return node.wanted === presence ? TRUE : FALSE
}

/** Whether a geofence is for the device that is held against it. */
export function concerns(instance: Instance, node: Extract<Node, { type: 'geofence' }>): boolean {
  return node.devices === null || node.devices.has(node.device ?? instance.device)
}

/** Milliseconds after which a device counts as silent; 0 for other conditions. */
export function silence(node: Node): number {
  return node.type === 'no_data' ? node.ms : 0
}

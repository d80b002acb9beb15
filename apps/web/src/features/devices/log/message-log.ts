import { MESSAGE_KINDS, type QUALITIES } from '@thingwright/contracts/telemetry.words'

export { MESSAGE_KINDS, QUALITIES } from '@thingwright/contracts/telemetry.words'

import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { Reply } from '../../../lib/api-client.ts'

export type Message = Reply<'telemetry.messages'>['items'][number]

export type MessageKind = (typeof MESSAGE_KINDS)[number]
export type Quality = (typeof QUALITIES)[number]

/** As many live messages are kept on the page; older ones are fetched on demand. */
export const MAX_LIVE = 500

/** What the log is narrowed to. */
export interface MessageFilters {
  kind: MessageKind | null
  quality: Quality | null
  q: string
}

/** A message out of a live patch, or null when it is none. Its bytes come with the next reading of the log. */
export function messageOf(id: string, patch: Record<string, unknown>): Message | null {
  const kind = MESSAGE_KINDS.find(each => each === patch.kind)
  if (!kind || typeof patch.ts !== 'number') return null
  return {
    id,
    kind,
    direction: kind === 'online' || kind === 'offline' ? 'none' : 'up',
    arrivedAt: typeof patch.arrivedAt === 'string' ? patch.arrivedAt : new Date(patch.ts).toISOString(),
    ts: patch.ts,
    deviceTs: typeof patch.deviceTs === 'number' ? patch.deviceTs : null,
    quality: patch.quality === 'uncertain' || patch.quality === 'bad' ? patch.quality : 'good',
    late: patch.late === true,
    simulated: false,
    values: patch.values ?? null,
    refusedReason: typeof patch.refusedReason === 'string' ? patch.refusedReason : null,
    hex: typeof patch.hex === 'string' ? patch.hex : null,
    text: typeof patch.text === 'string' ? patch.text : null,
  }
}

/** A command as it stands in the log; null while it has not left. */
export function messageOfCommand(command: CommandView): Message | null {
  if (!command.sentAt) return null
  const { id, kind, identifier, params, state, reply } = command
  return {
    id: `c-${id}`,
    kind: 'command',
    direction: 'down',
    arrivedAt: command.sentAt,
    ts: Date.parse(command.sentAt),
    deviceTs: null,
    quality: 'good',
    late: false,
    simulated: false,
    values: { commandId: id, kind, identifier, params, state, reply: reply ?? null },
    refusedReason: null,
    hex: null,
    text: null,
  }
}

/** Live messages before those that were fetched, each once, of the asked kinds; fetched ones know more. */
export function mergeMessages(
  live: readonly Message[],
  fetched: readonly Message[],
  filters: MessageFilters,
): Message[] {
  // Only the server can search.
  if (filters.q !== '') return [...fetched]
  const known = new Set(fetched.map(message => message.id))
  const fresh = live.filter(
    message =>
      !known.has(message.id) &&
      (filters.kind === null || message.kind === filters.kind) &&
      (filters.quality === null || (message.kind !== 'command' && message.quality === filters.quality)),
  )
  return [...fresh, ...fetched]
}

/** A new message at the head of the live ones, which stay bounded; what came in a simulated session is marked. */
export function pushLive(live: readonly Message[], message: Message): Message[] {
  const before = live.find(each => each.id === message.id)
  // A command that changes its state stays where it stands.
  if (before) return live.map(each => (each.id === message.id ? { ...message, simulated: each.simulated } : each))
  return [{ ...message, simulated: isSimulated(live, message) }, ...live].slice(0, MAX_LIVE)
}

function isSimulated(live: readonly Message[], message: Message): boolean {
  if (message.kind === 'command') return false
  if (message.kind === 'online' || message.kind === 'offline') return transportOf(message) === 'simulator'
  const session = live.find(each => each.kind === 'online' || each.kind === 'offline')
  return session?.kind === 'online' && transportOf(session) === 'simulator'
}

const transportOf = (message: Message) => (message.values as { transport?: unknown } | null)?.transport

/** One line that says what a message was. */
export function messageWords(message: Message): string {
  if (message.text !== null) return message.text.replace(/\s+/g, ' ')
  if (message.values !== null && message.values !== undefined) return JSON.stringify(message.values)
  return message.hex ?? ''
}

/** The frame that this message most likely was: the same way, at nearly the same time. */
export function frameOfMessage<F extends { at: string; direction: 'up' | 'down' }>(
  message: Message,
  frames: readonly F[],
): F | null {
  const at = Date.parse(message.arrivedAt)
  let best: F | null = null
  let gap = 250
  for (const frame of frames) {
    const distance = Math.abs(Date.parse(frame.at) - at)
    if (frame.direction !== message.direction || distance > gap) continue
    best = frame
    gap = distance
  }
  return best
}

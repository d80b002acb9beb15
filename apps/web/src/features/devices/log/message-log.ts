import type { Reply } from '../../../lib/api-client.ts'

export type Message = Reply<'telemetry.messages'>['items'][number]

export const MESSAGE_KINDS = ['property', 'event', 'reply', 'online', 'offline', 'refused'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** As many live messages are kept on the page; older ones are fetched on demand. */
export const MAX_LIVE = 500

/** A message out of a live patch, or null when it is none. Its bytes come with the next reading of the log. */
export function messageOf(id: string, patch: Record<string, unknown>): Message | null {
  const kind = MESSAGE_KINDS.find(each => each === patch.kind)
  if (!kind || typeof patch.ts !== 'number') return null
  return {
    id,
    kind,
    arrivedAt: typeof patch.arrivedAt === 'string' ? patch.arrivedAt : new Date(patch.ts).toISOString(),
    ts: patch.ts,
    deviceTs: typeof patch.deviceTs === 'number' ? patch.deviceTs : null,
    quality: patch.quality === 'uncertain' || patch.quality === 'bad' ? patch.quality : 'good',
    late: patch.late === true,
    values: patch.values ?? null,
    refusedReason: typeof patch.refusedReason === 'string' ? patch.refusedReason : null,
    hex: typeof patch.hex === 'string' ? patch.hex : null,
    text: typeof patch.text === 'string' ? patch.text : null,
  }
}

/** Live messages before those that were fetched, each once, of the asked kind; fetched ones know more. */
export function mergeMessages(
  live: readonly Message[],
  fetched: readonly Message[],
  kind: MessageKind | null,
): Message[] {
  const known = new Set(fetched.map(message => message.id))
  const fresh = live.filter(message => !known.has(message.id) && (kind === null || message.kind === kind))
  return [...fresh, ...fetched]
}

/** A new message at the head of the live ones, which stay bounded. */
export function pushLive(live: readonly Message[], message: Message): Message[] {
  return [message, ...live.filter(each => each.id !== message.id)].slice(0, MAX_LIVE)
}

/** One line that says what a message was. */
export function messageWords(message: Message): string {
  if (message.text !== null) return message.text.replace(/\s+/g, ' ')
  if (message.values !== null && message.values !== undefined) return JSON.stringify(message.values)
  return message.hex ?? ''
}

import { type Facts, type Found, found, MINUTE_MS, type Step } from './facts.ts'

const DISK_LOW = 0.05
/** Rows a consumer may be behind without anybody noticing. */
const BEHIND = 20_000

/** Whether what was taken is kept and shown. */
export function storageStep({ path, behind, rows, messagesQuota }: Facts): Step {
  const all: Found[] = []
  if (path && !path.laneTakes)
    all.push(
      path.diskFree !== null && path.diskFree < DISK_LOW
        ? found('disk_full', {
            params: { freePercent: Math.round(path.diskFree * 1_000) / 10 },
            fixes: ['tell_operator'],
          })
        : found('lanes_not_writing', { params: { waiting: path.laneQueued }, fixes: ['tell_operator'] }),
    )
  for (const [consumer, waiting] of Object.entries(behind ?? {}))
    if (waiting > BEHIND)
      all.push(
        found('consumer_behind', { severity: 'warning', params: { consumer, waiting }, fixes: ['tell_operator'] }),
      )
  if (messagesQuota && messagesQuota.used >= messagesQuota.limit)
    all.push(found('quota_messages', { severity: 'warning', params: { ...messagesQuota }, fixes: ['open_company'] }))
  const stored = rows.find(row => row.kind === 'property' || row.kind === 'event')
  return { facts: { storedAt: stored?.at ?? null }, found: all, passed: stored !== undefined }
}

/** Whether a command of this topic is one that the device does not hear. */
function isUnheard(topic: string, unheard: readonly string[]): boolean {
  return unheard.some(each => each === topic || (each === 'service/+/invoke' && topic.startsWith('service/')))
}

const MQTT = new Set(['mqtt', 'mqtts', 'mqtt-ws'])
const WAITED_MS = 2 * MINUTE_MS
const UNANSWERED = 3

/** Whether commands reach the device. */
export function commandsStep({ path, device, commands, rows, now }: Facts): Step {
  const session = path?.session ?? null
  const takes = device.writable + device.services > 0
  const all: Found[] = []
  const waiting = commands.queued > 0
  const silent = session !== null && MQTT.has(session.transport) && session.subscriptions.length === 0
  const unheard = path?.unheard ?? []
  // Without any subscription nothing is handed over, whatever is asked.
  if (session && ((silent && (takes || waiting)) || unheard.length > 0)) {
    const held = waiting && (silent || commands.waiting.some(topic => isUnheard(topic, unheard)))
    const refused = rows.find(row => row.reason === 'subscription_refused' && row.at >= session.connectedAt)
    all.push(
      found('not_subscribed', {
        severity: held ? 'broken' : 'warning',
        at: session.connectedAt,
        params: {
          queued: commands.queued,
          topics: unheard.length > 0 ? unheard : ['property/set', 'service/+/invoke'],
          subscriptions: session.subscriptions.slice(0, 20).map(({ filter }) => filter),
          // It asked for a topic that it may not have.
          refused: refused?.values.filter ?? null,
        },
        fixes: ['open_device_link'],
      }),
    )
  } else if (session && waiting && commands.oldestQueuedAt !== null && commands.oldestQueuedAt < now - WAITED_MS)
    all.push(
      found('commands_waiting', {
        severity: 'warning',
        at: commands.oldestQueuedAt,
        params: { queued: commands.queued, transport: session.transport },
        fixes: ['open_device_link'],
      }),
    )
  const ended = commands.recent.filter(({ state }) => state !== 'queued' && state !== 'sent')
  const unanswered = ended.findIndex(({ state }) => state !== 'timed_out')
  const inRow = unanswered < 0 ? ended.length : unanswered
  if (inRow >= UNANSWERED)
    all.push(
      found('commands_unanswered', {
        severity: 'warning',
        at: ended[0]!.at,
        params: { count: inRow },
        fixes: ['open_log', 'open_device_link'],
      }),
    )
  return {
    facts: { queued: commands.queued, subscriptions: session?.subscriptions.map(({ filter }) => filter) ?? [], takes },
    found: all,
    passed: session !== null,
  }
}

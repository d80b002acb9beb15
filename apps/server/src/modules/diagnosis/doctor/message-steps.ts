import { type Facts, type Found, found, type LogRow, MINUTE_MS, SILENT_MS, type Step } from './facts.ts'
import { causeOf, isMessage } from './refusal-causes.ts'
import { unpolled } from './unpolled.ts'

/** A limit that held the device back so long ago no longer explains anything, ms. */
const LIMITED_MS = 15 * MINUTE_MS
/** A refusal after which messages were taken says nothing any more after this time, ms. */
const AGED_MS = 60 * MINUTE_MS
const SHORT_LINKS = new Set(['http', 'udp', 'coap', 'gateway', 'platform'])

/** Whether bytes arrive. */
export function framesStep(facts: Facts): Step {
  const { device, path, rows, now, connections } = facts
  const session = path?.session ?? null
  const last = rows.find(isMessage) ?? null
  const lastAt = Math.max(last?.at ?? 0, path?.lastUpAt ?? 0) || device.lastSeenAt
  const shown = { lastAt, framesInMemory: path?.frames ?? 0 }
  const refused = refusedAt(facts, 'frames')
  const all: Found[] = [...refused, ...unpolled(facts)]
  if (device.gateway && !device.gateway.online)
    all.push(
      found('gateway_offline', {
        params: { gatewayId: device.gateway.id, gatewayNo: device.gateway.deviceNo },
        fixes: ['open_gateway'],
      }),
    )
  if (device.flow && device.flow.lastAt > now - LIMITED_MS && all.every(({ cause }) => cause !== 'flow_limited'))
    all.push(
      found('flow_limited', {
        severity: 'warning',
        at: device.flow.lastAt,
        params: { slowed: device.flow.slowed, refused: device.flow.refused },
        fixes: ['open_device_link', 'open_log'],
      }),
    )
  // While nothing can be stored the sockets are not read: what does not arrive then is not the device's fault.
  if (path && !path.laneTakes) return { facts: shown, found: all, passed: false }
  const delay = tooShort(facts)
  if (delay) all.push(delay)
  else if (!session && device.seenBefore && all.length === 0)
    // What it sent last was refused and nothing came since: that is what there is to mend, whether it is there or not.
    all.push({ ...offline(facts), ...(last && causeOf(last) ? { severity: 'warning' as const } : {}) })
  if (session && all.length === 0 && !SHORT_LINKS.has(session.transport)) {
    const heard = rows.some(row => isMessage(row) && row.at >= session.connectedAt) || session.messagesIn > 0
    const silentMs = now - session.connectedAt
    if (!heard && silentMs >= SILENT_MS)
      all.push(
        found('no_frames', {
          at: session.connectedAt,
          params: {
            connectedAt: session.connectedAt,
            transport: session.transport,
            ...lineOf(rows, session.connectedAt),
          },
          fixes: ['open_device_link', 'open_frames'],
        }),
      )
  }
  return { facts: shown, found: all, passed: last !== null || connections.length > 0 }
}

/** What the device did instead of sending data: a subscription or a will that was refused. */
function lineOf(rows: readonly LogRow[], since: number): Record<string, unknown> {
  const line = rows.find(row => row.kind === 'refused' && row.at >= since && !isMessage(row))
  return line ? { note: line.reason, detail: line.values } : {}
}

function offline({ connections, device }: Facts): Found {
  const last = connections.find(change => change.kind === 'offline')
  return found('offline', {
    at: last?.at ?? device.lastSeenAt,
    params: { reason: last?.reason ?? null, address: last?.address ?? null, delaySeconds: device.offlineDelaySeconds },
    fixes: ['open_device_link', 'open_log'],
  })
}

const FLAPS = 3

/** It goes offline for silence and comes back by itself, again and again: it reports more rarely than the delay. */
function tooShort({ connections, device }: Facts): Found | null {
  const gaps: number[] = []
  for (let n = 0; n + 1 < connections.length; n++) {
    const [later, earlier] = [connections[n]!, connections[n + 1]!]
    if (later.kind === 'online' && earlier.kind === 'offline' && earlier.reason === 'no_data')
      gaps.push(later.at - earlier.at + device.offlineDelaySeconds * 1_000)
  }
  if (gaps.length < FLAPS) return null
  const usual = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)]!
  // Silent for hours is off, not slow.
  if (usual > 12 * 60 * MINUTE_MS) return null
  return found('offline_delay_short', {
    severity: 'warning',
    at: connections[0]!.at,
    params: {
      delaySeconds: device.offlineDelaySeconds,
      usualSeconds: Math.round(usual / 1_000),
      suggestedSeconds: Math.min(604_800, Math.ceil((usual * 2.5) / 1_000)),
      times: gaps.length,
    },
    fixes: ['raise_offline_delay'],
  })
}

/** Whether the product's format understands the bytes. */
export function parsingStep(facts: Facts): Step {
  const last = facts.rows.find(isMessage) ?? null
  return {
    facts: { format: facts.device.formatKind },
    found: refusedAt(facts, 'parsing'),
    passed: last !== null && causeOf(last)?.step !== 'frames',
  }
}

/** Whether the thing model knows what was read. */
export function modelStep(facts: Facts): Step {
  const { rows, device } = facts
  const last = rows.find(isMessage) ?? null
  const all = refusedAt(facts, 'model')
  if (all.length === 0) all.push(...unsureTimes(rows))
  const passed = last !== null && (causeOf(last)?.step ?? 'model') === 'model'
  return { facts: { properties: device.identifiers.length }, found: all, passed }
}

function unsureTimes(rows: readonly LogRow[]): Found[] {
  const values = rows.filter(row => row.kind === 'property' || row.kind === 'event')
  const newest = values[0]
  if (!newest) return []
  if (newest.deviceTs !== null && newest.quality !== 0)
    return [
      found('clock_wild', {
        severity: 'warning',
        at: newest.at,
        params: { deviceTs: newest.deviceTs, offsetMs: newest.deviceTs - newest.at },
        fixes: ['open_log'],
      }),
    ]
  const late = values.filter(row => row.late)
  if (newest.late && late.length * 2 > values.length)
    return [
      found('data_late', {
        severity: 'warning',
        at: newest.at,
        params: { count: late.length, of: values.length },
        fixes: ['open_log'],
      }),
    ]
  return []
}

/** Refusals of one step: broken while the newest message is among them, a warning when newer ones were taken. */
function refusedAt({ rows, device, now }: Facts, step: 'frames' | 'parsing' | 'model'): Found[] {
  const messages = rows.filter(isMessage)
  const of = messages.filter(row => causeOf(row)?.step === step)
  const last = of[0]
  if (!last) return []
  if (messages[0] !== last && last.at < now - AGED_MS) return []
  const { cause } = causeOf(last)!
  const same = of.filter(row => causeOf(row)!.cause === cause)
  return [
    found(cause, {
      severity: messages[0] === last ? 'broken' : 'warning',
      at: last.at,
      params: {
        reason: last.reason,
        path: last.values.path ?? null,
        detail: last.values.detail ?? null,
        address: last.values.address ?? null,
        transport: last.values.transport ?? null,
        count: same.length,
        of: messages.length,
        ...(cause === 'property_unknown' || cause === 'value_refused' || cause === 'identifier_unknown'
          ? { identifiers: identifiersOf(same, cause === 'property_unknown' ? device.identifiers : null) }
          : {}),
      },
      raw: last.raw,
      fixes:
        step === 'frames'
          ? ['open_device_link', 'open_log']
          : step === 'parsing'
            ? ['open_format', 'open_log']
            : ['open_model', 'open_log'],
    }),
  ]
}

/**
 * What the refusals are about, each once, at most 50. A refusal names the first identifier that was wrong; of unknown
 * properties all are looked for in the message itself.
 */
function identifiersOf(rows: readonly LogRow[], known: readonly string[] | null): string[] {
  const identifiers = rows.flatMap(({ values, raw }) => {
    // `[3].temp` → `temp`
    const named = typeof values.path === 'string' ? [values.path.replace(/^\[\d+\]\.?/, '')] : []
    if (typeof values.identifier === 'string') named.push(values.identifier)
    return known === null || raw === null
      ? named
      : [...named, ...sentIdentifiers(raw).filter(each => !known.includes(each))]
  })
  return [...new Set(identifiers)].filter(identifier => identifier !== '').slice(0, 50)
}

/** Identifiers in a post: of the object itself, of `values` in it, of each element of an array. */
function sentIdentifiers(raw: Buffer): string[] {
  try {
    const sent: unknown = JSON.parse(raw.toString('utf8'))
    return (Array.isArray(sent) ? sent : [sent]).flatMap(element => {
      const { values } = (element ?? {}) as { values?: unknown }
      return Object.keys((typeof values === 'object' ? values : element) ?? {})
    })
  } catch {
    // Another format, or cut: the refusal's own word must do.
    return []
  }
}

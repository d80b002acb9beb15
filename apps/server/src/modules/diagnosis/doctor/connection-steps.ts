import type { SignInRefusal } from '../diagnosis.port.ts'
import { type Cause, type Facts, type Fix, type Found, found, MINUTE_MS, type Step } from './facts.ts'
import { isNear } from './near.ts'

const PORTS: Record<string, 'tcpPort' | 'udpPort' | 'coapPort' | undefined> = {
  tcp: 'tcpPort',
  modbus_rtu: 'tcpPort',
  modbus_tcp: 'tcpPort',
  udp: 'udpPort',
  coap: 'coapPort',
}

/** Whether there is a door at which the device can knock. */
export function portStep({ device, ports, ownPort, path, now, connections }: Facts): Step {
  if (!path) return { facts: {}, found: [found('gateway_down', { fixes: ['tell_operator'] })], passed: false }
  const name = PORTS[device.linkType]
  const shared = name === undefined ? (device.linkType === 'mqtt' ? ports.mqttPort : null) : ports[name]
  const port = ownPort?.port ?? shared
  const all: Found[] = [...cardOf(device), ...radioOf(device)]
  if (ownPort?.state === 'failed')
    all.push(
      found('port_closed', {
        params: { linkType: device.linkType, variable: `${ownPort.port}, ${ownPort.error ?? 'closed'}` },
        fixes: ['open_product_link', 'tell_operator'],
      }),
    )
  else if (name !== undefined && port === null)
    all.push(
      found('port_closed', {
        params: { linkType: device.linkType, variable: name.replace('Port', '_PORT').toUpperCase() },
        fixes: ['open_product_link', 'tell_operator'],
      }),
    )
  const until = path.certificateUntil
  if (device.linkType === 'mqtt' && ports.mqttsPort !== null && until !== null && until <= now) {
    // A device that connects without TLS does not need this step.
    const plain = path.session !== null || connections.some(change => change.transport === 'mqtt')
    all.push(
      found('certificate_expired', {
        severity: plain ? 'warning' : 'broken',
        at: until,
        params: { port: ports.mqttsPort },
        fixes: ['tell_operator'],
      }),
    )
  }
  return { facts: { linkType: device.linkType, port }, found: all, passed: true }
}

/** States in which a card passes data, or of which nothing is known. */
const PASSING = new Set(['active', 'testing', 'testable', 'pending', 'unsynced', 'unknown'])
/** Digits of an IMEI that name the machine; the last one is a check. */
const MACHINE = 14

/** What keeps its SIM card from passing data, as the carrier said it last. */
function cardOf({ card }: Facts['device']): Found[] {
  if (!card) return []
  const { iccid, imei, boundImei } = card
  const fixes: Fix[] = ['open_sim_card']
  if (!PASSING.has(card.state))
    return [
      found('sim_stopped', {
        at: card.since,
        params: { iccid, raw: card.rawState ?? '–', cardId: card.id, carrier: card.carrier },
        fixes,
      }),
    ]
  if (card.dataOff) return [found('sim_data_off', { params: { iccid, cardId: card.id, carrier: card.carrier }, fixes })]
  if (imei && boundImei && imei.slice(0, MACHINE) !== boundImei.slice(0, MACHINE))
    return [
      found('sim_moved', {
        severity: 'warning',
        params: { iccid, imei, bound: boundImei, cardId: card.id, carrier: card.carrier },
        fixes,
      }),
    ]
  return []
}

/** What keeps a LoRaWAN device from being heard, as its network server said it last. */
function radioOf({ lora }: Facts['device']): Found[] {
  if (!lora) return []
  const fixes: Fix[] = ['open_lora']
  if (lora.state === 'failed')
    return [found('lora_not_registered', { params: { text: lora.fault ?? '–' }, fixes: ['open_device_link'] })]
  // One that is heard was made at the server by somebody: from here it need not be.
  if (lora.lastSeenAt === null)
    return lora.state === 'registered'
      ? [found('lora_not_joined', { severity: 'warning', fixes })]
      : [found('lora_no_keys', { severity: 'warning', fixes: ['open_device_link'] })]
  const { gateway, problem, problemAt } = lora
  if (gateway?.state === 'offline')
    return [found('lora_gateway_offline', { at: gateway.since, params: { name: gateway.name }, fixes: ['open_lora'] })]
  if (problem && problemAt !== null && problemAt >= lora.lastSeenAt)
    return [
      found('lora_problem', {
        severity: 'warning',
        at: problemAt,
        params: { code: problem.code, text: problem.text },
        fixes,
      }),
    ]
  return []
}

const REFUSALS: Record<string, { cause: Cause; fixes: Fix[] }> = {
  wrong_secret: { cause: 'secret_wrong', fixes: ['open_device_link', 'rotate_secret'] },
  wrong_token: { cause: 'credential_wrong', fixes: ['open_device_link'] },
  wrong_signature: { cause: 'credential_wrong', fixes: ['open_device_link'] },
  wrong_product_secret: { cause: 'credential_wrong', fixes: ['open_product_link'] },
  signature_expired: { cause: 'sign_in_clock', fixes: ['open_device_link'] },
  signature_replayed: { cause: 'sign_in_clock', fixes: ['open_device_link'] },
  certificate_revoked: { cause: 'certificate_revoked', fixes: ['open_device_link'] },
  not_allowed: { cause: 'sign_in_not_allowed', fixes: ['open_product_link'] },
  registration_off: { cause: 'registration_open', fixes: ['open_product_link'] },
  registration_unlisted: { cause: 'registration_open', fixes: ['open_product_link'] },
  registration_waiting: { cause: 'registration_open', fixes: ['open_product_link'] },
  registration_rejected: { cause: 'registration_open', fixes: ['open_product_link'] },
  registration_done: { cause: 'registration_open', fixes: ['open_device_link'] },
  rate_limited: { cause: 'flow_limited', fixes: ['open_log'] },
}

/** Whether the device is let in. */
export function signInStep(facts: Facts): Step {
  const { device, path, connections } = facts
  const session = path?.session ?? null
  const lastOnline = connections.find(change => change.kind === 'online') ?? null
  const signedInAt = session?.connectedAt ?? lastOnline?.at ?? null
  const shown = {
    signedInAt,
    transport: session?.transport ?? lastOnline?.transport ?? null,
    address: session?.address ?? lastOnline?.address ?? null,
  }
  const all = [...barred(facts), ...refused(facts, signedInAt), ...shared(facts)]
  if (all.length === 0 && signedInAt === null && !device.seenBefore && device.nodeType !== 'sub_device')
    all.push(neverCame(facts))
  return { facts: shown, found: all, passed: signedInAt !== null || device.seenBefore }
}

/** Reasons that hold whatever the device sends. */
function barred({ device }: Facts): Found[] {
  const all: Found[] = []
  if (!['trial', 'active', 'grace'].includes(device.companyStatus))
    all.push(found('company_closed', { params: { status: device.companyStatus }, fixes: ['open_company'] }))
  if (!device.published) all.push(found('product_unpublished', { fixes: ['publish_product'] }))
  if (device.lifecycle === 'disabled') all.push(found('device_disabled', { fixes: ['enable_device'] }))
  if (device.lifecycle === 'recycled') all.push(found('device_recycled', { fixes: ['restore_device'] }))
  return all
}

/** The last refusal since the device was last let in. */
function refused({ device, path, rows, now }: Facts, signedInAt: number | null): Found[] {
  const since = signedInAt ?? 0
  const own = (path?.refusals ?? []).filter(refusal => refusal.deviceNo === device.deviceNo && refusal.lastAt > since)
  const fromLog = rows.find(row => row.reason === 'sign_in_refused' && row.at > since)
  const last:
    | Pick<SignInRefusal, 'reason' | 'address' | 'transport' | 'lastAt' | 'count' | 'previousSecret'>
    | undefined =
    own[0] ??
    (fromLog && {
      reason: String(fromLog.values.reason ?? ''),
      address: String(fromLog.values.address ?? ''),
      transport: String(fromLog.values.transport ?? ''),
      lastAt: fromLog.at,
      count: Number(fromLog.values.repeated ?? 0) + 1,
      previousSecret: false,
    })
  if (!last) return []
  const params = {
    reason: last.reason,
    address: last.address,
    transport: last.transport,
    count: last.count,
    ...(last.reason === 'certificate_revoked' ? { ...device.certificates } : {}),
  }
  if (
    last.reason === 'wrong_secret' &&
    (last.previousSecret || rotatedSince(device.previousSecretUntil, signedInAt, now))
  )
    return [
      found('secret_rotated', {
        at: last.lastAt,
        params: { ...params, until: device.previousSecretUntil },
        fixes: ['open_device_link', 'rotate_secret'],
      }),
    ]
  const known =
    REFUSALS[last.reason] ??
    (last.reason.startsWith('certificate_')
      ? { cause: 'certificate_refused' as const, fixes: ['open_device_link' as const, 'open_product_link' as const] }
      : null)
  // The others are told by what is the case now: disabled, not published, company closed.
  return known ? [found(known.cause, { at: last.lastAt, params, fixes: known.fixes })] : []
}

/** The old secret was good while the device last came in, and is no more. */
function rotatedSince(until: number | null, signedInAt: number | null, now: number): boolean {
  return until !== null && until <= now && signedInAt !== null && signedInAt <= until
}

const SHARED_MS = 10 * MINUTE_MS
const SHARED_TIMES = 3

/** Two devices with one identity throw each other out all the time. */
function shared({ connections, now }: Facts): Found[] {
  const recent = connections.filter(
    change => change.kind === 'offline' && change.reason === 'taken_over' && change.at > now - SHARED_MS,
  )
  if (recent.length < SHARED_TIMES) return []
  const addresses = [...new Set(recent.map(change => hostOf(change.address)))].filter(address => address !== null)
  return [
    found('identity_shared', {
      at: recent[0]!.at,
      params: { count: recent.length, addresses: addresses.slice(0, 5) },
      fixes: ['open_device_link', 'rotate_secret'],
    }),
  ]
}

function hostOf(address: string | null | undefined): string | null {
  return address ? address.replace(/:\d+$/, '') : null
}

/** For a device that never signed in: looks for refused sign-ins with a number that is nearly its own. */
function neverCame({ device, path }: Facts): Found {
  const unknown = (path?.refusals ?? []).filter(refusal => refusal.reason === 'unknown_device')
  const near = unknown.find(refusal => isNear(refusal.deviceNo, device.deviceNo))
  if (near)
    return found('number_wrong', {
      at: near.lastAt,
      params: { given: near.deviceNo, expected: device.deviceNo, address: near.address, count: near.count },
      fixes: ['open_device_link'],
    })
  return found('never_connected', {
    params: { others: unknown.slice(0, 5).map(({ deviceNo, address }) => ({ deviceNo, address })) },
    fixes: ['open_device_link', 'open_product_link'],
  })
}

import { describe, expect, it } from 'vitest'
import { diagnose } from './doctor.ts'
import type { Facts, LogRow } from './facts.ts'

const NOW = 1_800_000_000_000
const ago = (seconds: number) => NOW - seconds * 1_000

const row = (over: Partial<LogRow> = {}): LogRow => ({
  seq: 1,
  at: ago(10),
  kind: 'property',
  quality: 0,
  late: false,
  deviceTs: null,
  values: {},
  raw: null,
  reason: null,
  ...over,
})
const refused = (reason: string, values: Record<string, unknown> = {}, over: Partial<LogRow> = {}) =>
  row({ kind: 'refused', reason, values, ...over })

/** A device that is well: connected, heard of, nothing waiting. */
function facts(
  over: { device?: Partial<Facts['device']>; path?: object | null } & Omit<Partial<Facts>, 'device' | 'path'> = {},
): Facts {
  const { device, path, ...rest } = over
  return {
    now: NOW,
    device: {
      id: 'd',
      deviceNo: 'SN-0001',
      lifecycle: 'active',
      offlineDelaySeconds: 300,
      previousSecretUntil: null,
      seenBefore: true,
      lastSeenAt: ago(10),
      gateway: null,
      flow: null,
      productKey: 'p',
      published: true,
      linkType: 'mqtt',
      nodeType: 'device',
      formatKind: 'json',
      identifiers: ['t'],
      writable: 0,
      services: 0,
      companyStatus: 'active',
      ...device,
    },
    ownPort: null,
    ports: { mqttPort: 1883, mqttsPort: null, tcpPort: 6001, udpPort: null, coapPort: null },
    path:
      path === null
        ? null
        : {
            session: {
              transport: 'mqtt',
              clientId: '',
              address: '192.0.2.1:1',
              protocolVersion: '5',
              keepAliveSeconds: 60,
              connectedAt: ago(600),
              subscriptions: [],
              bytesIn: 1,
              bytesOut: 0,
              messagesIn: 1,
              messagesOut: 0,
            },
            laneTakes: true,
            laneQueued: 0,
            diskFree: 0.5,
            certificateUntil: null,
            lastUpAt: ago(10),
            lastDownAt: null,
            frames: 1,
            refusals: [],
            ...path,
          },
    behind: {},
    rows: [row()],
    connections: [{ at: ago(600), kind: 'online', reason: null, transport: 'mqtt', address: '192.0.2.1:1' }],
    commands: { queued: 0, oldestQueuedAt: null, recent: [] },
    messagesQuota: null,
    ...rest,
  }
}
const named = (given: Facts) => {
  const { verdict, step, cause } = diagnose(given)
  return [verdict, step, cause]
}

describe('the doctor', () => {
  it('finds nothing at a device that is well', () => expect(named(facts())).toEqual(['healthy', null, null]))

  it('names the first of several faults, and tells the others too', () => {
    const sick = facts({
      rows: [refused('property_unknown', { path: 'x' })],
      behind: { store: 1e6 },
      device: { published: false },
    })
    expect(named(sick)).toEqual(['broken', 'sign_in', 'product_unpublished'])
    const causes = diagnose(sick).steps.flatMap(step => step.findings.map(({ cause }) => cause))
    expect(causes).toEqual(['product_unpublished', 'property_unknown', 'consumer_behind'])
  })

  it('names a refusal that nothing followed, also of a device that has left', () => {
    const left = facts({ rows: [refused('json_invalid')], path: { session: null } })
    expect(named(left)).toEqual(['broken', 'parsing', 'payload_not_json'])
    expect(diagnose(left).steps.flatMap(step => step.findings.map(({ cause }) => cause))).toContain('offline')
    expect(named(facts({ rows: [row(), refused('json_invalid')], path: { session: null } }))).toEqual([
      'broken',
      'frames',
      'offline',
    ])
  })

  it('forgets a fault of the past an hour after it, once messages were taken', () => {
    const past = (seconds: number) => facts({ rows: [row(), refused('checksum', {}, { at: ago(seconds) })] })
    expect(named(past(3_500))).toEqual(['warning', 'parsing', 'checksum_wrong'])
    expect(named(past(3_700))).toEqual(['healthy', null, null])
    // Where it is the last word it stays.
    expect(named(facts({ rows: [refused('checksum', {}, { at: ago(90_000) })] }))[2]).toBe('checksum_wrong')
  })

  it('calls a fault of the past a warning', () => {
    const past = facts({ rows: [row(), refused('checksum')] })
    expect(named(past)).toEqual(['warning', 'parsing', 'checksum_wrong'])
  })

  it.each([
    ['modbus_no_answer', 'frames', 'bus_silent'],
    ['modbus_exception', 'frames', 'bus_exception'],
    ['frame_incomplete', 'frames', 'framing_wrong'],
    ['frame_too_long', 'frames', 'frame_too_long'],
    ['rate_limited', 'frames', 'flow_limited'],
    ['script_memory', 'parsing', 'script_failed'],
    ['sub_device_unknown', 'parsing', 'sub_device_unknown'],
    ['event_unknown', 'model', 'identifier_unknown'],
  ])('calls %s a fault of %s: %s', (reason, step, cause) =>
    expect(named(facts({ rows: [refused(reason)] }))).toEqual(['broken', step, cause]),
  )

  it.each([
    ['wrong_token', 'credential_wrong'],
    ['signature_expired', 'sign_in_clock'],
    ['certificate_revoked', 'certificate_refused'],
    ['not_allowed', 'sign_in_not_allowed'],
    ['registration_waiting', 'registration_open'],
  ])('calls a sign-in refused as %s %s', (reason, cause) => {
    const refusal = {
      productKey: 'p',
      deviceNo: 'SN-0001',
      reason,
      transport: 'mqtt',
      address: '192.0.2.9',
      firstAt: ago(5),
      lastAt: ago(5),
      count: 1,
      previousSecret: false,
    }
    expect(named(facts({ path: { session: null, refusals: [refusal] } }))).toEqual(['broken', 'sign_in', cause])
    // The same before the device was let in is over.
    expect(named(facts({ path: { refusals: [{ ...refusal, lastAt: ago(5_000) }] } }))).toEqual(['healthy', null, null])
  })

  it('blames the platform, not the device, while nothing can be stored', () => {
    const blocked = facts({ rows: [], path: { laneTakes: false, diskFree: 0.01, session: null, lastUpAt: null } })
    expect(named(blocked)).toEqual(['broken', 'storage', 'disk_full'])
  })

  it('looks at the gateway of a sub-device', () => {
    const below = facts({
      device: { nodeType: 'sub_device', gateway: { id: 'g', deviceNo: 'GW-1', online: false } },
      path: { session: null },
    })
    expect(named(below)).toEqual(['broken', 'frames', 'gateway_offline'])
  })

  it('notices commands that a device on a short link does not fetch', () => {
    const waiting = facts({
      commands: { queued: 2, oldestQueuedAt: ago(600), recent: [] },
      path: { session: { ...facts().path!.session!, transport: 'http' } },
    })
    expect(named(waiting)).toEqual(['warning', 'commands', 'commands_waiting'])
  })

  it('names late data', () => {
    const late = Array.from({ length: 5 }, () => row({ late: true }))
    expect(named(facts({ rows: late }))).toEqual(['warning', 'model', 'data_late'])
  })
})

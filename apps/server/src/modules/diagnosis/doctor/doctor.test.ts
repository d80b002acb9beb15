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
      card: null,
      lora: null,
      cameras: [],
      certificates: { active: 0, revokedAt: null },
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
            unheard: [],
            polling: null,
            refusals: [],
            ...path,
          },
    behind: {},
    rows: [row()],
    connections: [{ at: ago(600), kind: 'online', reason: null, transport: 'mqtt', address: '192.0.2.1:1' }],
    commands: { queued: 0, waiting: [], oldestQueuedAt: null, recent: [] },
    messagesQuota: null,
    watch: null,
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
    ['too_large', 'frames', 'message_too_large'],
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
    ['certificate_revoked', 'certificate_revoked'],
    ['certificate_expired', 'certificate_refused'],
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
      commands: { queued: 2, waiting: ['property/set'], oldestQueuedAt: ago(600), recent: [] },
      path: { session: { ...facts().path!.session!, transport: 'http' } },
    })
    expect(named(waiting)).toEqual(['warning', 'commands', 'commands_waiting'])
  })

  it('names what the device does not listen to, and calls it broken once such a command waits', () => {
    const session = { ...facts().path!.session!, subscriptions: [{ filter: 'things/p/SN-0001/service/#', qos: 1 }] }
    const deaf = (waiting: string[], refused: LogRow[] = []) =>
      facts({
        path: { session, unheard: ['property/set'] },
        rows: [row(), ...refused],
        commands: { queued: waiting.length, waiting, oldestQueuedAt: null, recent: [] },
      })
    expect(named(deaf([]))).toEqual(['warning', 'commands', 'not_subscribed'])
    expect(named(deaf(['service/restart/invoke']))).toEqual(['warning', 'commands', 'not_subscribed'])
    expect(named(deaf(['property/set']))).toEqual(['broken', 'commands', 'not_subscribed'])
    const asked = row({ kind: 'refused', reason: 'subscription_refused', values: { filter: 'property/set' } })
    expect(diagnose(deaf([], [asked])).steps[6]!.findings[0]).toMatchObject({
      fixes: ['open_device_link'],
      params: {
        topics: ['property/set'],
        subscriptions: ['things/p/SN-0001/service/#'],
        refused: 'property/set',
      },
    })
  })

  it('tells when a certificate was revoked, and whether there is another', () => {
    const refusal = {
      productKey: 'p',
      deviceNo: 'SN-0001',
      reason: 'certificate_revoked',
      transport: 'mqtts',
      address: '192.0.2.9',
      firstAt: ago(5),
      lastAt: ago(5),
      count: 4,
      previousSecret: false,
    }
    const revoked = facts({
      device: { certificates: { active: 1, revokedAt: ago(900) } },
      path: { session: null, refusals: [refusal] },
    })
    expect(diagnose(revoked).steps[1]!.findings[0]).toMatchObject({
      cause: 'certificate_revoked',
      fixes: ['open_device_link'],
      params: { address: '192.0.2.9', count: 4, active: 1, revokedAt: ago(900) },
    })
  })

  describe('a slave', () => {
    const slave = { address: 7, questions: 1, failures: 0, since: ago(600), polledAt: ago(1) }
    const bus = { since: ago(600), slaves: 2, slave }
    const below = (polling: object | null, over: Partial<Facts['device']> = {}) =>
      facts({
        device: {
          nodeType: 'sub_device',
          formatKind: 'modbus',
          gateway: { id: 'g', deviceNo: 'GW-1', online: true },
          ...over,
        },
        path: { session: null, polling },
        rows: [row({ at: ago(900) })],
      })

    it.each([
      ['slave_gateway_no_bus', null, {}],
      ['slave_not_on_bus', { ...bus, slave: null }, {}],
      ['slave_no_table', { ...bus, slave: null }, { formatKind: 'json' }],
      ['slave_no_registers', { ...bus, slave: { ...slave, questions: 0 } }, {}],
      ['slave_no_turn', { ...bus, slave: { ...slave, polledAt: null } }, {}],
    ])('that nobody polls is named: %s', (reason, polling, over) => {
      const sick = below(polling, over)
      expect(named(sick)).toEqual(['broken', 'frames', 'slave_not_polled'])
      expect(diagnose(sick).steps[2]!.findings[0]!.params).toMatchObject({ reason, gatewayId: 'g', gatewayNo: 'GW-1' })
    })

    it('that is polled, or was connected this moment, is not', () => {
      expect(named(below(bus))).toEqual(['broken', 'frames', 'offline'])
      expect(named(below({ ...bus, since: ago(3), slave: null }))).toEqual(['broken', 'frames', 'offline'])
      expect(named(below({ ...bus, slave: { ...slave, since: ago(30), polledAt: null } }))[2]).toBe('offline')
      // Other devices below a gateway have nothing to do with a bus.
      expect(named(below(null, { formatKind: 'json' }))).toEqual(['broken', 'frames', 'offline'])
    })

    it('is not looked for behind a gateway that is away, nor is a DTU one', () => {
      const away = below(null, { gateway: { id: 'g', deviceNo: 'GW-1', online: false } })
      expect(named(away)).toEqual(['broken', 'frames', 'gateway_offline'])
      const session = { ...facts().path!.session!, transport: 'tcp' as const }
      const dtu = (nodeType: string, slaves: number) =>
        facts({
          device: { linkType: 'modbus_rtu', nodeType },
          path: { session, polling: { since: ago(600), slaves, slave: null } },
        })
      expect(named(dtu('device', 3))[2]).toBeNull()
      expect(named(dtu('gateway', 0))[2]).toBeNull()
      expect(named(dtu('device', 0))).toEqual(['broken', 'frames', 'slave_not_polled'])
    })

    it('that answered with a fault last is named for that first', () => {
      const sick = { ...below({ ...bus, slave: null }), rows: [refused('modbus_exception')] }
      expect(named(sick)).toEqual(['broken', 'frames', 'bus_exception'])
    })
  })

  it('names late data', () => {
    const late = Array.from({ length: 5 }, () => row({ late: true }))
    expect(named(facts({ rows: late }))).toEqual(['warning', 'model', 'data_late'])
  })

  it('names the SIM card that passes no data before anything else', () => {
    const card = {
      id: 'c',
      carrier: 'cmcc',
      iccid: '89860412102000000010',
      state: 'stopped',
      rawState: '4',
      stopReason: 'manual',
      dataOff: null,
      imei: '861234050000001',
      boundImei: null,
      since: ago(60),
    }
    const causeOf = (over: object) =>
      diagnose(facts({ device: { card: { ...card, ...over } } })).steps[0]!.findings[0]?.cause
    expect(diagnose(facts({ device: { card } }))).toMatchObject({
      verdict: 'broken',
      step: 'port',
      cause: 'sim_stopped',
    })
    expect(diagnose(facts({ device: { card } })).steps[0]!.findings[0]).toMatchObject({
      params: { iccid: card.iccid, raw: '4' },
      fixes: ['open_sim_card'],
    })
    expect(causeOf({ state: 'active', dataOff: true })).toBe('sim_data_off')
    expect(causeOf({ state: 'active', boundImei: '861234050000109' })).toBe('sim_moved')
    // The last digit is a check digit, and of what was not synced yet nothing is known.
    expect(causeOf({ state: 'active', boundImei: '861234050000002' })).toBeUndefined()
    expect(causeOf({ state: 'unsynced' })).toBeUndefined()
  })

  it('names what keeps a LoRaWAN device from being heard', () => {
    const lora = {
      state: 'registered' as const,
      fault: null,
      lastSeenAt: ago(60),
      problem: null,
      problemAt: null,
      gateway: { name: 'Roof', state: 'online', since: null },
    }
    const first = (over: object) =>
      diagnose(facts({ device: { linkType: 'lorawan', lora: { ...lora, ...over } } })).steps[0]!.findings[0]
    expect(first({})).toBeUndefined()
    expect(first({ state: 'none' })).toBeUndefined()
    expect(first({ state: 'failed', fault: 'no such profile' })).toMatchObject({
      cause: 'lora_not_registered',
      params: { text: 'no such profile' },
    })
    expect(first({ lastSeenAt: null })).toMatchObject({ cause: 'lora_not_joined', severity: 'warning' })
    expect(first({ lastSeenAt: null, state: 'none' })).toMatchObject({ cause: 'lora_no_keys' })
    expect(first({ gateway: { name: 'Roof', state: 'offline', since: ago(5) } })).toMatchObject({
      cause: 'lora_gateway_offline',
      severity: 'broken',
      params: { name: 'Roof' },
      fixes: ['open_lora'],
    })
    const problem = { level: 'error', code: 'UPLINK_CODEC', text: 'unexpected token' }
    expect(first({ problem, problemAt: ago(10) })).toMatchObject({ cause: 'lora_problem' })
    // It was heard since.
    expect(first({ problem, problemAt: ago(90) })).toBeUndefined()
  })
})

describe('what watches the device', () => {
  const watch = (over: Partial<NonNullable<Facts['watch']>> = {}): Facts['watch'] => ({
    maintenance: null,
    alarms: { open: 0, level: 0, at: null, names: [] },
    triggers: { judged: 1, failing: [], paused: [] },
    ...over,
  })
  const last = (given: Facts) => diagnose(given).steps.at(-1)!

  it('is well while triggers watch it and none of them says anything', () => {
    expect(named(facts({ watch: watch() }))).toEqual(['healthy', null, null])
    expect(last(facts({ watch: watch() }))).toMatchObject({ step: 'alarms', state: 'ok', facts: { triggers: 1 } })
  })

  it('is not known where nothing watches it, or where the caller may not see what does', () => {
    for (const unknown of [
      watch({ triggers: { judged: 0, failing: [], paused: [] } }),
      watch({ alarms: null, triggers: null }),
      null,
    ])
      expect(last(facts({ watch: unknown })).state).toBe('unknown')
  })

  it('names open alarms, triggers that are not judged with their reason, and maintenance, in this order', () => {
    const given = facts({
      watch: watch({
        maintenance: { since: ago(60), until: NOW + 60_000, reason: 'new probe' },
        alarms: { open: 12, level: 4, at: ago(30), names: ['a', 'b', 'c', 'd', 'e', 'f'] },
        triggers: {
          judged: 0,
          failing: [{ name: 'Cold', why: 'no property' }],
          paused: [{ name: 'Loop', why: 'circle' }],
        },
      }),
    })
    expect(named(given)).toEqual(['warning', 'alarms', 'alarms_open'])
    const { findings } = last(given)
    expect(findings.map(({ cause, severity, params }) => [cause, severity, params])).toEqual([
      ['alarms_open', 'warning', { count: 12, level: 4, names: ['a', 'b', 'c', 'd', 'e'] }],
      ['trigger_error', 'warning', { count: 1, names: ['Cold'], why: 'no property' }],
      ['trigger_paused', 'warning', { count: 1, names: ['Loop'], why: 'circle' }],
      ['in_maintenance', 'warning', { until: NOW + 60_000, reason: 'new probe' }],
    ])
  })

  it('names cameras that show nothing: their account first, with the words of its vendor', () => {
    const account = { name: 'Shop', state: 'failed', fault: { code: '10002', text: 'accessToken expired' } }
    const given = facts({
      device: {
        cameras: [
          { name: 'Door', state: 'online', account: null },
          { name: 'Yard', state: 'offline', account: null },
          { name: 'Till', state: 'offline', account },
          { name: 'Tried', state: 'online', account: { ...account, state: 'ok' } },
        ],
      },
      watch: watch(),
    })
    expect(last(given).findings.map(({ cause, params, fixes }) => [cause, params, fixes])).toEqual([
      [
        'camera_account',
        { count: 1, names: ['Till'], account: 'Shop', text: '10002 accessToken expired' },
        ['open_cameras'],
      ],
      ['camera_offline', { count: 1, names: ['Yard'] }, ['open_cameras']],
    ])
    expect(last(facts({ watch: watch() })).findings).toEqual([])
  })

  it('stands behind a fault on the way of the messages', () => {
    const given = facts({
      device: { published: false },
      watch: watch({ alarms: { open: 1, level: 5, at: ago(1), names: ['x'] } }),
    })
    expect(named(given)).toEqual(['broken', 'sign_in', 'product_unpublished'])
  })
})

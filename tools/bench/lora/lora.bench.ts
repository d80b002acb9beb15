import { randomUUID } from 'node:crypto'
import { type SimulatedBroker, startBroker } from '../../simulators/chirpstack/broker.ts'
import { bytesOf } from '../../simulators/chirpstack/event-bytes.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, until } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import { Site } from '../core/site.ts'

const DEVICES = 10_000
const RATE = 1_000
const SECONDS: Record<Size, number> = { S: 10, M: 60 }
const WARM_SECONDS = 3
const TICK_MS = 5
const PATIENCE_MS = 120_000
const REMOTE_TENANT = '52f14cd4-c6f1-4fbd-8f87-4025e1d49242'

const round = (ms: number) => Math.round(ms * 10) / 10
const euiOf = (n: number) => `70b3d5${n.toString(16).padStart(10, '0')}`

/** An uplink as ChirpStack tells of it; `data` is what the bench knows it again by. */
function uplink(n: number, value: number) {
  return {
    deduplicationId: randomUUID(),
    time: new Date().toISOString(),
    deviceInfo: {
      tenantId: REMOTE_TENANT,
      tenantName: 'Bench',
      applicationId: '1',
      applicationName: 'Meters',
      deviceProfileId: '1',
      deviceProfileName: '',
      deviceName: `Meter ${n}`,
      devEui: euiOf(n),
      deviceClassEnabled: 'CLASS_A',
      tags: {},
    },
    devAddr: '01020304',
    adr: true,
    dr: 5,
    fCnt: value,
    fPort: 2,
    confirmed: false,
    data: 'AQI=',
    object: { t: value },
    rxInfo: [{ gatewayId: '0016c001f1500812', uplinkId: 1, rssi: -57, snr: 9.5 }],
    txInfo: { frequency: 486_300_000, modulation: { lora: { bandwidth: 125_000, spreadingFactor: 7 } } },
    regionConfigId: 'cn470_10',
  }
}

interface Way {
  name: string
  /** Sends one; `done` is called when the server says that it is stored. */
  send(n: number, value: number, done: () => void, failed: (why: string) => void): void
}

/** 1,000 uplinks a second of 10,000 LoRaWAN devices, over each of the ways that ChirpStack has. */
export const lora: Bench = {
  name: 'lora',
  summary:
    '1,000 uplinks a second of 10,000 LoRaWAN devices, by MQTT (JSON, protobuf) and by HTTP, until they are stored',
  async run(options) {
    /** What waits for its acknowledgement, by topic and the number that the device counts. */
    const waiting = new Map<Buffer, () => void>()
    const broker = await startBroker({
      acknowledged: ({ payload }) => {
        waiting.get(payload as Buffer)?.()
        waiting.delete(payload as Buffer)
      },
    })
    const site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1/32' })
    try {
      return await run(options, site, broker, waiting)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      await site.close()
      await broker.close()
    }
  },
}

async function run(
  { say, size }: BenchOptions,
  site: Site,
  broker: SimulatedBroker,
  waiting: Map<Buffer, () => void>,
): Promise<BenchReport> {
  const product = await site.api.post<{ id: string }>('/products', {
    name: 'LoRa meter',
    linkType: 'lorawan',
    thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'int32' }, access: 'r' }] },
  })
  await site.sql(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, activated_at, secret_hash, secret_cipher)
     select gen_random_uuid(), p.tenant_id, p.id, p.num, '70b3d5' || lpad(to_hex(i), 10, '0'), 'Meter ' || i, 'active', now(),
            sha256(convert_to('secret-' || i, 'utf8')), sha256(convert_to('cipher-' || i, 'utf8'))
     from products p, generate_series(0, $2::int - 1) i where p.id = $1`,
    [product.id, DEVICES],
  )
  await site.sql('vacuum (analyze) devices')
  const { host, port, username, password } = broker
  const connection = await site.api.post<{ id: string }>('/lora/connections', {
    name: 'Bench',
    url: 'http://127.0.0.1:59999',
    remoteTenantId: REMOTE_TENANT,
    apiKey: 'none is asked with',
    mqtt: { host, port, tls: false, username, password },
  })
  if (!(await until(() => broker.filters().length === 1, PATIENCE_MS))) throw new Error('nothing listens to the broker')
  const callback = await site.api.post<{ path: string; value: string }>(
    `/lora/connections/${connection.id}/callback`,
    {},
  )
  // A new secret is a new version of the connection: the listener comes again.
  await until(() => broker.filters().length === 0, 10_000)
  if (!(await until(() => broker.filters().length === 1, PATIENCE_MS))) throw new Error('nothing listens to the broker')

  const published =
    (encoding: 'json' | 'protobuf'): Way['send'] =>
    (n, value, done) => {
      const body = uplink(n, value)
      const payload = encoding === 'json' ? Buffer.from(JSON.stringify(body)) : bytesOf('up', body)
      waiting.set(payload, done)
      broker.publish(`application/1/device/${euiOf(n)}/event/up`, payload)
    }
  const posted: Way['send'] = (n, value, done, failed) => {
    fetch(`${site.installation.url}${callback.path}?event=up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: callback.value },
      body: JSON.stringify(uplink(n, value)),
    })
      .then(async reply => {
        await reply.arrayBuffer()
        if (reply.ok) done()
        else failed(String(reply.status))
      })
      .catch((error: Error) => failed(error.message))
  }
  const ways: Way[] = [
    { name: 'MQTT, JSON', send: published('json') },
    { name: 'MQTT, protobuf', send: published('protobuf') },
    { name: 'HTTP, JSON', send: posted },
  ]
  const seen = []
  for (const way of ways) {
    await drive(way, WARM_SECONDS)
    const before = await stored(site)
    const cpu = readCpu(site.installation.pid)
    const result = await drive(way, SECONDS[size])
    const { microsPerMessage } = cpuBetween(cpu, readCpu(site.installation.pid), result.sent)
    const lost = result.sent - ((await stored(site)) - before)
    const { p50, p95, max } = summed(result.times)
    say(
      `  ${way.name}: stored p95 ${p95} ms, ${lost} lost, ${Object.keys(result.failures).join(', ') || 'none refused'}`,
    )
    seen.push({ ...way, ...result, p50, p95, max, lost, microsPerMessage })
  }
  const slowest = seen.slice(0, 2).reduce((a, b) => (b.p95 > a.p95 ? b : a))
  return {
    tables: [
      {
        title: `${RATE} uplinks a second of ${DEVICES} devices, from the moment each was due until the server said that it is stored; ms`,
        head: ['way', 'sent', 'p50', 'p95', 'max', 'CPU of the server, µs each', 'not stored', 'refused'],
        rows: seen.map(({ name, sent, p50, p95, max, lost, microsPerMessage, failures }) => [
          name,
          sent,
          p50,
          p95,
          max,
          microsPerMessage,
          lost,
          Object.values(failures).reduce((sum, n) => sum + n, 0),
        ]),
      },
    ],
    goals: [
      atMost(`uplink by MQTT until stored, p95 of the slower encoding (${slowest.name})`, slowest.p95, 200, 'ms'),
      atMost('uplinks by MQTT that were not stored', seen[0]!.lost + seen[1]!.lost, 0, ''),
    ],
    notes: [
      'Devices are written by SQL. ChirpStack’s broker is the simulated one, in the process of the benchmark, QoS 1: its acknowledgement is the server’s word that the uplink is stored. By HTTP that is status 200.',
      'What is stored is counted in the journal after each run.',
    ],
    versions: { PostgreSQL: await site.postgresVersion() },
    data: {
      ways: seen.map(({ name, sent, p50, p95, max, lost, failures }) => ({
        name,
        sent,
        p50,
        p95,
        max,
        lost,
        failures,
      })),
    },
  }
}

const stored = async (site: Site) =>
  (await site.sql<{ n: number }>('select count(*)::int as n from journal where kind = 1'))[0]!.n

function summed(times: Histogram) {
  return { p50: round(times.percentile(50)), p95: round(times.percentile(95)), max: round(times.percentile(100)) }
}

let counter = 0

/** Sends at the rate, each when it is due, whatever became of those before; ends when all of them were answered. */
async function drive(way: Way, seconds: number) {
  const times = new Histogram()
  const failures: Record<string, number> = {}
  const wanted = RATE * seconds
  const began = performance.now()
  let sent = 0
  let answered = 0
  while (sent < wanted) {
    const due = Math.min(wanted, Math.floor(((performance.now() - began) / 1_000) * RATE))
    for (; sent < due; sent++) {
      const at = began + (sent * 1_000) / RATE
      const done = () => {
        answered++
        times.record(performance.now() - at)
      }
      const failed = (why: string) => {
        answered++
        failures[why] = (failures[why] ?? 0) + 1
      }
      way.send(counter % DEVICES, counter++, done, failed)
    }
    await new Promise(resolve => setTimeout(resolve, TICK_MS))
  }
  if (!(await until(() => answered === sent, PATIENCE_MS))) throw new Error(`${answered} of ${sent} were answered`)
  return { times, failures, sent }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  atLeast,
  atMost,
  type Bench,
  type BenchOptions,
  type BenchReport,
  type Size,
  seconds,
  until,
} from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import { Site } from '../core/site.ts'
import { Slaves } from './slaves.ts'

interface Plan {
  slaves: number
  seconds: number
  writes: number
}

const PLANS: Record<Size, Plan> = {
  S: { slaves: 500, seconds: 15, writes: 50 },
  M: { slaves: 500, seconds: 60, writes: 200 },
}
const CYCLE_SECONDS = 1
/** A short question and answer at 38,400 baud. */
const ANSWER_MS = 15
const WARM_SECONDS = 4

/** 24 properties in three questions: neighbours are read together, two gaps are too wide. */
const PROPERTIES = Array.from({ length: 24 }, (_, i) => `r${i}`)
const addressOf = (i: number) => i + (i >= 16 ? 60 : i >= 8 ? 30 : 0)

export const modbus: Bench = {
  name: 'modbus',
  summary: '500 polled Modbus slaves at 1 s: lag of a poll, writes between polls',
  async run(options) {
    const site = await Site.open({ TCP_PORT: '0', UDP_PORT: '0', COAP_PORT: '0' })
    const { ports } = JSON.parse(readFileSync(join(site.installation.dataDir, 'run.json'), 'utf8')) as {
      ports: { tcp: number }
    }
    const slaves = new Slaves(ports.tcp, ANSWER_MS)
    try {
      return await run(options, PLANS[options.size], site, slaves)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      slaves.stop()
      await site.close()
    }
  },
}

async function run({ say }: BenchOptions, plan: Plan, site: Site, slaves: Slaves): Promise<BenchReport> {
  const product = await site.api.post<{ id: string; productKey: string }>('/products', {
    name: 'Meter on a bus',
    linkType: 'modbus_rtu',
    thingModel: {
      properties: PROPERTIES.map(identifier => ({
        identifier,
        name: identifier,
        dataType: { type: 'int32' },
        access: 'rw',
      })),
    },
  })
  const registers = PROPERTIES.map((identifier, i) => ({
    identifier,
    function: 3,
    address: addressOf(i),
    dataType: 'uint16',
  }))
  await site.sql('update products set format = $2, link = $3 where id = $1', [
    product.id,
    JSON.stringify({ kind: 'modbus', registers }),
    JSON.stringify({
      modbus: { cycleSeconds: CYCLE_SECONDS, slave: 1, timeoutMs: 3000, retries: 2, maxGap: 8, pauseMs: 0 },
    }),
  ])
  const devices = await site.sql<{ id: string; num: number; device_no: string }>(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, activated_at, secret_hash, secret_cipher)
     select gen_random_uuid(), p.tenant_id, p.id, p.num, 'meter-' || i, 'Meter ' || i, 'active', now(),
            sha256(convert_to('secret-' || i, 'utf8')), sha256(convert_to('cipher-' || i, 'utf8'))
     from products p, generate_series(1, $2::int) i where p.id = $1 returning id, num, device_no`,
    [product.id, plan.slaves],
  )
  say(`${plan.slaves} slaves connect …`)
  for (const { device_no } of devices)
    await slaves.add(`${product.productKey}/${device_no}/secret-${device_no.slice('meter-'.length)}\r\n`)
  const polling = await until(async () => (await metric(site, 'modbus_slaves_state')) === plan.slaves, 30_000, 100)
  if (!polling) throw new Error(`only ${await metric(site, 'modbus_slaves_state')} slaves are polled`)
  await seconds(WARM_SECONDS)

  say(`polling every ${CYCLE_SECONDS} s for ${plan.seconds} s …`)
  slaves.intervals = new Histogram()
  const cpu = readCpu(site.installation.pid)
  const stored = await storedRows(site)
  const polls = await metric(site, 'modbus_polls')
  const began = performance.now()
  await seconds(plan.seconds)
  const elapsed = (performance.now() - began) / 1_000
  const rows = (await storedRows(site)) - stored
  const polled = (await metric(site, 'modbus_polls')) - polls
  const use = cpuBetween(cpu, readCpu(site.installation.pid), rows)
  const lag = { p50: await metric(site, 'modbus_lag_p50_ms_state'), p99: await metric(site, 'modbus_lag_p99_ms_state') }
  const skipped = await metric(site, 'modbus_polls_skipped')
  const intervals = slaves.intervals

  say(`${plan.writes} writes with read-back while polling goes on …`)
  const writes = new Histogram()
  let failed = 0
  for (let i = 0; i < plan.writes; i++) {
    const device = devices[(i * 37) % devices.length]!
    const at = performance.now()
    const { id } = await site.api.post<{ id: string }>(`/devices/${device.id}/commands`, {
      kind: 'property_set',
      params: { r9: i },
    })
    let state = ''
    await until(
      async () => {
        state = (await site.api.get<{ state: string }>(`/devices/${device.id}/commands/${id}`)).state
        return state !== 'queued' && state !== 'sent' && state !== 'delivered'
      },
      10_000,
      10,
    )
    if (state === 'succeeded') writes.record(performance.now() - at)
    else failed++
  }

  const round = (value: number) => Math.round(value * 10) / 10
  const wanted = plan.slaves / CYCLE_SECONDS
  return {
    tables: [
      {
        title: `${plan.slaves} slaves, ${PROPERTIES.length} registers each in 3 questions, cycle ${CYCLE_SECONDS} s, an answer takes ${ANSWER_MS} ms`,
        head: ['figure', 'p50', 'p99', 'max'],
        rows: [
          ['lag of a poll: due → last answer, ms', round(lag.p50), round(lag.p99), null],
          [
            'time between two polls of a slave, ms',
            round(intervals.percentile(50)),
            round(intervals.percentile(99)),
            round(intervals.percentile(100)),
          ],
          [
            'write: API → read back and succeeded, ms',
            round(writes.percentile(50)),
            round(writes.percentile(99)),
            round(writes.percentile(100)),
          ],
        ],
      },
      {
        title: 'Rates',
        head: ['polls/s', 'stored messages/s', 'questions/s', 'skipped polls', 'CPUs', 'µs CPU per poll'],
        rows: [
          [
            round(polled / elapsed),
            round(rows / elapsed),
            round((polled / elapsed) * 3),
            skipped,
            use.cores,
            use.microsPerMessage,
          ],
        ],
      },
    ],
    goals: [
      atLeast('polls stored a second', round(rows / elapsed), wanted * 0.98, '/s'),
      // Three questions of 15 ms, one slot of the wheel, and as much again.
      atMost('lag of a poll, p99', round(lag.p99), 200, 'ms'),
      atMost('writes that failed', failed, 0, ''),
    ],
    notes: [
      `The lag counts from the moment a poll was due to its last answer; ${3 * ANSWER_MS} ms of it is the slaves’ own time.`,
      'Slaves and server share the machine; each slave has a connection of its own.',
    ],
    versions: { PostgreSQL: await site.postgresVersion() },
    data: { lag, intervals: { p50: intervals.percentile(50), p99: intervals.percentile(99) }, rows, elapsed, failed },
  }
}

async function storedRows(site: Site): Promise<number> {
  const [row] = await site.sql<{ n: number }>('select count(*)::int as n from journal where kind = 1')
  return row!.n
}

/** A figure of the gateway from /metrics. */
async function metric(site: Site, name: string): Promise<number> {
  const text = await (await fetch(`${site.installation.url}/metrics`)).text()
  const found = new RegExp(`${name}(?:\\{[^}]*\\})? ([-0-9.e+]+)`).exec(text)
  return found ? Number(found[1]) : 0
}

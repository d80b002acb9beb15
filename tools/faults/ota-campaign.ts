import { hashOf, imageOf } from '@thingwright/device-sdk/testing/board'
import { Api } from '../bench/core/api.ts'
import { Installation } from '../lib/installation.ts'
import type { FirmwareLife } from '../simulators/device-fleet/firmware/unit.ts'
import { OtaUnits, type UnitAccount } from './ota-units.ts'

export interface CampaignOutcome {
  state: string
  reason: string | null
  /** Jobs by state. */
  states: Record<string, number>
  /** Of those that came to an end. */
  failurePercent: number | null
}

export interface OtaCampaignReport {
  /** A campaign of bad luck: it stops itself. */
  stopped: CampaignOutcome
  /** Devices that had come to their end when it stopped, and how many of them had failed, as the operation log says. */
  endedAtStop: number
  failedAtStop: number
  /** Devices by version then. */
  versionsAtStop: Record<string, number>
  /** The next campaign, with kill -9 of everything in its middle. */
  killed: CampaignOutcome
  /** How many had succeeded when everything was killed. */
  atKill: number
  backMs: number
  /** Ms of each part, in order. */
  took: Record<string, number>
  versionsAtEnd: Record<string, number>
  /** Jobs whose word and whose device say different things. */
  contradictions: string[]
  /** Images that were started and were none of ours. */
  strangeImages: number
  bricked: number
}

/** A device that a kill or a reset cost its notice is told again soon. */
const TIMEOUTS = { respondSeconds: 20, downloadSeconds: 40, installSeconds: 40 }
/** Devices that cannot come to their end before everything is killed. */
const HELD = 20
const FAULTS = ['flash', 'crash', 'refuse'] as const
const POWER = ['downloading', 'downloaded', 'verified', 'installing', 'trial'] as const

/** Every twentieth device has a fault; of the others some lose power in one phase, and some download over HTTP. */
function lifeOf(index: number, baseUrl: string): FirmwareLife {
  const life: FirmwareLife = { version: '1.0.0', rebootMs: 20, transport: 'chunks', hurry: true }
  if (index % 20 === 7) return { ...life, fault: FAULTS[Math.floor(index / 20) % FAULTS.length]! }
  if (index % 10 === 3)
    return { ...life, powerLossIn: POWER[Math.floor(index / 10) % POWER.length]!, torn: index % 4 < 2 }
  return index % 10 === 5 ? { ...life, transport: 'https', baseUrl } : life
}

/**
 * A thousand simulated devices, 5 % of them with a fault: a campaign that stops itself at its failure rate, then one that
 * every process of the server is killed in the middle of.
 */
export async function otaCampaign(options: {
  devices: number
  /** Devices of the campaign that is killed, and successes at which it is. */
  killed: number
  killAt: number
  command?: string[]
}): Promise<OtaCampaignReport> {
  const installation = await Installation.create(options.command ? { command: options.command } : {})
  let units: OtaUnits | null = null
  let api: Api | null = null
  const took: Record<string, number> = {}
  let since = performance.now()
  const lap = (part: string): void => {
    took[part] = Math.round(performance.now() - since)
    since = performance.now()
  }
  try {
    await installation.start()
    lap('start')
    api = new Api(installation.url, 4)
    await api.signIn()
    const { productId, accounts, ids } = await devicesOf(installation, api, options.devices)
    units = new OtaUnits(installation.mqttPort, accounts, i => lifeOf(i, installation.url))
    const known = await until(installation, `select count(*)::int as n from device_firmware`, options.devices)
    if (!known) throw new Error('the devices’ versions did not arrive')

    lap('connect')
    const first = imageOf('2.0.0', { bytes: 20_000 })
    const unlucky = await campaign(installation, api, productId, '2.0.0', 2, first, {
      rate: { kind: 'constant', perMinute: 60_000, maxActive: 150 },
      retries: { max: 0, backoffSeconds: 0 },
      timeouts: TIMEOUTS,
      autoStop: { failurePercent: 3, afterDevices: 100 },
    })
    const stopped = await ended(api, unlucky, ['stopped'])
    lap('stopped')
    const versionsAtStop = units.versions()
    const atStop = await stopOf(installation, unlucky)
    // Those under way come to their end; nobody else is told.
    await settled(api, unlucky)
    await api.post(`/ota-campaigns/${unlucky}/cancel`, {})

    lap('settled')
    const second = imageOf('3.0.0', { bytes: 20_000, seed: 3 })
    const chosen = ids.slice(0, options.killed)
    // Some are out of reach until everything was killed: however late that is, it is in the middle.
    const held = accounts.slice(options.killed - HELD, options.killed).map(({ deviceNo }) => deviceNo)
    units.hold(held)
    const next = await campaign(installation, api, productId, '3.0.0', 3, second, {
      scope: { kind: 'chosen', deviceIds: chosen },
      rate: { kind: 'constant', perMinute: 60_000, maxActive: 150 },
      retries: { max: 2, backoffSeconds: 0 },
      timeouts: TIMEOUTS,
    })
    let atKill = 0
    const half = await eventually(async () => {
      atKill = (await outcomeOf(api!, next)).states.succeeded ?? 0
      return atKill >= options.killAt
    })
    if (!half) throw new Error(`only ${atKill} devices had succeeded:\n${installation.log.slice(-2_000)}`)
    lap('half')
    const began = performance.now()
    installation.kill('everything')
    await installation.exited()
    await installation.start()
    const backMs = Math.round(performance.now() - began)
    await api.signIn()
    units.letGo(held)
    await ended(api, next, ['completed'])
    lap('killed')
    const contradictions = await lastContradictions(installation, units)
    // A device that was given up while the server was away comes to its version all the same, and then counts.
    const killed = await outcomeOf(api, next)
    const allowed = new Set([hashOf(first), hashOf(second)])
    return {
      stopped,
      endedAtStop: atStop.ended,
      failedAtStop: atStop.failed,
      versionsAtStop,
      killed,
      atKill,
      backMs,
      took,
      versionsAtEnd: units.versions(),
      contradictions,
      strangeImages: [...units.units.values()].flatMap(({ board }) =>
        board.started.filter(hash => !allowed.has(hash) && hash !== hashOf(board.factory)),
      ).length,
      bricked: [...units.units.values()].filter(unit => unit.isBricked).length,
    }
  } finally {
    await units?.stop()
    api?.close()
    installation.kill('everything')
    await installation.exited()
    installation.remove()
  }
}

/** The product through the API, its devices by SQL: a thousand through the API would be most of the test's time. */
async function devicesOf(
  installation: Installation,
  api: Api,
  count: number,
): Promise<{ productId: string; accounts: UnitAccount[]; ids: string[] }> {
  const product = await api.post<{ id: string; productKey: string }>('/products', {
    name: 'Pumps',
    linkType: 'mqtt',
    thingModel: { properties: [], services: [] },
  })
  const pool = installation.database()
  let ids: string[] = []
  try {
    const made = await pool.query<{ id: string }>(
      `insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, activated_at, secret_hash, secret_cipher)
       select gen_random_uuid(), p.tenant_id, p.id, p.num, 'pump-' || i, 'Pump ' || i, 'active', now(),
              sha256(convert_to('secret-' || i, 'utf8')), sha256(convert_to('cipher-' || i, 'utf8'))
       from products p, generate_series(1, $2::int) i where p.id = $1 returning id`,
      [product.id, count],
    )
    ids = made.rows.map(({ id }) => id)
  } finally {
    await pool.end()
  }
  const accounts = Array.from({ length: count }, (_, i) => ({
    productKey: product.productKey,
    deviceNo: `pump-${i + 1}`,
    secret: `secret-${i + 1}`,
  }))
  return { productId: product.id, accounts, ids }
}

async function campaign(
  installation: Installation,
  api: Api,
  productId: string,
  version: string,
  orderNo: number,
  image: Buffer,
  plan: object,
): Promise<string> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ productId, name: version, version, orderNo: String(orderNo) }))
    form.append(name, value)
  form.append('file', new Blob([new Uint8Array(image)]), 'firmware.bin')
  const reply = await fetch(`${installation.url}/api/v1/firmware-packages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await api.signIn()}` },
    body: form,
  })
  if (!reply.ok) throw new Error(`upload: HTTP ${reply.status} ${await reply.text()}`)
  const { id: packageId } = (await reply.json()) as { id: string }
  await api.prove()
  const body = { name: `Roll-out of ${version}`, packageId, scope: { kind: 'all' }, ...plan }
  return (await api.post<{ id: string }>('/ota-campaigns', body)).id
}

async function outcomeOf(api: Api, id: string): Promise<CampaignOutcome> {
  const { state, stateReason, counts, failurePercent } = await api.get<{
    state: string
    stateReason: string | null
    counts: Record<string, number>
    failurePercent: number | null
  }>(`/ota-campaigns/${id}`)
  return { state, reason: stateReason, states: counts, failurePercent }
}

/** What stopped a campaign: more devices come to their end while it is read. */
async function stopOf(installation: Installation, id: string): Promise<{ failed: number; ended: number }> {
  const pool = installation.database()
  try {
    const { rows } = await pool.query<{ after: { failed: number; ended: number } }>(
      `select after from audit_logs where action = 'ota_campaign.stop' and object_id = $1`,
      [id],
    )
    return rows[0]!.after
  } finally {
    await pool.end()
  }
}

async function ended(api: Api, id: string, states: readonly string[]): Promise<CampaignOutcome> {
  let outcome = await outcomeOf(api, id)
  const came = await eventually(async () => {
    outcome = await outcomeOf(api, id)
    return states.includes(outcome.state)
  })
  if (!came) throw new Error(`the campaign came to no end: ${JSON.stringify(outcome)}`)
  return outcome
}

const UNDER_WAY = ['notified', 'downloading', 'downloaded', 'verified', 'installing']

async function settled(api: Api, id: string): Promise<void> {
  const still = await eventually(async () => {
    const { states } = await outcomeOf(api, id)
    return UNDER_WAY.every(state => (states[state] ?? 0) === 0)
  })
  if (!still) throw new Error('devices of the stopped campaign came to no end')
}

/** Devices that are still saying what they run get their time; what is left then is wrong. */
async function lastContradictions(installation: Installation, units: OtaUnits): Promise<string[]> {
  let left: string[] = []
  await eventually(async () => {
    left = await contradictions(installation, units)
    return left.length === 0
  })
  return left
}

/** What the last job of each device says, against the device itself and what it reported. */
async function contradictions(installation: Installation, { units }: OtaUnits): Promise<string[]> {
  const pool = installation.database()
  try {
    const { rows } = await pool.query<{ device_no: string; state: string; to_version: string; version: string }>(
      `select distinct on (d.num) d.device_no, j.state, j.to_version, f.version
       from devices d join ota_jobs j on j.device = d.num join device_firmware f on f.device = d.num
       order by d.num, j.created_at desc`,
    )
    return rows
      .filter(({ device_no, state, to_version, version }) => {
        const runs = units.get(device_no)!.version
        return runs !== version || (state === 'succeeded') !== (runs === to_version)
      })
      .map(row => `${JSON.stringify(row)} runs ${units.get(row.device_no)!.version}`)
  } finally {
    await pool.end()
  }
}

async function until(installation: Installation, sql: string, least: number): Promise<boolean> {
  const pool = installation.database()
  try {
    return await eventually(async () => (await pool.query<{ n: number }>(sql)).rows[0]!.n >= least)
  } finally {
    await pool.end()
  }
}

async function eventually(condition: () => Promise<boolean>, ms = 180_000): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > deadline) return false
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return true
}

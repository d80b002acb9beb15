import { Readable } from 'node:stream'
import type { CreateOtaCampaign } from '@thingwright/contracts/ota.contract'
import type pg from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct } from '../db/fixtures.ts'
import { type Company, company, type Management, management } from '../db/testing/management.ts'
import { commandQueue } from '../ingest/commands/command-queue.repo.ts'
import type { Ctx, MemberActor } from '../lib/context.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import { createOtaModule, type OtaModule } from '../modules/ota/index.ts'

let m: Management
let mine: Company
let ota: OtaModule
let holder: pg.PoolClient
let version = 0

beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  ota = createOtaModule({
    database: m.database,
    store: m.store,
    secretKey: 'a secret of the installation, long enough',
    gateway: m.gateway,
    inbox: { notify: async () => undefined },
    requireFreshProof: async () => undefined,
    currentActor: async (_, actor) => actor,
    baseUrl: () => 'http://iot.example',
    now: Date.now,
    logger: silentLogger,
  })
})
beforeEach(async () => {
  holder = await m.db.superuser.connect()
})
afterEach(async () => {
  await holder.query('rollback')
  holder.release()
})

const ctx = (): Ctx => ({
  ...mine.ctx,
  now: Date.now(),
  actor: { ...(mine.ctx.actor as MemberActor), permissions: new Set(['firmware:read', 'firmware:deploy']) },
})

interface Notified {
  job: string
  command: string
  device: number
}

/** A campaign whose notices lie in the queues of three devices. */
async function campaignOfThree(): Promise<{ id: string; notices: Notified[] }> {
  const product = await insertProduct(m.db.superuser, mine)
  const devices: DeviceFixture[] = []
  for (let n = 0; n < 3; n++) devices.push(await insertDevice(m.db.superuser, product))
  const target = await ota.services.packages.upload(
    ctx(),
    { productId: product.id, name: 'pump', version: `1.0.${++version}`, orderNo: version } as never,
    {
      fileName: 'fw.bin',
      contentType: 'application/octet-stream',
      body: Readable.from([Buffer.from(`\xe9${newId()}`, 'latin1')]),
    },
  )
  const { id } = await ota.services.campaigns.create(ctx(), {
    name: 'night',
    packageId: target.id,
    scope: { kind: 'all' },
    rate: { kind: 'constant', perMinute: 60_000 },
  } as CreateOtaCampaign)
  const notices = async () =>
    (
      await m.db.superuser.query<Notified>(
        `select j.id as job, j.command_id as command, j.device from ota_jobs j
         where j.campaign_id = $1 and j.command_id is not null order by j.id`,
        [id],
      )
    ).rows
  await expect.poll(async () => (await ota.runner.step()) || (await notices()).length).toBe(3)
  return { id, notices: await notices() }
}

/** Waits until so many transactions of this database wait for a lock of another one. */
const waiting = (count: number) =>
  expect
    .poll(async () => {
      const { rows } = await m.db.superuser.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0]!.n
    })
    .toBe(count)

describe('cancelling a campaign and the gateway', () => {
  it('never wait for each other in a circle: notices that are being confirmed', async () => {
    const { id, notices } = await campaignOfThree()
    const [first, second, third] = notices as [Notified, Notified, Notified]
    // The gateway finds the notice of the last job before that of the first.
    const [low, , high] = notices.map(each => each.command).sort() as [string, string, string]
    const between = notices.map(each => each.command).find(each => each !== low && each !== high)!
    for (const [notice, command] of [
      [first, high],
      [second, between],
      [third, low],
    ] as const) {
      notice.command = command
      await m.db.superuser.query('update ota_jobs set command_id = $2 where id = $1', [notice.job, command])
    }
    await m.db.superuser.query(
      `update commands set state = 'sent', sent_at = now(), attempt = 1 where id = any ($1::uuid[])`,
      [[first.command, second.command, third.command]],
    )
    await holder.query('begin')
    await holder.query('select 1 from ota_jobs where id = $1 for update', [second.job])
    const cancelled = ota.services.campaigns.cancel(ctx(), id)
    await waiting(1)
    const confirmed = commandQueue(m.database.telemetry as pg.Pool).markDelivered([third.command, first.command])
    await waiting(2)
    await holder.query('commit')
    expect((await confirmed).map(each => each.id).sort()).toEqual([first.command, third.command].sort())
    expect((await cancelled).state).toBe('cancelled')
    const { rows } = await m.db.superuser.query(
      'select state, command_state as "commandState" from ota_jobs where campaign_id = $1 order by id',
      [id],
    )
    expect(rows).toEqual([
      { state: 'cancelled', commandState: 'succeeded' },
      { state: 'cancelled', commandState: 'sent' },
      { state: 'cancelled', commandState: 'succeeded' },
    ])
  })

  it('never wait for each other in a circle: notices that are just leaving', async () => {
    const { id, notices } = await campaignOfThree()
    const byCommand = [...notices].sort((a, b) => (a.command < b.command ? -1 : 1))
    const [first, second, third] = byCommand as [Notified, Notified, Notified]
    await holder.query('begin')
    await holder.query('select 1 from commands where id = $1 for update', [second.command])
    const cancelled = ota.services.campaigns.cancel(ctx(), id)
    await waiting(1)
    const claimed = commandQueue(m.database.telemetry as pg.Pool).claim([
      { device: third.device, room: 1 },
      { device: first.device, room: 1 },
    ])
    await waiting(2)
    await holder.query('commit')
    // Whoever was first: each notice either left or was taken back, and nobody was turned away.
    const left = new Set((await claimed).map(each => each.id))
    expect((await cancelled).state).toBe('cancelled')
    const { rows } = await m.db.superuser.query<{ id: string; state: string }>(
      'select id, state from commands where id = any ($1::uuid[])',
      [notices.map(each => each.command)],
    )
    for (const row of rows) expect(row.state).toBe(left.has(row.id) ? 'sent' : 'cancelled')
  })
})

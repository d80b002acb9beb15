import { beforeAll, describe, expect, it } from 'vitest'
import { at, HOUR, type TariffHouse, tariffHouse, ZONE } from '../../app/testing/tariff-house.ts'
import type { DeviceFixture } from '../../db/fixtures.ts'
import { refusal } from '../../db/testing/management.ts'
import { newId } from '../../lib/ids.ts'
import type { MailMessage } from '../notifications/index.ts'
import type { SwitchPort } from './cutoffs.service.ts'

/** Devices that carry out commands, or do not answer. */
class Relays implements SwitchPort {
  answers = true
  readonly sent: { deviceId: string; params: Record<string, unknown>; confirm: string }[] = []
  private readonly states = new Map<string, string>()
  async create(_ctx: unknown, deviceId: string, { params, confirm }: Parameters<SwitchPort['create']>[2]) {
    const id = newId()
    this.sent.push({ deviceId, params, confirm })
    this.states.set(id, this.answers ? 'succeeded' : 'timed_out')
    return { id }
  }
  async get(_ctx: unknown, _deviceId: string, id: string) {
    const state = this.states.get(id)!
    return { state, errorCode: state === 'succeeded' ? null : 'command.timed_out' }
  }
}

let h: TariffHouse
let tariffId: string
const relays = new Relays()
const mails: MailMessage[] = []
beforeAll(async () => {
  h = await tariffHouse({
    commands: { service: relays },
    mail: { send: async message => void mails.push(message), outbox: () => null },
  })
  const rates = { kind: 'fixed' as const, price: '1' }
  tariffId = (await h.house.tariffs.create(h.ctx(), { name: 'Power', unit: 'kWh', validFrom: '2026-01-01', rates })).id
  h.clock.now = at('2026-05-01', 10)
  await h.house.payments.setSettings(h.ctx(), {
    online: 'simulated',
    drawMinutes: 1,
    lowFen: 1_000,
    waitMinutes: 60,
    freshMinutes: 30,
    protected: [{ from: '22:00', to: '08:00' }],
    version: 0,
  })
  return quiet
})

async function prepaid(name: string) {
  const device = await h.device()
  const endUserId = await h.endUser(name)
  await h.read(device, '2026-05-01', [[0, 100]])
  const meter = await h.house.meters.create(h.ctx(), {
    name,
    deviceId: device.id,
    property: 'energy',
    endUserId,
    tariffId,
    mode: 'prepaid',
    fromDay: '2026-05-01',
    cutProperty: 'relay',
    cutValue: false,
    restoreValue: true,
  })
  return { device, endUserId, meter }
}
/** What a payment began in the background is over: its look at the meters is not one of the test's. */
const quiet = async () => {
  for (const { stop } of h.house.runs ?? []) await stop()
}
async function records(endUserId: string, input: Parameters<typeof h.house.payments.record>[2]) {
  const payment = await h.house.payments.record(h.ctx(), endUserId, input)
  await quiet()
  return payment
}
const work = async (hours: number) => {
  await quiet()
  h.clock.now = at('2026-05-01', hours)
  await h.house.cutoffs.work(h.clock.now)
}
const balanceOf = async (id: string) => (await h.house.accounts.get(h.ctx(), id)).balanceFen
const stateOf = async (endUserId: string) => (await h.house.accounts.cutoffs(h.ctx(), { endUserId })).items[0]?.state
const read = (device: DeviceFixture, hours: number, value: number) => h.read(device, '2026-05-01', [[hours, value]])
const told = (id: string) =>
  h.notices.filter(({ to }) => 'loginIds' in to && to.loginIds.includes(id)).map(({ kind }) => kind)
async function pays(endUserId: string, amountFen: number) {
  const { id } = await h.house.payments.pay(h.as(endUserId), { amountFen })
  return h.house.payments.simulate(h.as(endUserId), id, 'paid')
}

describe('a prepaid meter', () => {
  it('is drawn, warned of, cut off on fresh data after its notice, and restored when it is paid', async () => {
    const { device, endUserId } = await prepaid('Anna')
    await h.db.superuser.query(`update logins set email = 'anna@example.com', locale = 'en' where id = $1`, [endUserId])
    await records(endUserId, { amountFen: 3_000, remark: 'cash' })
    await read(device, 10, 115)
    await work(10.1)
    expect(await balanceOf(endUserId)).toBe(1_500)
    await read(device, 11, 125)
    await work(11)
    expect([await balanceOf(endUserId), told(endUserId)]).toEqual([500, ['meter.low']])
    await read(device, 12, 132)
    await work(12)
    expect([await balanceOf(endUserId), await stateOf(endUserId)]).toEqual([-200, 'noticed'])
    expect(told(endUserId)).toEqual(['meter.low', 'meter.noticed'])
    // By mail too, in his language, where he has an address.
    await expect
      .poll(() => mails.map(({ to, subject }) => [to, subject]))
      .toEqual([
        ['anna@example.com', 'Your balance is low'],
        ['anna@example.com', 'Your balance is used up'],
      ])
    // The time to pay is over, but what is known of the meter is an hour old.
    await work(13.1)
    expect((await h.house.accounts.cutoffs(h.ctx(), { endUserId })).items[0]).toMatchObject({ waits: 'stale' })
    expect(relays.sent).toEqual([])
    await read(device, 13.2, 133)
    await work(13.3)
    expect(relays.sent).toEqual([{ deviceId: device.id, params: { relay: false }, confirm: 'read_back' }])
    expect(await stateOf(endUserId)).toBe('cutting')
    await work(13.31)
    expect([await stateOf(endUserId), told(endUserId).at(-1)]).toEqual(['cut', 'meter.cut'])
    // Paying alone begins the restoring.
    await pays(endUserId, 5_000)
    await expect.poll(() => relays.sent.length).toBe(2)
    expect(relays.sent[1]).toMatchObject({ params: { relay: true }, confirm: 'read_back' })
    await expect
      .poll(async () => {
        await work(13.32)
        return stateOf(endUserId)
      })
      .toBe('restored')
    expect(told(endUserId).at(-1)).toBe('meter.restored')
    expect(await balanceOf(endUserId)).toBe(4_700)
  })

  it('that was paid in time is not cut off, and in a protected time none is', async () => {
    const before = relays.sent.length
    const { device, endUserId } = await prepaid('Ben')
    await records(endUserId, { amountFen: 100, remark: 'cash' })
    await read(device, 20, 110)
    await work(20)
    expect(await stateOf(endUserId)).toBe('noticed')
    await read(device, 22.4, 111)
    await work(22.5)
    expect((await h.house.accounts.cutoffs(h.ctx(), { endUserId })).items[0]).toMatchObject({
      state: 'noticed',
      waits: 'protected',
    })
    await pays(endUserId, 10_000)
    await expect.poll(() => stateOf(endUserId)).toBe('cancelled')
    expect(relays.sent.length).toBe(before)
  })

  it('whose device does not report that it is off is marked, told of, and tried again', async () => {
    const { device, endUserId } = await prepaid('Carl')
    await records(endUserId, { amountFen: 100, remark: 'cash' })
    await read(device, 34, 110)
    await work(34)
    relays.answers = false
    await read(device, 35.1, 111)
    await work(35.2)
    await work(35.21)
    expect((await h.house.accounts.cutoffs(h.ctx(), { endUserId })).items[0]).toMatchObject({
      state: 'cut_failed',
      reason: 'command.timed_out',
    })
    expect(h.notices.some(({ kind }) => kind === 'meter.cut_failed')).toBe(true)
    relays.answers = true
    await read(device, 35.5, 112)
    await work(35.51)
    await work(35.52)
    expect(await stateOf(endUserId)).toBe('cut')
  })

  it('has a statement of the month that comes to what was drawn', async () => {
    const { device, meter, endUserId } = await prepaid('Dora')
    await records(endUserId, { amountFen: 100_000, remark: 'transfer' })
    for (const [hours, value] of [
      [40, 133.333],
      [300, 250.127],
      [700, 401.5],
    ] as const) {
      await read(device, hours, value)
      await work(hours)
    }
    const drawn = 100_000 - (await balanceOf(endUserId))
    expect(drawn).toBe(30_150)
    await read(device, 744, 402.5)
    h.clock.now = at('2026-06-02')
    const run = await h.house.billing.bill(h.ctx(), meter.id, {
      month: '2026-05',
      zone: ZONE,
      runId: null,
      prices: (await import('./billing.service.ts')).createPrices(ZONE),
    })
    expect(run).toEqual({ kind: 'issued', amountFen: 30_250 })
    expect(await balanceOf(endUserId)).toBe(100_000 - 30_250)
    expect((await h.house.statements.list(h.ctx(), { meterId: meter.id })).items[0]).toMatchObject({
      state: 'paid',
      paidFen: 30_250,
    })
  })
})

describe('payments', () => {
  it('are booked once, by their key, and by the outcome that came first', async () => {
    const endUserId = await h.endUser('Eva')
    const key = newId()
    const ask = { amountFen: 700, remark: 'cash', key }
    await h.house.payments.record(h.ctx(), endUserId, ask)
    await h.house.payments.record(h.ctx(), endUserId, ask)
    const { id } = await h.house.payments.pay(h.as(endUserId), { amountFen: 300 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => h.house.payments.simulate(h.as(endUserId), id, 'paid')),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await balanceOf(endUserId)).toBe(1_000)
    const other = await h.endUser('Fay')
    expect(await refusal(h.house.payments.simulate(h.as(other), id, 'paid'))).toMatchObject({
      code: 'meter_payment.not_found',
    })
  })

  it('remind of a statement that was not paid in its time, once', async () => {
    const device = await h.device()
    const endUserId = await h.endUser('Gus')
    await h.read(device, '2026-05-01', [
      [0, 0],
      [744, 10],
    ])
    const meter = await h.house.meters.create(h.ctx(), {
      name: 'Gus',
      deviceId: device.id,
      property: 'energy',
      endUserId,
      tariffId,
      mode: 'postpaid',
      fromDay: '2026-05-01',
      gapMinutes: 44_640,
    })
    h.clock.now = at('2026-06-02')
    const { createPrices } = await import('./billing.service.ts')
    await h.house.billing.bill(h.ctx(), meter.id, {
      month: '2026-05',
      zone: ZONE,
      runId: null,
      prices: createPrices(ZONE),
    })
    h.clock.now += 14 * 24 * HOUR
    await h.house.cutoffs.workFor(h.own.id, h.clock.now)
    expect(told(endUserId)).toEqual([])
    h.clock.now += 2 * 24 * HOUR
    await h.house.cutoffs.workFor(h.own.id, h.clock.now)
    await h.house.cutoffs.workFor(h.own.id, h.clock.now)
    expect(told(endUserId)).toEqual(['meter.due'])
  })
})

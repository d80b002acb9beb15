import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { at, NO_MERCHANTS, type TariffHouse, tariffHouse } from '../../app/testing/tariff-house.ts'
import { refusal } from '../../db/testing/management.ts'
import { silentLogger } from '../../lib/log.ts'
import { pdfTexts } from '../../lib/testing/pdf-text.ts'
import type { RunningTask } from '../tasks/index.ts'
import { meterBill } from './bill.ts'
import words from './bill-words.json' with { type: 'json' }
import { createTariffsModule } from './tariffs.module.ts'

let h: TariffHouse
let tariffId: string
let versionId: string
beforeAll(async () => {
  h = await tariffHouse()
  const tariff = await h.house.tariffs.create(h.ctx(), {
    name: 'Power',
    unit: 'kWh',
    validFrom: '2026-01-01',
    rates: { kind: 'fixed', price: '0.5' },
  })
  tariffId = tariff.id
  versionId = tariff.versions[0]!.id
  return () => h.tasks.runner.stop()
})

/** A meter of an end user, readings of April and May that go up by one an hour. */
async function metered(name: string, over: { mode?: 'prepaid' | 'postpaid'; rollover?: string } = {}) {
  const device = await h.device()
  const endUserId = await h.endUser(name)
  await h.read(
    device,
    '2026-04-01',
    Array.from({ length: 61 * 4 + 1 }, (_, i) => [i * 6, 100 + i * 6] as const),
  )
  const meter = await h.house.meters.create(h.ctx(), {
    name,
    deviceId: device.id,
    property: 'energy',
    endUserId,
    tariffId,
    mode: 'postpaid',
    fromDay: '2026-04-01',
    ...over,
  })
  return { device, endUserId, meter }
}

const balanceOf = async (endUserId: string) => (await h.house.accounts.get(h.ctx(), endUserId)).balanceFen
const statementsOf = async (meterId: string) => (await h.house.statements.list(h.ctx(), { meterId })).items
const runningTask = (runId: string, month: string, over: Partial<RunningTask> = {}): RunningTask => ({
  ctx: h.ctx(),
  input: { runId, month },
  doneBefore: 0,
  progress: () => undefined,
  failed: () => undefined,
  cancelled: () => false,
  signal: new AbortController().signal,
  saveFile: async () => undefined,
  ...over,
})
async function bill(month: string) {
  const failures: [string, string, unknown][] = []
  const run = await h.house.billingRuns.create(h.ctx(), { month })
  await h.house.billingRuns.run(
    runningTask(run.id, month, { failed: (item, code, params) => void failures.push([item, code, params]) }),
  )
  return { run, failures }
}

describe('what comes in wrong', () => {
  it('is refused with the field: steps out of order, prices and meters that overlap, an unknown property', async () => {
    const { tariffs, meters } = h.house
    const steps = [
      { upTo: '200', price: '1' },
      { upTo: '100', price: '2' },
      { upTo: null, price: '3' },
    ]
    const unordered = { name: 'Steps', unit: 'kWh', validFrom: '2026-01-01', rates: { kind: 'steps' as const, steps } }
    expect(await refusal(tariffs.create(h.ctx(), unordered))).toMatchObject({
      code: 'tariff.rates',
      fields: { 'rates.steps[1].upTo': { code: 'tariff.rates_steps_order' } },
    })
    const second = { validFrom: '2026-03-01', rates: { kind: 'fixed' as const, price: '1' } }
    expect(await refusal(tariffs.addVersion(h.ctx(), tariffId, second))).toMatchObject({
      code: 'tariff.overlap',
      params: { field: 'validFrom', from: '2026-01-01' },
    })
    expect((await tariffs.get(h.ctx(), tariffId)).versions).toHaveLength(1)
    const { device, endUserId } = await metered('taken')
    const ask = { name: 'x', deviceId: device.id, endUserId, tariffId, mode: 'prepaid' as const, fromDay: '2026-05-01' }
    expect(await refusal(meters.create(h.ctx(), { ...ask, property: 'energy' }))).toMatchObject({
      code: 'meter.overlap',
      params: { field: 'fromDay', name: 'taken' },
    })
    for (const property of ['nothing', 'note'])
      expect(await refusal(meters.create(h.ctx(), { ...ask, property }))).toMatchObject({
        code: 'meter.property',
        fields: { property: { code: 'meter.property' } },
      })
    expect(await refusal(h.house.billingRuns.create(h.ctx(), { month: '2026-06' }))).toMatchObject({
      code: 'billing_run.month',
    })
  })
})

describe('a month', () => {
  it('is billed once, charged to the end user, and goes on where the last one ended', async () => {
    const { meter, endUserId } = await metered('Anna')
    expect(await h.house.billing.preview(h.ctx(), meter.id, '2026-04', 'Asia/Shanghai')).toMatchObject({
      quantity: '720',
      amountFen: 36_000,
    })
    await bill('2026-04')
    await bill('2026-04')
    const [april] = await statementsOf(meter.id)
    expect(april).toMatchObject({ month: '2026-04', quantity: '720', amountFen: 36_000, paidFen: 0, state: 'open' })
    expect(await h.house.statements.get(h.ctx(), april!.id)).toMatchObject({
      fromValue: '100',
      toValue: '820',
      lines: [{ kind: 'fixed', quantity: '720', price: '0.5', amountFen: 36_000 }],
    })
    expect(await statementsOf(meter.id)).toHaveLength(1)
    await bill('2026-05')
    expect((await statementsOf(meter.id)).map(s => [s.month, s.quantity])).toEqual([
      ['2026-05', '744'],
      ['2026-04', '720'],
    ])
    expect(await balanceOf(endUserId)).toBe(-73_200)
    // He sees what is his; another one does not.
    expect(await h.house.accounts.own(h.as(endUserId))).toMatchObject({
      balanceFen: -73_200,
      items: [{ name: 'Anna' }],
    })
    const other = await h.endUser('other')
    expect((await h.house.statements.list(h.as(other), { endUserId })).items).toEqual([])
    expect(await refusal(h.house.statements.get(h.as(other), april!.id, other))).toMatchObject({
      code: 'meter_statement.not_found',
    })
    expect(await refusal(h.house.tariffs.removeVersion(h.ctx(), tariffId, versionId))).toMatchObject({
      code: 'tariff.last_version',
    })
  })

  it('is a PDF for the customer, in both languages, and says that it is no invoice', async () => {
    const { meter, endUserId } = await metered('Bella')
    await bill('2026-04')
    const [april] = await statementsOf(meter.id)
    for (const locale of ['zh', 'en'] as const) {
      const reply = await meterBill(
        { database: h.db.database, statements: h.house.statements },
        { ...h.as(endUserId), locale },
        april!.id,
        endUserId,
      )
      expect(reply.fileName).toBe(`${words[locale].title}-${april!.no}.pdf`)
      const text = pdfTexts(await buffer(reply.body))
        .join('')
        .replaceAll(' ', '')
      for (const part of [
        april!.no,
        '2026-04',
        'Bella',
        '720',
        '0.5',
        '¥360.00',
        '叁佰陆拾元整',
        words[locale].notInvoice,
      ])
        expect(text).toContain(part.replaceAll(' ', ''))
    }
    const other = await h.endUser('other')
    expect(
      await refusal(
        meterBill({ database: h.db.database, statements: h.house.statements }, h.as(other), april!.id, other),
      ),
    ).toMatchObject({ code: 'meter_statement.not_found' })
  })

  it('that was voided gives the money back and is billed anew; only the last one can be', async () => {
    const { meter, endUserId } = await metered('Void')
    await bill('2026-04')
    await bill('2026-05')
    const [may, april] = await statementsOf(meter.id)
    const { statements } = h.house
    expect(await refusal(statements.void(h.ctx(), april!.id, { reason: 'x' }))).toMatchObject({
      code: 'meter_statement.not_last',
    })
    expect(await statements.void(h.ctx(), may!.id, { reason: 'wrong prices' })).toMatchObject({
      state: 'voided',
      voidReason: 'wrong prices',
    })
    expect(await balanceOf(endUserId)).toBe(-36_000)
    const { rows } = await h.db.superuser.query(`select after from audit_logs where action = 'meter_statement.void'`)
    expect(rows).toMatchObject([{ after: { reason: 'wrong prices', state: 'voided' } }])
    expect(await refusal(statements.void(h.ctx(), may!.id, { reason: 'x' }))).toMatchObject({
      code: 'meter_statement.voided',
    })
    await bill('2026-05')
    expect(await balanceOf(endUserId)).toBe(-73_200)
    expect((await statementsOf(meter.id)).map(s => s.state)).toEqual(['open', 'voided', 'open'])
  })

  it('of a meter that fell is refused with its readings until a reset is declared', async () => {
    const device = await h.device()
    const endUserId = await h.endUser('Fallen')
    await h.read(device, '2026-04-01', [
      [0, 500],
      [240, 740],
      [250, 3],
      [720, 473],
    ])
    const meter = await h.house.meters.create(h.ctx(), {
      name: 'Fallen',
      deviceId: device.id,
      property: 'energy',
      endUserId,
      tariffId,
      mode: 'postpaid',
      fromDay: '2026-04-01',
      gapMinutes: 44_640,
    })
    const { failures } = await bill('2026-04')
    expect(failures.find(([item]) => item === 'Fallen')).toMatchObject([
      'Fallen',
      'meter.fell',
      { before: '740', after: '3' },
    ])
    expect(await statementsOf(meter.id)).toEqual([])
    expect((await h.house.meters.get(h.ctx(), meter.id)).problem).toMatchObject({ code: 'fell', before: '740' })
    const span = { from: new Date(at('2026-04-01')).toISOString(), to: new Date(at('2026-05-01')).toISOString() }
    const marked = await h.house.meters.readings(h.ctx(), meter.id, { ...span, only: 'marked' })
    expect(marked.items).toMatchObject([{ kind: 'refused', before: '740', after: '3', quantity: null }])
    await h.house.meters.addReset(h.ctx(), meter.id, {
      at: new Date(at('2026-04-01', 245)).toISOString(),
      finalValue: '745',
    })
    await bill('2026-04')
    // 240 until the last reading, 5 more until the exchange, 3 after it, 470 until the end
    expect((await statementsOf(meter.id))[0]).toMatchObject({ quantity: '718', amountFen: 35_900 })
    expect((await h.house.meters.get(h.ctx(), meter.id)).problem).toBeNull()
    expect(await refusal(h.house.meters.addReset(h.ctx(), meter.id, { at: span.from }))).toMatchObject({
      code: 'meter.billed',
    })
  })
})

describe('a run that is killed', () => {
  it('goes on with the meters that are left, and bills none twice', async () => {
    const all = []
    for (let i = 0; i < 12; i++) all.push(await metered(`Killed ${i}`))
    let left = 5
    const { service } = h.telemetry
    const dying = createTariffsModule({
      ...NO_MERCHANTS,
      database: h.db.database,
      telemetry: {
        service: {
          ...service,
          readings: (...asked) => (left-- > 0 ? service.readings(...asked) : Promise.reject(new Error('killed'))),
        },
      },
      tasks: { ...h.tasks, register: () => undefined },
      timeZone: async () => 'Asia/Shanghai',
      commands: { service: { create: Promise.reject, get: Promise.reject } },
      inbox: { notify: async () => undefined },
      logger: silentLogger,
      now: () => h.clock.now,
    })
    const run = await h.house.billingRuns.create(h.ctx(), { month: '2026-04' })
    await expect(dying.billingRuns.run(runningTask(run.id, '2026-04'))).rejects.toThrow('killed')
    expect(await refusal(h.house.billingRuns.create(h.ctx(), { month: '2026-04' }))).toMatchObject({
      code: 'billing_run.running',
    })
    await h.house.billingRuns.run(runningTask(run.id, '2026-04', { doneBefore: 5 }))
    for (const { meter, endUserId } of all) {
      expect(await statementsOf(meter.id)).toHaveLength(1)
      expect(await balanceOf(endUserId)).toBe(-36_000)
    }
    expect((await h.house.billingRuns.list(h.ctx())).items[0]).toMatchObject({ state: 'done', month: '2026-04' })
  })

  it('is a task of the task centre', async () => {
    const { meter } = await metered('By task')
    h.tasks.runner.start()
    const run = await h.house.billingRuns.create(h.ctx(), { month: '2026-04' })
    await expect
      .poll(async () => (await h.house.billingRuns.list(h.ctx())).items.find(({ id }) => id === run.id)?.state, {
        timeout: 20_000,
      })
      .toBe('done')
    expect((await statementsOf(meter.id)).filter(({ month }) => month === '2026-04')).toHaveLength(1)
  })
})

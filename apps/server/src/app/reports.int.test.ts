import type { Permission } from '@thingwright/contracts/permissions'
import type { ReportRunView, ReportView } from '@thingwright/contracts/reports.contract'
import { readSheet } from 'read-excel-file/node'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MailServer, startMailServer, type TakenMail } from '../../../../tools/simulators/mail/mail-server.ts'
import { insertRows } from '../ingest/testing/journal-rows.ts'
import { PATIENCE } from '../lib/testing/patience.ts'
import { pdfTexts } from '../lib/testing/pdf-text.ts'
import type { ReportsModule } from '../modules/reports/reports.module.ts'
import { type Fleet, type NarrowCompany, type NarrowMember, narrowCompany } from './testing/narrow-company.ts'
import { testContainer } from './testing/test-app.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const WRITER: Permission[] = ['report:read', 'report:write', 'device:read', 'telemetry:read', 'alarm:read']
const EVERY_MORNING = { kind: 'daily', times: ['08:00'], zone: 'Asia/Shanghai' }
const DEVICES = { kind: 'list', list: 'devices.export', query: {}, columns: ['name', 'deviceNo'] }

let mails: MailServer
let house: NarrowCompany
let fleet: Fleet
let reports: ReportsModule
let writer: NarrowMember

beforeAll(async () => {
  mails = await startMailServer()
  house = await narrowCompany({ mail: { url: `smtp://127.0.0.1:${mails.port}/?tls=0`, from: 'no-reply@iot.example' } })
  reports = house.container.modules.find(({ runs }) => runs?.some(({ name }) => name === 'reports')) as ReportsModule
  fleet = await house.fleet()
  house.container.tasks.runner.start()
})
beforeEach(async () => {
  writer = await house.member(WRITER)
  await house.db.superuser.query('update logins set email = $2 where id = $1', [writer.loginId, mailOf(writer)])
  mails.mails.length = 0
})
afterAll(async () => {
  await house.stop()
  await mails.stop()
})

const mailOf = ({ loginId }: NarrowMember) => `m-${loginId}@iot.example`

async function make(body: object = {}, of: NarrowMember = writer): Promise<ReportView> {
  const reply = await house.call<ReportView>('POST', '/reports', of.token, {
    name: '每日设备清单',
    source: DEVICES,
    format: 'xlsx',
    schedule: EVERY_MORNING,
    locale: 'zh',
    recipients: [{ kind: 'member', id: of.loginId }],
    ...body,
  })
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}

/** Its moment of the day came so long ago, to the minute. */
function due(id: string, ago: number) {
  const at = new Date(Math.floor((Date.now() - ago) / MINUTE) * MINUTE)
  const time = new Date(at.getTime() + 8 * 60 * MINUTE).toISOString().slice(11, 16)
  return house.db.superuser.query(
    `update reports set next_run = $2, schedule = jsonb_set(schedule, '{times}', $3::jsonb) where id = $1`,
    [id, at, JSON.stringify([time])],
  )
}

async function runsOf(id: string): Promise<ReportRunView[]> {
  const reply = await house.call<{ items: ReportRunView[] }>('GET', `/reports/runs?reportId=${id}`, house.owner)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.items
}

/** Lets what is due run, and waits until the newest run of the report has ended. */
async function ended(id: string): Promise<ReportRunView> {
  await expect
    .poll(async () => {
      await reports.runner.tick()
      return (await runsOf(id))[0]?.finishedAt ?? null
    }, PATIENCE)
    .not.toBeNull()
  return (await runsOf(id))[0]!
}

/** The file that a mail carries. */
function attached({ raw }: TakenMail): { name: string; bytes: Buffer } {
  const part = raw.split(/\r\n--[^\r\n]+/).find(each => /content-disposition: attachment/i.test(each))
  if (!part) throw new Error('nothing is attached')
  const [head = '', ...body] = part.split('\r\n\r\n')
  const words = [...head.replaceAll(/\r\n[ \t]+/g, ' ').matchAll(/filename\*\d*\*?=(?:utf-8'')?([^;\s]+)/gi)]
  return {
    name: decodeURIComponent(words.map(([, word]) => word).join('')),
    bytes: Buffer.from(body.join(''), 'base64'),
  }
}

describe('a report that is due', () => {
  it('is mailed once with the rows of its list, whichever of two processes looks', async () => {
    const report = await make()
    await due(report.id, 5_000)
    await Promise.all([reports.runner.tick(), reports.runner.tick(), reports.runner.tick()])
    const run = await ended(report.id)
    expect(run).toMatchObject({ state: 'done', cause: 'schedule', rows: 2, fault: null, missed: 0 })
    expect(run.mails).toMatchObject([{ address: mailOf(writer), state: 'sent', asLink: false }])
    expect(await runsOf(report.id)).toHaveLength(1)
    const mine = mails.mails.filter(({ to }) => to.includes(mailOf(writer)))
    expect(mine).toHaveLength(1)
    const file = attached(mine[0]!)
    expect(file.name).toMatch(/^每日设备清单-\d{4}-\d\d-\d\d\.xlsx$/)
    const [head, ...rows] = (await readSheet(file.bytes)) as unknown[][]
    expect(head).toHaveLength(2)
    // He sees the devices of one group, and no others.
    const inside = [fleet['inside/inside'].deviceNo, fleet['outside/inside'].deviceNo]
    expect(rows.map(row => row[1]).sort()).toEqual(inside.sort())
    const after = await house.call<ReportView>('GET', `/reports/${report.id}`, writer.token)
    expect(Date.parse(after.body.nextRunAt!)).toBeGreaterThan(Date.now())
    expect(after.body.lastState).toBe('done')
    // The file stands in the task centre of its owner.
    const own = await house.call<{ items: ReportRunView[] }>('GET', `/reports/runs?reportId=${report.id}`, writer.token)
    const kept = await house.call('GET', `/tasks/${own.body.items[0]!.taskId}/file`, writer.token)
    expect(kept.bytes.equals(file.bytes)).toBe(true)
    expect(run.taskId).toBeNull()
  })

  it('is a PDF with a Chinese title and the rows', async () => {
    const report = await make({ format: 'pdf', name: '设备巡检报表' })
    await due(report.id, 1_000)
    expect(await ended(report.id)).toMatchObject({ state: 'done', rows: 2 })
    const file = attached(mails.mails.find(({ to }) => to.includes(mailOf(writer)))!)
    expect(file.name).toMatch(/\.pdf$/)
    const texts = pdfTexts(file.bytes).join('\n')
    expect(texts).toContain('设备巡检报表')
    expect(texts.replaceAll('\n', '')).toContain(fleet['inside/inside'].deviceNo)
    expect(texts.replaceAll('\n', '')).not.toContain(fleet['inside/outside'].deviceNo)
  })

  it('sums up what devices measured by interval, in words of its language', async () => {
    const { id, deviceNo } = fleet['inside/inside']
    const { rows: known } = await house.db.superuser.query('select num from devices where id = $1', [id])
    await house.db.superuser.query(
      `update products set published_model = draft_model, status = 'published' where id = $1`,
      [house.products.inside],
    )
    // Noon of yesterday in Shanghai.
    const noon = Math.floor((Date.now() + 8 * 60 * MINUTE) / DAY) * DAY - 8 * 60 * MINUTE - DAY / 2
    const values = [10, 20, 60]
    await insertRows(
      house.db,
      values.map((temperature, n) => ({
        device: known[0].num,
        values: { temperature },
        ts: noon + n * 10 * MINUTE,
        arrivedAt: noon + n * 10 * MINUTE,
      })),
    )
    const report = await make({
      name: 'Temperatures',
      locale: 'en',
      period: 'yesterday',
      source: {
        kind: 'telemetry',
        deviceIds: [id],
        properties: ['temperature'],
        interval: 'hour',
        functions: ['average', 'min', 'max', 'sum', 'last'],
      },
    })
    await due(report.id, 1_000)
    expect(await ended(report.id)).toMatchObject({ state: 'done', rows: 1, fault: null })
    const sheet = (await readSheet(attached(mails.mails.at(-1)!).bytes)) as unknown[][]
    expect(sheet[0]!.slice(4)).toEqual(['Average', 'Minimum', 'Maximum', 'Sum', 'Last'])
    expect(sheet[1]!.slice(2)).toEqual([deviceNo, 'Temperature', 30, 10, 60, 90, 60])
  })

  it('tells of the overview', async () => {
    const report = await make({ source: { kind: 'overview' }, format: 'pdf', name: '企业概览', period: 'last_7_days' })
    await due(report.id, 1_000)
    const run = await ended(report.id)
    expect(run).toMatchObject({ state: 'done', fault: null })
    expect(pdfTexts(attached(mails.mails.at(-1)!).bytes).join('\n')).toContain('设备总数')
  })
})

describe('a report that does not run', () => {
  it('is paused, and runs by hand all the same', async () => {
    const report = await make()
    const paused = await house.call<ReportView>('POST', `/reports/${report.id}/disable`, writer.token)
    expect(paused.body).toMatchObject({ state: 'disabled', nextRunAt: null })
    await due(report.id, 1_000)
    await reports.runner.tick()
    expect(await runsOf(report.id)).toEqual([])
    const begun = await house.call('POST', `/reports/${report.id}/run`, writer.token)
    expect(begun.status).toBe(202)
    expect(await ended(report.id)).toMatchObject({ state: 'done', cause: 'manual' })
  })

  it('was missed: the last moment is made up for within its minutes, or said to be too late', async () => {
    const patient = await make({ misfire: 'once', misfireMinutes: 1440 })
    const strict = await make({ misfire: 'skip' })
    for (const { id } of [patient, strict]) await due(id, 3 * DAY + 120 * MINUTE)
    await reports.runner.tick()
    expect(await ended(patient.id)).toMatchObject({ state: 'done', missed: 3 })
    expect((await runsOf(strict.id))[0]).toMatchObject({ state: 'skipped', fault: { code: 'report.too_late' } })
    expect(await runsOf(strict.id)).toHaveLength(1)
  })

  it('has an owner who left: it stops and says why', async () => {
    const report = await make()
    await house.db.superuser.query(`update logins set state = 'frozen' where id = $1`, [writer.loginId])
    house.container.identity.forget(writer.loginId)
    await due(report.id, 1_000)
    expect(await ended(report.id)).toMatchObject({ state: 'failed', fault: { code: 'report.owner_gone' } })
    const after = await house.call<ReportView>('GET', `/reports/${report.id}`, house.owner)
    expect(after.body).toMatchObject({ state: 'error', fault: { code: 'report.owner_gone' }, nextRunAt: null })
    expect(mails.mails).toEqual([])
  })

  it('was made with permissions that its owner lost', async () => {
    const report = await make()
    await house.become(writer, ['report:read', 'report:write'], { kind: 'all' })
    await due(report.id, 1_000)
    expect(await ended(report.id)).toMatchObject({ state: 'failed', fault: { code: 'permission.denied' } })
  })

  it('could not be mailed to one of its receivers, and says to whom', async () => {
    const report = await make({
      recipients: [
        { kind: 'member', id: writer.loginId },
        { kind: 'mail', address: mailOf(writer) },
      ],
    })
    await house.db.superuser.query('update logins set email = null where id = $1', [writer.loginId])
    await due(report.id, 1_000)
    const run = await ended(report.id)
    expect(run).toMatchObject({ state: 'failed', fault: { code: 'report.mail_failed' } })
    expect(run.mails.map(({ state }) => state)).toEqual(['failed', 'failed'])
  })
})

describe('what is refused', () => {
  const refused = async (body: object) => {
    const reply = await house.call<{ fields?: Record<string, { code: string }> }>('POST', '/reports', writer.token, {
      name: 'x',
      source: DEVICES,
      format: 'xlsx',
      schedule: EVERY_MORNING,
      recipients: [],
      ...body,
    })
    expect(reply.status, reply.text).toBe(422)
    return Object.fromEntries(Object.entries(reply.body.fields ?? {}).map(([field, { code }]) => [field, code]))
  }

  it('names the field: column, filter, period, address, schedule, device', async () => {
    expect(await refused({ source: { ...DEVICES, columns: ['shoe'] } })).toEqual({
      'source.columns': 'report.column_unknown',
    })
    expect(await refused({ source: { ...DEVICES, query: { colour: 'red' } } })).toEqual({
      'source.query': 'report.filter_unknown',
    })
    expect(await refused({ period: 'yesterday' })).toEqual({ period: 'report.no_period' })
    expect(await refused({ recipients: [{ kind: 'mail', address: 'stranger@else.example' }] })).toEqual({
      'recipients.0': 'report.address_unverified',
    })
    expect(await refused({ schedule: { kind: 'cron', expression: '* * * * *' } })).toEqual({
      'schedule.kind': 'schedule.kind',
    })
    expect(
      await refused({
        period: 'yesterday',
        source: {
          kind: 'telemetry',
          deviceIds: [fleet['inside/outside'].id],
          properties: ['temperature'],
          interval: 'hour',
          functions: ['last'],
        },
      }),
    ).toEqual({ 'source.deviceIds': 'report.device_unknown' })
  })

  it('a list that the maker may not read, and another member’s report for whom sees a part of the company', async () => {
    const reply = await house.call<{ code?: string }>('POST', '/reports', writer.token, {
      name: 'x',
      source: { kind: 'list', list: 'members.export' },
      format: 'xlsx',
      schedule: EVERY_MORNING,
      recipients: [],
    })
    expect(reply).toMatchObject({ status: 403, body: { code: 'permission.denied' } })
    const report = await make()
    const other = await house.member(WRITER)
    expect((await house.call('GET', `/reports/${report.id}`, other.token)).status).toBe(404)
  })

  it('and who changes what a report shows becomes its owner', async () => {
    const report = await make()
    const all = await house.member(WRITER, { kind: 'all' })
    const changed = await house.call<ReportView>('PATCH', `/reports/${report.id}`, all.token, {
      version: report.version,
      source: { ...DEVICES, columns: [] },
    })
    expect(changed.body, changed.text).toMatchObject({ ownerId: all.loginId })
  })
})

describe('a process that ends in the middle of a report', () => {
  it('leaves it to the next one, and who had the mail does not get it twice', async () => {
    const other = await house.member(WRITER)
    await house.db.superuser.query('update logins set email = $2 where id = $1', [other.loginId, mailOf(other)])
    const report = await make({
      recipients: [writer, other].map(({ loginId }) => ({ kind: 'member', id: loginId })),
    })
    await house.container.tasks.runner.stop()
    await due(report.id, 1_000)
    await reports.runner.tick()
    const [open] = await runsOf(report.id)
    expect(open).toMatchObject({ state: 'running', mails: [] })
    await house.db.superuser.query(
      `insert into report_mails (run_id, place, tenant_id, name, address, state, sent_at) values ($1, 0, $2, '', $3, 'sent', now())`,
      [open!.id, house.tenantId, mailOf(writer)],
    )
    const next = testContainer(house.db, {
      mail: { url: `smtp://127.0.0.1:${mails.port}/?tls=0`, from: 'no-reply@iot.example' },
    })
    next.tasks.runner.start()
    try {
      expect(await ended(report.id)).toMatchObject({ state: 'done', rows: 2 })
    } finally {
      await next.tasks.runner.stop()
    }
    expect(mails.mails.map(({ to }) => to)).toEqual([[mailOf(other)]])
  })
})

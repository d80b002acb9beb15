import { emptyScene } from '@thingwright/scene'
import { beforeAll, expect, it } from 'vitest'
import { insertTenant, type TenantFixture } from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { type Actor, systemContext } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import type { PageMessage } from '../../lib/news.ts'
import type { TriggerTask } from '../triggers/index.ts'
import { type CloudPagesService, createCloudPagesService } from './cloud-pages.service.ts'
import { pageActions } from './page-actions.ts'
import { createPageHub } from './page-hub.ts'

let db: TestDatabase
let tenant: TenantFixture
let pages: CloudPagesService
let heard: { pageId: string; message: PageMessage }[] = []
let pageId: string
const ctx = () => systemContext(tenant.id, 'test')

beforeAll(async () => {
  db = await testDatabase()
  db.database.news.hear({ 'page.message': news => heard.push(news) })
  pages = createCloudPagesService({ database: db.database })
  tenant = await insertTenant(db.superuser)
  pageId = (await pages.create(ctx(), { name: 'Station', suffix: 'station-1', scene: emptyScene('canvas') })).id
})

function run(kind: 'page_popup' | 'speak', over: Partial<TriggerTask> = {}) {
  heard = []
  const task: TriggerTask = {
    id: newId(),
    tenantId: tenant.id,
    trigger: { id: newId(), name: 'Too warm', level: 4, ownerId: null },
    action: { kind, pageId, text: '{device}: {values.temperature} °C' },
    on: 'raise',
    at: Date.now(),
    alarmId: null,
    device: { id: newId(), name: 'Cold room', deviceNo: '1', productKey: 'k' },
    values: [{ deviceId: null, property: 'temperature', value: -9.5, ts: 0 }],
    owner: undefined,
    context: { tenantId: tenant.id },
    attempts: 0,
    ...over,
  }
  return pageActions(db.database)
    .find(port => port.kind === kind)!
    .run(task)
}

it('shows and speaks a text on a published page, to who looks at it', async () => {
  expect(await run('page_popup')).toEqual({ result: 'skipped', message: 'page.off_line' })
  await pages.publish(ctx(), pageId, '')
  expect(await run('page_popup')).toEqual({ result: 'done' })
  expect(heard).toEqual([{ pageId, message: { kind: 'popup', text: 'Cold room: -9.5 °C', level: 4 } }])
  await run('speak', { on: 'clear' })
  expect(heard).toEqual([{ pageId, message: { kind: 'speak', text: 'Cold room: -9.5 °C', level: 0 } }])

  const hub = createPageHub({
    check: async () => ({ no: 1, roles: [] }),
    values: async () => ({}),
    logger: silentLogger,
  })
  const sent: string[] = []
  const socket = { send: (text: string) => void sent.push(text), backlog: () => 0, end: () => undefined }
  const ticket = { pageId, tenantId: tenant.id, epoch: 1, devices: {}, loginId: null, linkId: null, expiresAt: 0 }
  await hub.enter(ticket, socket)
  hub.say(newId(), heard[0]!.message)
  hub.say(pageId, heard[0]!.message)
  expect(sent.filter(text => text.includes('"message"')).map(text => JSON.parse(text))).toEqual([
    { op: 'message', kind: 'speak', text: 'Cold room: -9.5 °C', level: 0 },
  ])
  hub.close()
})

it('does nothing for a page that is gone, or for who may not read pages any more', async () => {
  expect(await run('speak', { action: { kind: 'speak', pageId: newId(), text: 'x' } })).toEqual({
    result: 'failed',
    message: 'page.not_found',
  })
  const owner = { kind: 'user', permissions: new Set(['trigger:write']) } as unknown as Actor
  expect(await run('speak', { owner })).toEqual({ result: 'skipped', message: 'permission.denied' })
  expect(heard).toEqual([])
})

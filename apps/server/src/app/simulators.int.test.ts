import { execFileSync } from 'node:child_process'
import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import type { NotificationChannelView } from '@thingwright/contracts/notification-channels.contract'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { silentLogger } from '../lib/log.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { Container } from './container.ts'
import { createSimulators, type SimulatorProcess } from './simulators.ts'
import { ADDRESSES, testContainer, testHttp } from './testing/test-app.ts'

const PASSWORD = 'A password 4 tests'
let db: TestDatabase
let container: Container
let app: FastifyInstance
let simulators: SimulatorProcess
let url = ''
let token = ''

beforeAll(async () => {
  db = await testDatabase()
  simulators = createSimulators({ available: true, logger: silentLogger })
  container = testContainer(db, {
    simulators,
    demo: true,
    addresses: () => ({ ...ADDRESSES, httpUrl: url || ADDRESSES.httpUrl }),
  })
  app = await testHttp(container, { strictAudit: true })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  const passwordHash = await hashPassword(PASSWORD)
  await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'north', owner: { username: 'owner', passwordHash, displayName: 'n', kind: 'member' } }),
  )
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username: 'owner', password: PASSWORD }).toString(),
  })
  token = (reply.json() as { access_token: string }).access_token
}, 120_000)
afterAll(async () => {
  await simulators.stop()
  await container.tasks.runner.stop()
  await app.close()
  await db.drop()
})

async function call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const reply = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { payload: body } : {}),
  })
  expect(reply.statusCode, reply.body).toBeLessThan(300)
  return reply.json() as T
}
const channel = (way: string, over: object = {}) => {
  const [kind, provider] = way.split('.')
  return call<NotificationChannelView>('POST', '/notification-channels', {
    name: `${way} ${Object.keys(over).join()}`,
    kind,
    provider,
    simulated: true,
    ...over,
  })
}
const test = ({ id, kind }: NotificationChannelView) =>
  call<NotificationRecordView>('POST', `/notification-channels/${id}/test`, {
    to: { email: 'duty@example.com', wechat: 'oSimulatedDuty00000000000001' }[kind as string] ?? '13800000000',
  })
const record = async (id: string) =>
  (await call<{ items: NotificationRecordView[] }>('GET', '/notification-records')).items.find(one => one.id === id)!
/** Processes that this one started. */
const children = () =>
  execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,rss=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.includes('simulators/all/main.ts'))
    .map(line => line.trim().split(/\s+/).map(Number))

describe('simulated channels', () => {
  it.each([
    'sms.aliyun',
    'sms.tencent',
    'voice.aliyun',
    'voice.tencent',
    'email.smtp',
    'wechat.wechat',
    'dingtalk.robot',
    'wecom.robot',
    'feishu.robot',
    'webhook.webhook',
  ])('%s is sent over the wire, is marked, and its receipt comes back', async way => {
    const sent = await test(await channel(way))
    expect(sent).toMatchObject({ state: 'sent', simulated: true, reason: null })
    if (way.startsWith('sms') || way.startsWith('voice'))
      await expect.poll(async () => (await record(sent.id)).receipt, { timeout: 10_000 }).toBe('delivered')
  })

  it('keep a secret that somebody typed, and say that it is wrong', async () => {
    const wrong = await channel('sms.aliyun', { secrets: { accessKeySecret: 'typed' } })
    expect(await test(wrong)).toMatchObject({
      state: 'failed',
      simulated: true,
      reason: expect.stringContaining('SignatureDoesNotMatch'),
    })
  })

  it('share one process, which is started again after it fell', async () => {
    const made = await channel('feishu.robot', { config: {} })
    expect(await test(made)).toMatchObject({ state: 'sent' })
    const before = children()
    expect(before).toHaveLength(1)
    process.kill(before[0]![0]!, 'SIGKILL')
    await expect.poll(children, { timeout: 10_000 }).toEqual([])
    expect(await test(made)).toMatchObject({ state: 'sent' })
    expect(children()).toHaveLength(1)
  })
})

it('there are none where they may not be', async () => {
  const none = createSimulators({ available: false, logger: silentLogger })
  await expect(none.account('sms.aliyun', 'a', null)).rejects.toThrow('no simulator')
  await none.stop()
})

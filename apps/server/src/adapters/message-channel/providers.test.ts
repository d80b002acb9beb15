import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  FOLLOWER,
  type Providers,
  startProviders,
  TEMPLATE,
} from '../../../../../tools/simulators/messages/providers.ts'
import type { ChannelAccount, ChannelMessage } from '../../modules/contacts/channel.port.ts'
import { createMessageChannels } from './channels.ts'

// What our side sends, against providers that check it with code of their own.
const channels = createMessageChannels({ allow: [], now: Date.now })
let providers: Providers
beforeAll(async () => {
  providers = await startProviders({ receiptAfter: 0 })
})
afterAll(() => providers.close())
const told = new Set<string>()
afterEach(() => {
  for (const way of told) providers.behave(way, { kind: 'well' })
  told.clear()
})

let count = 0
function account(way: string, over: Partial<ChannelAccount> = {}): ChannelAccount {
  const [kind, provider] = way.split('.') as [ChannelAccount['kind'], ChannelAccount['provider']]
  const { address, config, secrets } = providers.account(way, `account-${++count}`, null)
  return { kind, provider, config, secrets, simulator: address, ...over }
}
const message = (way: string, over: Partial<ChannelMessage> = {}): ChannelMessage => ({
  id: '01900000-0000-7000-8000-000000000001',
  to: way.startsWith('email') ? 'duty@example.com' : way.startsWith('wechat') ? FOLLOWER : '+8613800000000',
  subject: '报警：温度过高 (100% & more!)',
  text: 'thing1=3号棚 *hot*',
  link: null,
  code: TEMPLATE,
  params: [
    { name: 'barn', value: "3号棚 ~!'()*" },
    { name: 'value', value: '36.5' },
  ],
  data: { kind: 'raised' },
  ...over,
})
const send = (way: string, of = account(way), what = message(way)) => channels[way]!.send(of, what)

const WAYS = Object.keys(channels)
describe('every provider', () => {
  it.each(WAYS)('%s takes what we send', async way => {
    const sent = await send(way)
    const reports = way.startsWith('sms') || way.startsWith('voice') || way.startsWith('wechat')
    expect(sent).toEqual({ ref: reports ? expect.stringMatching(/./) : null, cost: expect.any(Number) })
  })

  it.each([
    ['sms.aliyun', 'accessKeySecret', 'SignatureDoesNotMatch'],
    ['voice.aliyun', 'accessKeySecret', 'SignatureDoesNotMatch'],
    ['sms.tencent', 'secretKey', 'AuthFailure.SignatureFailure'],
    ['voice.tencent', 'secretKey', 'AuthFailure.SignatureFailure'],
    ['dingtalk.robot', 'secret', '310000 sign not match'],
    ['feishu.robot', 'secret', '19021'],
    ['webhook.webhook', 'secret', 'HTTP 401'],
    ['email.smtp', 'password', 'EAUTH'],
    ['wechat.wechat', 'appSecret', '40125'],
  ])('%s refuses a wrong %s, and the account is stopped', async (way, name, said) => {
    const right = account(way)
    const wrong = { ...right, secrets: { ...right.secrets, [name]: 'wrong' } }
    await expect(send(way, wrong)).rejects.toMatchObject({ kind: 'account', message: expect.stringContaining(said) })
    await send(way, right)
  })

  it.each([
    ['sms.aliyun', 'isv.BUSINESS_LIMIT_CONTROL', 'again'],
    ['sms.aliyun', 'isv.OUT_OF_SERVICE', 'account'],
    ['voice.aliyun', 'isv.TTS_TEMPLATE_ILLEGAL', 'never'],
    ['sms.tencent', 'LimitExceeded.PhoneNumberDailyLimit', 'again'],
    ['voice.tencent', 'UnauthorizedOperation.ServiceSuspendDueToArrears', 'account'],
    ['dingtalk.robot', '130101', 'again'],
    ['wecom.robot', '93000', 'account'],
    ['feishu.robot', '11232', 'again'],
  ])('%s that answers 200 with %s inside took nothing', async (way, code, kind) => {
    told.add(way)
    providers.behave(way, { kind: 'error', code, message: 'as its document words it' })
    await expect(send(way)).rejects.toMatchObject({
      name: 'ChannelError',
      kind,
      message: `${code} as its document words it`,
    })
  })

  it('that breaks off in the middle or fails is asked again later', async () => {
    for (const way of ['sms.aliyun', 'voice.tencent', 'dingtalk.robot', 'wecom.robot', 'feishu.robot']) {
      told.add(way)
      for (const behaviour of [{ kind: 'half' }, { kind: 'status', status: 502, body: '<html>' }] as const) {
        providers.behave(way, behaviour)
        await expect(send(way), `${way} ${behaviour.kind}`).rejects.toMatchObject({ kind: 'again' })
      }
    }
  })

  it('names a phone number that is none', async () => {
    for (const [way, said] of [
      ['sms.aliyun', 'isv.MOBILE_NUMBER_ILLEGAL'],
      ['voice.tencent', 'InvalidParameterValue.CalledNumberVerifyFail'],
    ] as const)
      await expect(send(way, account(way), message(way, { to: '+8612345' }))).rejects.toMatchObject({
        kind: 'never',
        message: expect.stringContaining(said),
      })
  })
})

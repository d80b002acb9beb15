import { describe, expect, it } from 'vitest'
import type { ChannelAccount, ChannelMessage } from '../../modules/contacts/channel.port.ts'
import { smsParts } from '../../modules/contacts/channel.port.ts'
import { aliyunRequest, createAliyunChannel } from './aliyun.ts'
import type { ChannelHttp } from './http-channel.ts'
import { createRobotChannels, dingtalkSign, feishuSign } from './robots.ts'
import { createTencentChannel, tencentRequest } from './tencent.ts'
import { createWechatChannel } from './wechat.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')
const call = { version: '2017-05-25', accessKeyId: 'testid', accessKeySecret: 'testsecret', nonce: 'n1', now: NOW }

describe('signatures of vendors', () => {
  it('are those of Aliyun for texts and calls', () => {
    const sms = aliyunRequest({
      ...call,
      host: 'dysmsapi.aliyuncs.com',
      action: 'SendSms',
      query: { PhoneNumbers: '13800000000', SignName: '测试', TemplateCode: 'SMS_1', TemplateParam: '{"code":"1234"}' },
    })
    expect(sms.headers.authorization).toContain(
      'Signature=0bce3daaee3f8c7b588c8f1b3a864c82683394c81ed8c0b05eab024518fa7687',
    )
    const voice = aliyunRequest({
      ...call,
      host: 'dyvmsapi.aliyuncs.com',
      action: 'SingleCallByTts',
      query: {
        CalledNumber: '13800000000',
        TtsCode: 'TTS_1',
        TtsParam: '{"barn":"3号棚"}',
        PlayTimes: '2',
        OutId: 'n-1',
      },
    })
    expect(voice.headers.authorization).toContain(
      'Signature=90facf473fdbe51a4ee0b878509c387496f2c389c6b1db52babe288aedff4f63',
    )
  })

  it('are those of Tencent', () => {
    const body =
      '{"TemplateId":"4356","CalledNumber":"+8613800000000","VoiceSdkAppid":"1400000000","TemplateParamSet":["3号棚","36.5"],"PlayTimes":2,"SessionContext":"n-1"}'
    const made = (contentType: string) =>
      tencentRequest({
        service: 'vms',
        action: 'SendTtsVoice',
        version: '2020-09-02',
        region: 'ap-guangzhou',
        body,
        secretId: 'AKIDtest',
        secretKey: 'SKtest',
        now: 1_767_323_045_000,
        contentType,
      }).headers.authorization
    expect(made('application/json; charset=utf-8')).toContain(
      'Signature=ecc2ca1ba06cb047631f29f3578d1b7aa5d1dbe9cd3643642dde2a51c0b4ec00',
    )
    expect(made('application/json')).toContain(
      'Signature=836e0c317b0f3a064ec951896468216c8a40db0004c26c9ef086d9bec83d150b',
    )
  })

  it('are those of robots', () => {
    expect(dingtalkSign('SECtest0000', 1_767_323_045_001)).toBe('OSta7KL/v6NyPSB3byMheg9FWIAv8QoA22+BGnci1yk=')
    expect(feishuSign('fstest0000', 1_767_323_045)).toBe('fV2XQq7FDJUjOQ1GQhFVHb3nPyftwjcIJMgUedufba8=')
  })
})

it('counts the parts of texts as carriers do', () => {
  expect([70, 71, 134, 135, 160, 202].map(length => smsParts('', '字'.repeat(length)))).toEqual([1, 2, 2, 3, 3, 4])
  expect(smsParts('物匠', '字'.repeat(67))).toBe(2)
})

describe('answers of vendors', () => {
  const message: ChannelMessage = {
    id: '01900000-0000-7000-8000-000000000001',
    to: '+8613800000000',
    subject: 'Too hot',
    text: 'thing1=Too hot',
    link: null,
    code: 'T1',
    params: [
      { name: 'trigger', value: 'Too hot' },
      { name: 'device', value: 'Barn 3' },
    ],
    data: {},
  }
  const account = (kind: ChannelAccount['kind'], provider: ChannelAccount['provider']): ChannelAccount => ({
    kind,
    provider,
    config: { signName: '物匠', accessKeyId: 'a', secretId: 'i', sdkAppId: '14', appId: 'wx' },
    secrets: {
      accessKeySecret: 's',
      secretKey: 'k',
      appSecret: 's',
      url: 'https://oapi.dingtalk.com/robot/send?access_token=x',
    },
    simulator: null,
  })
  /** Answers with these bodies one after the other, HTTP 200 unless a status stands before. */
  const answering = (...answers: (object | null)[]) => {
    const asked: { url: string; body: string }[] = []
    const http: ChannelHttp = {
      async post(_, url, __, body) {
        asked.push({ url, body: String(body) })
        return {
          status: 200,
          json: answers[Math.min(asked.length, answers.length) - 1] as Record<string, unknown> | null,
        }
      },
    }
    return { asked, deps: { http, now: () => NOW, nonce: () => 'n1' } }
  }

  it('that hold an error are failures, whatever their status', async () => {
    const cases = [
      [createAliyunChannel, account('sms', 'aliyun'), { Code: 'isv.MOBILE_NUMBER_ILLEGAL', Message: 'm' }, 'never'],
      [createAliyunChannel, account('sms', 'aliyun'), { Code: 'isv.BUSINESS_LIMIT_CONTROL' }, 'again'],
      [createAliyunChannel, account('voice', 'aliyun'), { Code: 'SignatureDoesNotMatch' }, 'account'],
      [createAliyunChannel, account('sms', 'aliyun'), null, 'never'],
      [
        createTencentChannel,
        account('voice', 'tencent'),
        { Response: { Error: { Code: 'AuthFailure.SignatureFailure', Message: 'm' } } },
        'account',
      ],
      [
        createTencentChannel,
        account('sms', 'tencent'),
        { Response: { SendStatusSet: [{ Code: 'LimitExceeded.PhoneNumberDailyLimit', Message: 'm' }] } },
        'again',
      ],
      [createTencentChannel, account('sms', 'tencent'), { Response: {} }, 'never'],
    ] as const
    for (const [create, of, answer, kind] of cases)
      await expect(create(answering(answer).deps).send(of, message), JSON.stringify(answer)).rejects.toMatchObject({
        name: 'ChannelError',
        kind,
      })
    const robots = [
      ['dingtalk', { errcode: 310000, errmsg: 'sign not match' }, 'account'],
      ['dingtalk', { errcode: 130101, errmsg: 'send too fast' }, 'again'],
      ['wecom', { errcode: 93000, errmsg: 'invalid webhook url' }, 'account'],
      ['feishu', { code: 19024, msg: 'Key Words Not Found' }, 'account'],
      ['feishu', { StatusCode: 0 }, 'never'],
    ] as const
    for (const [name, answer, kind] of robots)
      await expect(
        createRobotChannels(answering(answer).deps)[name].send(account(name, 'robot'), message),
        JSON.stringify(answer),
      ).rejects.toMatchObject({ name: 'ChannelError', kind })
  })

  it('that say yes name the message, and Tencent is given its variables by their place', async () => {
    const aliyun = answering({ Code: 'OK', Message: 'OK', BizId: 'b-1' })
    expect(await createAliyunChannel(aliyun.deps).send(account('sms', 'aliyun'), message)).toEqual({
      ref: 'b-1',
      cost: 1,
    })
    expect(new URL(aliyun.asked[0]!.url).searchParams.get('PhoneNumbers')).toBe('13800000000')
    const tencent = answering({ Response: { SendStatusSet: [{ Code: 'Ok', SerialNo: 's-1', Fee: 2 }] } })
    expect(await createTencentChannel(tencent.deps).send(account('sms', 'tencent'), message)).toEqual({
      ref: 's-1',
      cost: 2,
    })
    expect(JSON.parse(tencent.asked[0]!.body).TemplateParamSet).toEqual(['Too hot', 'Barn 3'])
  })

  it('of WeChat whose token ended early are asked for once more with a new one', async () => {
    const token = { access_token: 't', expires_in: 7200 }
    const wechat = answering(token, { errcode: 40001, errmsg: 'x' }, token, { errcode: 0, msgid: 7 })
    expect(await createWechatChannel(wechat.deps).send(account('wechat', 'wechat'), message)).toEqual({
      ref: '7',
      cost: 0,
    })
    const follower = answering(token, { errcode: 43004, errmsg: 'require subscribe' })
    await expect(createWechatChannel(follower.deps).send(account('wechat', 'wechat'), message)).rejects.toMatchObject({
      kind: 'never',
    })
    expect(wechat.asked).toHaveLength(4)
  })
})

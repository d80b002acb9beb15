import { afterEach, describe, expect, it } from 'vitest'
import { startAliyun } from './aliyun.ts'
import { startRobots } from './robots.ts'
import type { MessageProvider } from './shared.ts'
import { startTencent } from './tencent.ts'

// Requests as the vendors' documents and kits make them, byte for byte, with the signatures that those came to.
const open: MessageProvider[] = []
afterEach(() => Promise.all(open.splice(0).map(one => one.close())))
const started = async (starting: Promise<MessageProvider>) => {
  const one = await starting
  open.push(one)
  return one
}
/** fetch does not let a caller name the host. */
const ask = async (provider: MessageProvider, target: string, headers: Record<string, string>, body = '') => {
  const { request } = await import('node:http')
  return new Promise<{ status: number; json: Record<string, unknown> }>((resolve, reject) => {
    const outgoing = request(new URL(target, provider.url), { method: 'POST', headers }, answer => {
      let text = ''
      answer.on('data', part => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, json: JSON.parse(text) as Record<string, unknown> }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('Aliyun', () => {
  const signature = '0bce3daaee3f8c7b588c8f1b3a864c82683394c81ed8c0b05eab024518fa7687'
  const target =
    '/?PhoneNumbers=13800000000&SignName=%E6%B5%8B%E8%AF%95&TemplateCode=SMS_1&TemplateParam=%7B%22code%22%3A%221234%22%7D'
  const headers = (over: Record<string, string> = {}) => ({
    host: 'dysmsapi.aliyuncs.com',
    'x-acs-action': 'SendSms',
    'x-acs-version': '2017-05-25',
    'x-acs-date': '2026-01-02T03:04:05Z',
    'x-acs-signature-nonce': 'n1',
    'x-acs-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    authorization: `ACS3-HMAC-SHA256 Credential=testid,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=${signature}`,
    ...over,
  })
  const aliyun = async (at = '2026-01-02T03:05:00Z') => {
    const one = await started(startAliyun({ now: () => Date.parse(at) }))
    const account = one.account('sms.aliyun', 'a')
    Object.assign(account, { config: { accessKeyId: 'testid' }, secrets: { accessKeySecret: 'testsecret' } })
    return one
  }

  it('takes the documented request once, and names the message', async () => {
    const one = await aliyun()
    expect(await ask(one, target, headers())).toMatchObject({
      status: 200,
      json: { Code: 'OK', BizId: expect.any(String) },
    })
    expect(one.taken).toMatchObject([{ to: '13800000000', template: 'SMS_1', params: { code: '1234' } }])
    expect(await ask(one, target, headers())).toMatchObject({ status: 400, json: { Code: 'SignatureNonceUsed' } })
  })

  it('refuses what somebody changed on the way, strange keys and old dates', async () => {
    const one = await aliyun()
    expect(await ask(one, target.replace('1234', '1235'), headers())).toMatchObject({
      status: 400,
      json: { Code: 'SignatureDoesNotMatch' },
    })
    const strange = headers().authorization.replace('testid', 'nobody')
    expect(await ask(one, target, headers({ authorization: strange }))).toMatchObject({
      json: { Code: 'InvalidAccessKeyId.NotFound' },
    })
    expect(await ask(await aliyun('2026-01-02T04:00:00Z'), target, headers())).toMatchObject({
      json: { Code: 'InvalidTimeStamp.Expired' },
    })
    expect(one.taken).toEqual([])
  })
})

describe('Tencent', () => {
  const body =
    '{"TemplateId":"4356","CalledNumber":"+8613800000000","VoiceSdkAppid":"1400000000","TemplateParamSet":["3号棚","36.5"],"PlayTimes":2,"SessionContext":"n-1"}'
  const headers = {
    host: 'vms.tencentcloudapi.com',
    'content-type': 'application/json; charset=utf-8',
    'x-tc-action': 'SendTtsVoice',
    'x-tc-version': '2020-09-02',
    'x-tc-timestamp': '1767323045',
    'x-tc-region': 'ap-guangzhou',
    authorization:
      'TC3-HMAC-SHA256 Credential=AKIDtest/2026-01-02/vms/tc3_request, SignedHeaders=content-type;host, Signature=ecc2ca1ba06cb047631f29f3578d1b7aa5d1dbe9cd3643642dde2a51c0b4ec00',
  }
  const tencent = async (seconds = 1_767_323_045) => {
    const one = await started(startTencent({ now: () => seconds * 1_000 }))
    const account = one.account('voice.tencent', 'a')
    Object.assign(account, {
      config: { secretId: 'AKIDtest', sdkAppId: '1400000000' },
      secrets: { secretKey: 'SKtest' },
    })
    return one
  }

  it('takes the documented call, and refuses another body and an old time', async () => {
    const one = await tencent()
    expect((await ask(one, '/', headers, body)).json).toMatchObject({
      Response: { SendStatus: { CallId: expect.any(String), SessionContext: 'n-1' } },
    })
    expect(one.taken).toMatchObject([{ to: '+8613800000000', template: '4356', params: ['3号棚', '36.5'] }])
    expect((await ask(one, '/', headers, body.replace('36.5', '36.6'))).json).toMatchObject({
      Response: { Error: { Code: 'AuthFailure.SignatureFailure' } },
    })
    expect((await ask(await tencent(1_767_323_045 + 400), '/', headers, body)).json).toMatchObject({
      Response: { Error: { Code: 'AuthFailure.SignatureExpire' } },
    })
  })
})

describe('robots', () => {
  it('of DingTalk and Feishu take the documented signatures, and no others', async () => {
    const now = () => 1_767_323_045_001
    const dingtalk = await started(startRobots('dingtalk.robot', { now }))
    const own = dingtalk.account('dingtalk.robot', 'a')
    own.secrets.secret = 'SECtest0000'
    const path = new URL(own.secrets.url!)
    const sign = (text: string) => `${path.pathname}${path.search}&timestamp=1767323045001&sign=${text}`
    const words = JSON.stringify({ msgtype: 'text', text: { content: 'hot' } })
    const good = 'OSta7KL%2Fv6NyPSB3byMheg9FWIAv8QoA22%2BBGnci1yk%3D'
    expect((await ask(dingtalk, sign(good), {}, words)).json).toEqual({ errcode: 0, errmsg: 'ok' })
    expect((await ask(dingtalk, sign(good.replace('O', 'P')), {}, words)).json).toEqual({
      errcode: 310000,
      errmsg: 'sign not match',
    })
    for (let i = 0; i < 19; i++) await ask(dingtalk, sign(good), {}, words)
    expect((await ask(dingtalk, sign(good), {}, words)).json).toMatchObject({ errcode: 130101 })

    const feishu = await started(startRobots('feishu.robot', { now }))
    const his = feishu.account('feishu.robot', 'a')
    his.secrets.secret = 'fstest0000'
    const said = { timestamp: '1767323045', msg_type: 'text', content: { text: 'hot' } }
    const at = new URL(his.secrets.url!).pathname
    const signed = { ...said, sign: 'fV2XQq7FDJUjOQ1GQhFVHb3nPyftwjcIJMgUedufba8=' }
    expect((await ask(feishu, at, {}, JSON.stringify(signed))).json).toMatchObject({ code: 0 })
    expect((await ask(feishu, at, {}, JSON.stringify({ ...said, sign: 'x' }))).json).toMatchObject({ code: 19021 })
  })
})

import { createHash, createHmac } from 'node:crypto'
import { type ChannelAdapter, ChannelError, smsParts } from '../../modules/contacts/channel.port.ts'
import type { VendorDeps } from './aliyun.ts'
import { unreadable } from './http-channel.ts'

export interface TencentCall {
  service: 'sms' | 'vms'
  action: string
  version: string
  region: string
  body: string
  secretId: string
  secretKey: string
  /** Epoch ms. */
  now: number
  contentType?: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Address and headers of a call, signed with TC3-HMAC-SHA256 (cloud.tencent.com/document/api/213/30654). */
export function tencentRequest(call: TencentCall): { url: string; headers: Record<string, string> } {
  const { service, contentType = 'application/json; charset=utf-8' } = call
  const host = `${service}.tencentcloudapi.com`
  const seconds = Math.floor(call.now / 1_000)
  const date = new Date(seconds * 1_000).toISOString().slice(0, 10)
  const names = 'content-type;host'
  const canonical = ['POST', '/', '', `content-type:${contentType}\nhost:${host}\n`, names, sha256(call.body)].join(
    '\n',
  )
  const place = `${date}/${service}/tc3_request`
  const key = hmac(hmac(hmac(`TC3${call.secretKey}`, date), service), 'tc3_request')
  const signature = hmac(key, ['TC3-HMAC-SHA256', seconds, place, sha256(canonical)].join('\n')).toString('hex')
  return {
    url: `https://${host}/`,
    headers: {
      'content-type': contentType,
      host,
      'x-tc-action': call.action,
      'x-tc-version': call.version,
      'x-tc-timestamp': String(seconds),
      'x-tc-region': call.region,
      authorization: `TC3-HMAC-SHA256 Credential=${call.secretId}/${place}, SignedHeaders=${names}, Signature=${signature}`,
    },
  }
}

const ACCOUNT =
  /^(AuthFailure|UnauthorizedOperation|FailedOperation\.InsufficientBalance|FailedOperation\.SignatureIncorrectOrUnapproved|InvalidParameterValue\.SdkAppIdNotExist|InvalidParameterValue\.SdkAppidNotExist)/
const AGAIN = /^(InternalError|RequestLimitExceeded|LimitExceeded)/

function refused(code: string, message: unknown): ChannelError {
  const kind = ACCOUNT.test(code) ? 'account' : AGAIN.test(code) ? 'again' : 'never'
  return new ChannelError(kind, `${code} ${typeof message === 'string' ? message : ''}`.trim())
}

/** Texts (SMS 2021-01-11) and calls (VMS 2020-09-02) over Tencent Cloud. */
export function createTencentChannel({ http, now }: VendorDeps): ChannelAdapter {
  return {
    async send(account, message) {
      const { config, secrets, kind } = account
      if (message.code === '') throw new ChannelError('never', 'no_template_code')
      // Variables go by their place.
      const values = message.params.map(({ value }) => value)
      const isSms = kind === 'sms'
      const body = JSON.stringify(
        isSms
          ? {
              PhoneNumberSet: [message.to],
              SmsSdkAppId: config.sdkAppId,
              TemplateId: message.code,
              SignName: config.signName,
              TemplateParamSet: values,
              SessionContext: message.id,
            }
          : {
              TemplateId: message.code,
              CalledNumber: message.to,
              VoiceSdkAppid: config.sdkAppId,
              TemplateParamSet: values,
              PlayTimes: Number(config.playTimes || '2'),
              SessionContext: message.id,
            },
      )
      const { url, headers } = tencentRequest({
        service: isSms ? 'sms' : 'vms',
        action: isSms ? 'SendSms' : 'SendTtsVoice',
        version: isSms ? '2021-01-11' : '2020-09-02',
        region: config.region || 'ap-guangzhou',
        body,
        secretId: config.secretId ?? '',
        secretKey: secrets.secretKey ?? '',
        now: now(),
      })
      const { status, json } = await http.post(account.simulator, url, headers, body)
      const answer = json?.Response as
        | {
            Error?: { Code?: string; Message?: string }
            SendStatusSet?: { Code?: string; Message?: string; SerialNo?: string; Fee?: number }[]
            SendStatus?: { CallId?: string }
          }
        | undefined
      if (!answer) throw unreadable(status)
      if (answer.Error) throw refused(String(answer.Error.Code), answer.Error.Message)
      if (isSms) {
        const [first] = answer.SendStatusSet ?? []
        if (!first) throw unreadable(status)
        if (first.Code !== 'Ok') throw refused(String(first.Code), first.Message)
        return { ref: first.SerialNo ?? null, cost: first.Fee ?? smsParts(config.signName ?? '', message.text) }
      }
      if (!answer.SendStatus?.CallId) throw unreadable(status)
      return { ref: answer.SendStatus.CallId, cost: 1 }
    },
  }
}

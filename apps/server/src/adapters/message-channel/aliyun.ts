import { createHash, createHmac } from 'node:crypto'
import { type ChannelAdapter, ChannelError, smsParts } from '../../modules/contacts/channel.port.ts'
import { type ChannelHttp, unreadable } from './http-channel.ts'

/** RFC 3986, as Aliyun wants it: also `!'()*` are escaped. */
const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export interface AliyunCall {
  host: string
  action: string
  version: string
  query: Readonly<Record<string, string>>
  accessKeyId: string
  accessKeySecret: string
  nonce: string
  /** Epoch ms. */
  now: number
}

/**
 * Address and headers of a call with an empty body, signed with ACS3-HMAC-SHA256
 * (help.aliyun.com/zh/sdk/product-overview/v3-request-structure-and-signature).
 */
export function aliyunRequest(call: AliyunCall): { url: string; headers: Record<string, string> } {
  const query = Object.entries(call.query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${escaped(key)}=${escaped(value)}`)
    .join('&')
  const hash = sha256('')
  const signed: Record<string, string> = {
    host: call.host,
    'x-acs-action': call.action,
    'x-acs-content-sha256': hash,
    'x-acs-date': new Date(call.now).toISOString().replace(/\.\d+Z$/, 'Z'),
    'x-acs-signature-nonce': call.nonce,
    'x-acs-version': call.version,
  }
  const names = Object.keys(signed).sort()
  const lines = names.map(name => `${name}:${signed[name]}\n`).join('')
  const canonical = ['POST', '/', query, lines, names.join(';'), hash].join('\n')
  const signature = createHmac('sha256', call.accessKeySecret)
    .update(`ACS3-HMAC-SHA256\n${sha256(canonical)}`)
    .digest('hex')
  return {
    url: `https://${call.host}/?${query}`,
    headers: {
      ...signed,
      authorization: `ACS3-HMAC-SHA256 Credential=${call.accessKeyId},SignedHeaders=${names.join(';')},Signature=${signature}`,
    },
  }
}

/** The account itself is refused. */
const ACCOUNT =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|Forbidden|isp\.RAM_PERMISSION_DENY|isv\.(OUT_OF_SERVICE|PRODUCT_UN_?SUBSCRIBE|PRODUCT_UNSUBSCRIPT|ACCOUNT_|AMOUNT_NOT_ENOUGH|SMS_SIGNATURE_ILLEGAL))/
const AGAIN = /^(isv\.BUSINESS_LIMIT_CONTROL|isp\.SYSTEM_ERROR|Throttling|ServiceUnavailable|InternalError)/

const CALL = { version: '2017-05-25' }

export interface VendorDeps {
  http: ChannelHttp
  now(): number
  nonce(): string
}

/** Texts and calls over Aliyun (dysmsapi and dyvmsapi, 2017-05-25). */
export function createAliyunChannel({ http, now, nonce }: VendorDeps): ChannelAdapter {
  return {
    async send(account, message) {
      const { config, secrets, kind } = account
      if (message.code === '') throw new ChannelError('never', 'no_template_code')
      const phone = message.to.replace(/^\+86/, '').replace(/^\+/, '00')
      const params = JSON.stringify(Object.fromEntries(message.params.map(({ name, value }) => [name, value])))
      const isSms = kind === 'sms'
      const query: Record<string, string> = isSms
        ? {
            PhoneNumbers: phone,
            SignName: config.signName ?? '',
            TemplateCode: message.code,
            TemplateParam: params,
            OutId: message.id,
          }
        : {
            CalledNumber: phone,
            ...(config.showNumber ? { CalledShowNumber: config.showNumber } : {}),
            TtsCode: message.code,
            TtsParam: params,
            PlayTimes: config.playTimes || '2',
            // At most 15 bytes: the beginning of the record's id.
            OutId: message.id.replaceAll('-', '').slice(-15),
          }
      const { url, headers } = aliyunRequest({
        ...CALL,
        host: isSms ? 'dysmsapi.aliyuncs.com' : 'dyvmsapi.aliyuncs.com',
        action: isSms ? 'SendSms' : 'SingleCallByTts',
        query,
        accessKeyId: config.accessKeyId ?? '',
        accessKeySecret: secrets.accessKeySecret ?? '',
        nonce: nonce(),
        now: now(),
      })
      const { status, json } = await http.post(account.simulator, url, headers, '')
      if (typeof json?.Code !== 'string') throw unreadable(status)
      if (json.Code !== 'OK') {
        const said = `${json.Code} ${String(json.Message ?? '')}`.trim()
        throw new ChannelError(ACCOUNT.test(json.Code) ? 'account' : AGAIN.test(json.Code) ? 'again' : 'never', said)
      }
      const ref = isSms ? json.BizId : json.CallId
      return {
        ref: typeof ref === 'string' ? ref : null,
        cost: isSms ? smsParts(config.signName ?? '', message.text) : 1,
      }
    },
  }
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Asked } from '../platforms/platform-server.ts'
import {
  key,
  type MessageProvider,
  objectIn,
  type ProviderOptions,
  Refused,
  type Registered,
  startProvider,
} from './shared.ts'

/** Clocks may differ by this much. */
const WINDOW_MS = 15 * 60_000
const VERSION = '2017-05-25'
const HOSTS: Record<string, string> = {
  'dysmsapi.aliyuncs.com': 'sms.aliyun',
  'dyvmsapi.aliyuncs.com': 'voice.aliyun',
}
const SIGNED = ['host', 'x-acs-action', 'x-acs-content-sha256', 'x-acs-date', 'x-acs-signature-nonce', 'x-acs-version']
/** A text with its signature, and the values of a call. */
const LONGEST = 500
const LONGEST_CALL = 250

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
/** RFC 3986: letters, digits, `-`, `_`, `.` and `~` stay. */
const percent = (text: string) =>
  [...Buffer.from(text)]
    .map(byte => {
      const char = String.fromCharCode(byte)
      return /[A-Za-z0-9\-_.~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

/** SMS and voice calls of Aliyun (dysmsapi and dyvmsapi, 2017-05-25), signed with ACS3-HMAC-SHA256. */
export function startAliyun(options: ProviderOptions = {}): Promise<MessageProvider> {
  const { now = Date.now } = options
  const nonces = new Set<string>()
  let count = 0

  /** Why it is not the account's request. */
  function signer(asked: Asked, accounts: readonly Registered[]): Registered {
    const header = (name: string) => String(asked.headers[name] ?? '')
    const parts = /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(
      header('authorization'),
    )
    if (!parts) throw new Refused('IncompleteSignature', 'the Authorization header cannot be read', 400)
    const [, id, names, signature] = parts as unknown as [string, string, string, string]
    const way = HOSTS[header('host')]
    const account = accounts.find(one => one.way === way && one.config.accessKeyId === id)
    if (!account) throw new Refused('InvalidAccessKeyId.NotFound', 'Specified access key is not found.', 404)
    const signed = names.split(';')
    if (SIGNED.some(name => !signed.includes(name)) || [...signed].sort().join() !== signed.join())
      throw new Refused('IncompleteSignature', `signed are ${names}`, 400)
    if (header('x-acs-content-sha256') !== hash(asked.body))
      throw new Refused('SignatureDoesNotMatch', 'x-acs-content-sha256 is not that of the body', 400)
    const at = header('x-acs-date')
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(at) || Math.abs(now() - Date.parse(at)) > WINDOW_MS)
      throw new Refused('InvalidTimeStamp.Expired', 'Specified time stamp or date value is expired.', 400)
    const query = [...asked.query]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${percent(name)}=${percent(value)}`)
      .join('&')
    const lines = signed.map(name => `${name}:${header(name).trim()}\n`).join('')
    const canonical = `${asked.method}\n${asked.path}\n${query}\n${lines}\n${names}\n${header('x-acs-content-sha256')}`
    const wanted = createHmac('sha256', account.secrets.accessKeySecret!)
      .update(`ACS3-HMAC-SHA256\n${hash(canonical)}`)
      .digest()
    if (!timingSafeEqual(wanted, Buffer.from(signature, 'hex')))
      throw new Refused('SignatureDoesNotMatch', 'Specified signature is not matched with our calculation.', 400)
    const nonce = header('x-acs-signature-nonce')
    if (nonces.has(nonce)) throw new Refused('SignatureNonceUsed', 'Specified signature nonce was used already.', 400)
    nonces.add(nonce)
    if (header('x-acs-version') !== VERSION) throw new Refused('InvalidVersion', 'Specified version is not valid.', 400)
    return account
  }

  return startProvider(
    {
      makeAccount: way => ({
        config: { accessKeyId: `LTAI${key(8)}`, ...(way === 'sms.aliyun' ? { signName: 'Thingwright' } : {}) },
        secrets: { accessKeySecret: key(15) },
      }),
      take(asked, accounts) {
        const account = signer(asked, accounts)
        const of = new Map(asked.query)
        const isSms = account.way === 'sms.aliyun'
        const action = isSms ? 'SendSms' : 'SingleCallByTts'
        if (asked.headers['x-acs-action'] !== action)
          throw new Refused('InvalidAction.NotFound', 'Specified api is not found.', 400)
        const to = of.get(isSms ? 'PhoneNumbers' : 'CalledNumber') ?? ''
        // Numbers of the mainland without a country, others with 00 before it.
        if (!(/^1[3-9]\d{9}$/.test(to) || (isSms && /^00[1-9]\d{5,14}$/.test(to))))
          throw new Refused('isv.MOBILE_NUMBER_ILLEGAL', `${to} is no phone number`)
        if (isSms && (of.get('SignName') ?? '') === '')
          throw new Refused('isv.SMS_SIGNATURE_ILLEGAL', 'the signature is not known')
        const template = of.get(isSms ? 'TemplateCode' : 'TtsCode') ?? ''
        if (template === '')
          throw new Refused(
            isSms ? 'isv.SMS_TEMPLATE_ILLEGAL' : 'isv.TTS_TEMPLATE_ILLEGAL',
            'the template is not known',
          )
        const params = objectIn(of.get(isSms ? 'TemplateParam' : 'TtsParam') ?? '{}')
        if (!params || Object.values(params).some(value => typeof value !== 'string'))
          throw new Refused('isv.INVALID_JSON_PARAM', 'the parameters are no JSON of texts')
        const length = [...Object.values(params).join('')].length
        if (length > (isSms ? LONGEST : LONGEST_CALL - 1)) throw new Refused('isv.PARAM_LENGTH_LIMIT', 'too long')
        if (!isSms && Buffer.byteLength(of.get('OutId') ?? '') > 15)
          throw new Refused('isv.INVALID_PARAMETERS', 'OutId has more than 15 bytes')
        if (!isSms && !/^[123]$/.test(of.get('PlayTimes') ?? '3'))
          throw new Refused('isv.INVALID_PARAMETERS', 'PlayTimes')
        count++
        const ref = isSms ? `${now()}${count}^0` : `${now()}${count}^1${String(count).padStart(10, '0')}`
        return { account, taken: { way: account.way, to, template, params, body: JSON.stringify([...of]), ref } }
      },
      yes: ({ way, ref }) => ({
        Code: 'OK',
        Message: 'OK',
        RequestId: requestId(),
        ...(way === 'sms.aliyun' ? { BizId: ref } : { CallId: ref }),
      }),
      no: ({ code, message }) => ({ Code: code, Message: message, RequestId: requestId() }),
      receipt(message, behaviour, at) {
        const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
        const isDelivered = behaviour.kind === 'delivered'
        const failed = behaviour.kind === 'failed' ? behaviour : null
        if (message.way === 'sms.aliyun')
          return [
            {
              phone_number: message.to,
              send_time: time,
              report_time: time,
              success: isDelivered,
              err_code: failed?.code ?? 'DELIVERED',
              err_msg: failed?.message ?? '用户接收成功',
              sms_size: '1',
              biz_id: message.ref,
              out_id: '',
            },
          ]
        return {
          call_id: message.ref,
          callee: message.to,
          start_time: time,
          end_time: time,
          duration: isDelivered ? '12' : '0',
          status_code: failed?.code ?? '200000',
          status_msg: failed?.message ?? '用户听完',
          hangup_direction: '用户',
        }
      },
    },
    options,
  )
}

const requestId = () =>
  key(16)
    .toUpperCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

import { createHash, createHmac, randomUUID } from 'node:crypto'
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
const WINDOW_S = 300
const SERVICES = {
  'sms.tencentcloudapi.com': { way: 'sms.tencent', service: 'sms', action: 'SendSms', version: '2021-01-11' },
  'vms.tencentcloudapi.com': { way: 'voice.tencent', service: 'vms', action: 'SendTtsVoice', version: '2020-09-02' },
} as const
const LONGEST_CALL = 350

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const mac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text).digest()

/** SMS (2021-01-11) and voice calls (VMS 2020-09-02) of Tencent Cloud, signed with TC3-HMAC-SHA256. */
export function startTencent(options: ProviderOptions = {}): Promise<MessageProvider> {
  const { now = Date.now } = options
  let count = 0

  function signer(asked: Asked, accounts: readonly Registered[]): Registered {
    const header = (name: string) => String(asked.headers[name] ?? '')
    const place = SERVICES[header('host') as keyof typeof SERVICES]
    if (!place) throw new Refused('InvalidParameter', `${header('host')} is nobody`)
    const parts =
      /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/(\w+)\/tc3_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
        header('authorization'),
      )
    if (!parts) throw new Refused('AuthFailure.InvalidAuthorization', 'the Authorization header cannot be read')
    const [, id, date, service, names, signature] = parts as unknown as [string, string, string, string, string, string]
    const account = accounts.find(one => one.way === place.way && one.config.secretId === id)
    if (!account) throw new Refused('AuthFailure.SecretIdNotFound', 'The SecretId is not found')
    const seconds = Number(header('x-tc-timestamp'))
    if (!Number.isInteger(seconds) || Math.abs(now() / 1_000 - seconds) > WINDOW_S)
      throw new Refused('AuthFailure.SignatureExpire', 'the time is not now')
    if (date !== new Date(seconds * 1_000).toISOString().slice(0, 10) || service !== place.service)
      throw new Refused('AuthFailure.SignatureFailure', 'date or service of the credential')
    if (!names.split(';').includes('content-type') || !names.split(';').includes('host'))
      throw new Refused('AuthFailure.SignatureFailure', 'content-type and host have to be signed')
    const lines = names
      .split(';')
      .map(name => `${name}:${header(name).trim().toLowerCase()}\n`)
      .join('')
    const canonical = ['POST', '/', '', lines, names, hash(asked.body)].join('\n')
    const credential = `${date}/${service}/tc3_request`
    const signing = mac(mac(mac(`TC3${account.secrets.secretKey}`, date), service), 'tc3_request')
    const wanted = mac(signing, `TC3-HMAC-SHA256\n${seconds}\n${credential}\n${hash(canonical)}`).toString('hex')
    if (wanted !== signature) throw new Refused('AuthFailure.SignatureFailure', 'The signature is not correct')
    if (header('x-tc-action') !== place.action) throw new Refused('InvalidAction', 'The action does not exist')
    if (header('x-tc-version') !== place.version) throw new Refused('NoSuchVersion', 'The version does not exist')
    if (header('x-tc-region') === '') throw new Refused('MissingParameter', 'The region is missing')
    return account
  }

  return startProvider(
    {
      makeAccount: way => ({
        config: {
          secretId: `AKID${key(16)}`,
          sdkAppId: '1400000000',
          ...(way === 'sms.tencent' ? { signName: 'Thingwright' } : {}),
        },
        secrets: { secretKey: key(16) },
      }),
      take(asked, accounts) {
        const account = signer(asked, accounts)
        const body = objectIn(asked.body)
        if (!body) throw new Refused('InvalidParameter', 'the body is no JSON')
        const isSms = account.way === 'sms.tencent'
        const numbers = isSms ? body.PhoneNumberSet : [body.CalledNumber]
        const to = Array.isArray(numbers) && numbers.length === 1 ? String(numbers[0]) : ''
        if (!(isSms ? /^\+[1-9]\d{6,14}$/ : /^\+861[3-9]\d{9}$/).test(to))
          throw new Refused(
            isSms ? 'InvalidParameterValue.IncorrectPhoneNumber' : 'InvalidParameterValue.CalledNumberVerifyFail',
            `${to} is no phone number`,
          )
        if ((isSms ? body.SmsSdkAppId : body.VoiceSdkAppid) !== account.config.sdkAppId)
          throw new Refused(
            isSms ? 'InvalidParameterValue.SdkAppIdNotExist' : 'InvalidParameterValue.SdkAppidNotExist',
            'The SdkAppId does not exist',
          )
        if (isSms && (typeof body.SignName !== 'string' || body.SignName === ''))
          throw new Refused('FailedOperation.SignatureIncorrectOrUnapproved', 'the signature is not known')
        const template = typeof body.TemplateId === 'string' ? body.TemplateId : ''
        if (template === '') throw new Refused('FailedOperation.TemplateIncorrectOrUnapproved', 'the template')
        const params = body.TemplateParamSet
        if (!Array.isArray(params) || params.some(value => typeof value !== 'string'))
          throw new Refused(
            'InvalidParameterValue.TemplateParameterFormatError',
            'TemplateParamSet is no list of texts',
          )
        if (!isSms && [...params.join('')].length > LONGEST_CALL)
          throw new Refused('InvalidParameterValue.ContentLengthLimit', 'too long')
        count++
        const ref = isSms ? `2640:${Math.floor(now() / 1_000)}${count}` : `${key(8)}-${count}`
        return { account, taken: { way: account.way, to, template, params, body: asked.body, ref } }
      },
      yes({ way, ref, to, body }) {
        const { SessionContext = '' } = objectIn(body)!
        const status =
          way === 'sms.tencent'
            ? {
                SendStatusSet: [
                  {
                    SerialNo: ref,
                    PhoneNumber: to,
                    Fee: 1,
                    SessionContext,
                    Code: 'Ok',
                    Message: 'send success',
                    IsoCode: 'CN',
                  },
                ],
              }
            : { SendStatus: { CallId: ref, SessionContext } }
        return { Response: { ...status, RequestId: randomUUID() } }
      },
      no: ({ code, message }) => ({
        Response: { Error: { Code: code, Message: message }, RequestId: randomUUID() },
      }),
      receipt({ way, ref, to }, behaviour, at) {
        const failed = behaviour.kind === 'failed' ? behaviour : null
        const country = { mobile: to.replace(/^\+86/, ''), nationcode: '86' }
        if (way === 'sms.tencent')
          return [
            {
              ...country,
              user_receive_time: new Date(at).toISOString().slice(0, 19).replace('T', ' '),
              report_status: failed ? 'FAIL' : 'SUCCESS',
              errmsg: failed?.code ?? 'DELIVRD',
              description: failed?.message ?? '用户短信送达成功',
              sid: ref,
            },
          ]
        if (failed)
          return {
            voice_failure_callback: {
              ...country,
              callid: ref,
              failure_code: Number(failed.code),
              failure_reason: failed.message,
            },
          }
        const second = String(Math.floor(at / 1_000))
        return {
          voiceprompt_callback: {
            ...country,
            result: '0',
            accept_time: second,
            start_calltime: second,
            end_calltime: second,
            callid: ref,
            call_from: '',
            fee: 1,
          },
        }
      },
    },
    options,
  )
}

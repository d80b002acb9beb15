import type { DeviceAnswer, DeviceCall } from '../../channel/device-frames.ts'
import { isName } from '../../sign-in-request.ts'
import type { IngestPort, SignInResult } from '../../transport.port.ts'
import { refusal } from './replies.ts'

/** A device that waits for somebody's yes asks again after this time. */
const RETRY_SECONDS = 60

/**
 * `POST /device/v1/{productKey}/register` with the product's secret as bearer (or in the body) and `{"deviceNo"}`:
 * 201 with the device's own secret, 202 while somebody has to approve it.
 */
export async function register(
  port: Pick<IngestPort, 'signIn' | 'note'>,
  productKey: string,
  bearer: Buffer | null,
  call: DeviceCall,
): Promise<DeviceAnswer> {
  const { language, address } = call
  const asked = readBody(call.body)
  if (!asked) return refusal(language, 'request.malformed')
  const productSecret = bearer ?? asked.productSecret
  if (!productSecret) return refusal(language, 'device_path.unauthorised')
  const { deviceNo } = asked
  const result = await port.signIn({
    kind: 'registration',
    productKey,
    deviceNo,
    productSecret,
    address,
    transport: 'http',
  })
  if (result.ok) {
    const deviceSecret = result.issued?.deviceSecret
    return { status: 201, retryAfter: 0, body: JSON.stringify({ deviceNo, deviceSecret }) }
  }
  if (result.reason === 'registration_waiting') {
    return {
      status: 202,
      retryAfter: RETRY_SECONDS,
      body: JSON.stringify({ deviceNo, state: 'waiting', retryAfterSeconds: RETRY_SECONDS }),
    }
  }
  if (result.reason !== 'unavailable') {
    port.note(productKey, deviceNo, 'sign_in_refused', { reason: result.reason, address, transport: 'http' })
  }
  return refuseSignIn(language, result.reason)
}

function readBody(body: Buffer): { deviceNo: string; productSecret: string | null } | null {
  if (body.length > 1_024) return null
  try {
    const { deviceNo, productSecret = null } = JSON.parse(body.toString('utf8')) as Record<string, unknown>
    if (typeof deviceNo !== 'string' || !isName(deviceNo)) return null
    if (productSecret !== null && (typeof productSecret !== 'string' || productSecret.length > 128)) return null
    return { deviceNo, productSecret }
  } catch {
    return null
  }
}

/** What a device is told over HTTP. Unknown and wrong look the same from outside. */
export function refuseSignIn(language: string, reason: (SignInResult & { ok: false })['reason']): DeviceAnswer {
  switch (reason) {
    case 'unavailable':
      return refusal(language, 'server.unavailable', { retryAfter: 2 })
    case 'disabled':
      return refusal(language, 'device_path.disabled')
    case 'company_closed':
      return refusal(language, 'device_path.company_closed')
    case 'not_published':
      return refusal(language, 'product.not_published', { status: 403 })
    case 'not_allowed':
      return refusal(language, 'device_path.not_allowed')
    case 'registration_off':
    case 'registration_unlisted':
    case 'registration_rejected':
    case 'registration_done':
      return refusal(language, `device_path.${reason}`)
    case 'quota_full':
      return refusal(language, 'device_path.quota_full')
    case 'rate_limited':
      return refusal(language, 'rate.limited', { params: { seconds: 60 }, retryAfter: 60 })
    default:
      return refusal(language, 'device_path.unauthorised')
  }
}

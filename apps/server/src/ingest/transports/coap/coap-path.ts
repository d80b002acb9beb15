import { ACCESS_TOKEN_PREFIX, credentialOf, type SignInRequest } from '../../sign-in-request.ts'
import { type DeviceRequest, readDevicePath } from '../http/device-path.ts'
import { type CoapMessage, Code, methodOf, urlOf } from './message.ts'

/** What a device's request wants, and who says so. */
export interface CoapRequest {
  wanted: DeviceRequest
  signIn: SignInRequest
}

/**
 * Reads `coap://…/device/v1/{productKey}/{deviceNo}/property?token={secret or access token}` and its neighbours, the
 * same paths as over HTTP. A code: the refusal.
 */
export function readCoapRequest(message: CoapMessage, address: string): CoapRequest | number {
  const method = methodOf(message)
  if (!method) return Code.methodNotAllowed
  const url = urlOf(message)
  const wanted = readDevicePath(method, url)
  if (!wanted || wanted.kind === 'register') return Code.notFound
  const token = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('token')
  if (!token || !url.includes('?')) return Code.unauthorised
  if (token.startsWith(ACCESS_TOKEN_PREFIX))
    return { wanted, signIn: { kind: 'token', token, address, transport: 'coap' } }
  const signIn = credentialOf(wanted, Buffer.from(token), { address, transport: 'coap' })
  return signIn.kind === 'registration' ? Code.unauthorised : { wanted, signIn }
}

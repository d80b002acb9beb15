import type { IncomingMessage } from 'node:http'
import { ACCESS_TOKEN_PREFIX, credentialOf, isName, type SignInRequest } from '../../sign-in-request.ts'

/** What a client said of itself, before it is known whether that is so. */
export interface Claim {
  /** `{productKey}/{deviceNo}`, or an access token. */
  username: string
  password: string
}

const MAX_TEXT = 1_024

/**
 * Reads who connects from the head of the upgrade: `Authorization: Basic` (user name and secret as in MQTT) or `Bearer`
 * (an access token), or the query `?username=…&password=…` or `?token=…` for clients that cannot set headers (browsers).
 * Null: it says so in its first message.
 */
export function claimOf({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): Claim | null {
  const { authorization = '' } = headers
  const [scheme = '', value = ''] = authorization.slice(0, MAX_TEXT).split(' ')
  if (scheme.toLowerCase() === 'basic') {
    // A device number may hold colons, a secret none, a signature two (credentialOf).
    const parts = /^(.+?):((?:hmac\w+:\d+:)?[^:]*)$/.exec(Buffer.from(value, 'base64').toString('utf8'))
    return parts ? { username: parts[1] as string, password: parts[2] as string } : null
  }
  if (scheme.toLowerCase() === 'bearer') return { username: value, password: '' }
  const question = url.indexOf('?')
  if (question < 0) return null
  const query = new URLSearchParams(url.slice(question + 1, question + 1 + MAX_TEXT))
  const token = query.get('token')
  if (token) return { username: token, password: '' }
  const username = query.get('username')
  return username ? { username, password: query.get('password') ?? '' } : null
}

/** The first message of a client that said nothing in its head: `{"username", "password"}` or `{"token"}`. */
export function claimFrom(message: unknown): Claim | null {
  if (typeof message !== 'object' || message === null) return null
  const { username, password, token } = message as Record<string, unknown>
  if (typeof token === 'string' && token.length <= MAX_TEXT) return { username: token, password: '' }
  if (typeof username !== 'string' || typeof password !== 'string') return null
  return username.length + password.length <= MAX_TEXT ? { username, password } : null
}

/** The claim as the gateway checks it; null for what could not be a device. */
export function requestOf({ username, password }: Claim, address: string): SignInRequest | null {
  if (username.startsWith(ACCESS_TOKEN_PREFIX))
    return { kind: 'token', token: username, address, transport: 'websocket' }
  const slash = username.indexOf('/')
  const name = { productKey: username.slice(0, slash), deviceNo: username.slice(slash + 1) }
  if (slash <= 0 || !isName(name.productKey) || !isName(name.deviceNo) || password === '') return null
  const request = credentialOf(name, Buffer.from(password), { address, transport: 'websocket' })
  return request.kind === 'registration' ? null : request
}

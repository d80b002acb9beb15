import { createHmac, timingSafeEqual } from 'node:crypto'

/** The owner of a ChirpStack token: a person, or an API key of a tenant or of the whole server. */
export interface Caller {
  kind: 'user' | 'key'
  id: string
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const mac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest()

/** HS256, as ChirpStack signs: persons for a day, keys for ever. */
export function signToken(secret: string, { kind, id }: Caller, expires?: number): string {
  const head = part({ typ: 'JWT', alg: 'HS256' })
  const body = part({ aud: 'chirpstack', iss: 'chirpstack', sub: id, typ: kind, ...(expires ? { exp: expires } : {}) })
  return `${head}.${body}.${mac(`${head}.${body}`, secret).toString('base64url')}`
}

/** @returns null when it is not a token of this server, or no longer one */
export function readToken(secret: string, token: string, nowMs: number): Caller | null {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  if (more.length > 0) return null
  const wanted = mac(`${head}.${body}`, secret)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
  try {
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg?: unknown }
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    if (alg !== 'HS256' || claims.aud !== 'chirpstack' || claims.iss !== 'chirpstack') return null
    if (typeof claims.exp === 'number' && claims.exp * 1000 < nowMs) return null
    if ((claims.typ !== 'user' && claims.typ !== 'key') || typeof claims.sub !== 'string') return null
    return { kind: claims.typ, id: claims.sub }
  } catch {
    return null
  }
}

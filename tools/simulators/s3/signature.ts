import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What of a request is signed. */
export interface SignedRequest {
  method: string
  /** Path and query as they came over the wire. */
  target: string
  headers: IncomingHttpHeaders
}

export interface Credentials {
  accessKey: string
  secretKey: string
  region: string
}

export type SignatureProblem =
  | 'AccessDenied'
  | 'AuthorizationHeaderMalformed'
  | 'InvalidAccessKeyId'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch'

const SKEW_MS = 15 * 60_000

/**
 * Checks the Authorization header of an AWS Signature Version 4 request (S3 flavour: the path is encoded once).
 * Source: "Authenticating Requests: Using the Authorization Header", Amazon S3 API reference.
 * @returns null when it is good
 */
export function checkSignature(request: SignedRequest, credentials: Credentials, now: number): SignatureProblem | null {
  const header = request.headers.authorization
  if (!header) return 'AccessDenied'
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})$/.exec(
      header,
    )
  if (!match) return 'AuthorizationHeaderMalformed'
  const [, accessKey, day, region, names, signature] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  if (accessKey !== credentials.accessKey) return 'InvalidAccessKeyId'
  if (region !== credentials.region) return 'AuthorizationHeaderMalformed'
  const signedNames = names.split(';')
  const date = String(request.headers['x-amz-date'] ?? '')
  const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)
  if (!time || !date.startsWith(day)) return 'AuthorizationHeaderMalformed'
  const [, y, mo, d, h, mi, s] = time.map(Number) as [number, number, number, number, number, number, number]
  if (Math.abs(Date.UTC(y, mo - 1, d, h, mi, s) - now) > SKEW_MS) return 'RequestTimeTooSkewed'
  // host, the date and every other x-amz- header must be signed, or they could be changed on the way.
  const mustBeSigned = ['host', ...Object.keys(request.headers).filter(name => name.startsWith('x-amz-'))]
  if (mustBeSigned.some(name => !signedNames.includes(name))) return 'AccessDenied'

  const canonical = canonicalRequest(request, signedNames)
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`
  const key = [day, region, 's3', 'aws4_request'].reduce(
    (previous: string | Buffer, part) => createHmac('sha256', previous).update(part).digest(),
    `AWS4${credentials.secretKey}`,
  )
  const expected = createHmac('sha256', key).update(toSign).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? null : 'SignatureDoesNotMatch'
}

function canonicalRequest(request: SignedRequest, names: string[]): string {
  const [path = '/', query = ''] = request.target.split('?', 2) as [string, string?]
  const parameters = query
    .split('&')
    .filter(Boolean)
    .map(pair => {
      const [name = '', value = ''] = pair.split('=', 2)
      return [encode(decode(name)), encode(decode(value))] as const
    })
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
  return [
    request.method,
    path
      .split('/')
      .map(part => encode(decodeURIComponent(part)))
      .join('/'),
    parameters.map(([name, value]) => `${name}=${value}`).join('&'),
    ...names.map(
      name =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/\s+/g, ' ')}`,
    ),
    '',
    names.join(';'),
    String(request.headers['x-amz-content-sha256'] ?? ''),
  ].join('\n')
}

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', '%20'))

/** RFC 3986: everything but the unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

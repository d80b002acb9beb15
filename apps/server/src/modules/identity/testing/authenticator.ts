import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

/** The few CBOR forms (RFC 8949) an attestation consists of. */
function cbor(value: unknown): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([k, v]) => [cbor(k), cbor(v)])])
}

interface Options {
  rpId?: string
  origin?: string
  /** User presence and verification flags. */
  verified?: boolean
  counter?: number
  userHandle?: string
  challenge?: string
  type?: string
}

/** A passkey in software (WebAuthn Level 3 §6), which can also lie. */
export function softwareAuthenticator(rpId = 'localhost', origin = 'http://localhost:8080') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  let counter = 0
  let userHandle = ''

  function authData(options: Options, attested: Buffer = Buffer.alloc(0)): Buffer {
    const flags = 1 | (options.verified === false ? 0 : 4) | (attested.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(options.counter ?? counter)
    return Buffer.concat([sha256(options.rpId ?? rpId), Buffer.from([flags]), count, attested])
  }
  const clientData = (type: string, challenge: string, options: Options) =>
    Buffer.from(
      JSON.stringify({
        type: options.type ?? type,
        challenge: options.challenge ?? challenge,
        origin: options.origin ?? origin,
        crossOrigin: false,
      }),
    )

  return {
    id: b64(credentialId),
    create(creation: { challenge: string; user: { id: string } }, options: Options = {}) {
      userHandle = creation.user.id
      const jwk = (publicKey as KeyObject).export({ format: 'jwk' })
      const cose = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(jwk.x!, 'base64url')],
          [-3, Buffer.from(jwk.y!, 'base64url')],
        ]),
      )
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, cose])
      const attestationObject = cbor(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData(options, attested)],
        ]),
      )
      return {
        id: b64(credentialId),
        rawId: b64(credentialId),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: b64(clientData('webauthn.create', creation.challenge, options)),
          attestationObject: b64(attestationObject),
          transports: ['internal'],
        },
      }
    },
    get(request: { challenge: string }, options: Options = {}) {
      counter += 1
      const data = authData(options)
      const client = clientData('webauthn.get', request.challenge, options)
      const signature = createSign('SHA256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey)
      return {
        id: b64(credentialId),
        rawId: b64(credentialId),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: b64(client),
          authenticatorData: b64(data),
          signature: b64(signature),
          userHandle: options.userHandle ?? userHandle,
        },
      }
    },
  }
}

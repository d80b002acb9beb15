import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { PasskeyView } from '@thingwright/contracts/security.contract'
import type { SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { isUuid, newId } from '../../lib/ids.ts'
import {
  type ChallengeRow,
  insertChallenge,
  insertPasskey,
  type PasskeyRow,
  passkeyByCredential,
  passkeysOf,
  passkeyUsed,
  takeChallenge,
} from './security.repo.ts'

/** Who the browser is told we are (WebAuthn Level 3 §4): a host name, and the addresses from which it may be asked. */
export interface RelyingParty {
  id: string
  origins: string[]
}

export type Purpose = 'register' | 'sign_in' | 'second_factor' | 'proof'

export interface Ceremony {
  challengeId: string
  options: Record<string, unknown>
}

/** Loaded when the first passkey is asked for: it is large, and many installations have none. */
const webauthn = () => import('@simplewebauthn/server')

/** How long a person may take. */
const CEREMONY_MS = 5 * 60_000
const RP_NAME = 'Thingwright'
/** EdDSA, ES256, RS256 (COSE, RFC 9053). */
const ALGORITHMS = [-8, -7, -257]

/**
 * From PUBLIC_URL, else from the request: the browser signs its own origin, so a made-up Host only hurts its sender.
 * @throws AppError security.passkey_context where browsers have no passkeys: bare addresses, plain http beyond localhost
 */
export function relyingParty(publicUrl: string | null, host: string | undefined): RelyingParty {
  const url = readUrl(publicUrl ?? `http://${host ?? ''}`)
  const local = url?.hostname === 'localhost' || url?.hostname.endsWith('.localhost')
  if (!url || /^[\d.]+$|:/.test(url.hostname) || (publicUrl?.startsWith('http:') && !local))
    throw new AppError('security.passkey_context')
  // Without PUBLIC_URL a proxy in front may speak https: which of the two it was stands in the signed client data.
  const origins = publicUrl ? [url.origin] : local ? [url.origin] : [`https://${url.host}`]
  return { id: url.hostname, origins }
}

function readUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

export interface Passkeys {
  beginRegistration(
    scope: SystemScope,
    login: { id: string; username: string; displayName: string },
    rp: RelyingParty,
  ): Promise<Ceremony>
  /** @throws AppError security.passkey_refused, security.passkey_known */
  register(
    scope: SystemScope,
    login: { id: string; tenantId: string },
    input: { challengeId: string; name: string; response: unknown },
  ): Promise<PasskeyRow>
  /** @param loginId whose passkeys are asked for; null: the browser offers those it has (sign-in without a name) */
  begin(scope: SystemScope, purpose: Purpose, loginId: string | null, rp: RelyingParty): Promise<Ceremony>
  /** The login whose passkey signed the challenge, null when anything about it is wrong. The challenge is gone either way. */
  check(
    scope: SystemScope,
    purpose: Purpose,
    input: { challengeId: string; response: unknown },
    loginId?: string,
  ): Promise<string | null>
}

export function createPasskeys(now: () => number): Passkeys {
  async function keep(
    scope: SystemScope,
    purpose: Purpose,
    loginId: string | null,
    rp: RelyingParty,
    challenge: string,
  ): Promise<string> {
    const id = newId(now())
    await insertChallenge(
      scope,
      {
        id,
        challenge,
        purpose,
        login_id: loginId,
        rp_id: rp.id,
        origin: rp.origins.join(' '),
        expires_at: new Date(now() + CEREMONY_MS),
      },
      new Date(now()),
    )
    return id
  }

  async function take(
    scope: SystemScope,
    id: string,
    purpose: Purpose,
    loginId: string | null,
  ): Promise<ChallengeRow | null> {
    const row = isUuid(id) ? await takeChallenge(scope, id) : null
    if (row?.purpose !== purpose || row.expires_at.getTime() <= now()) return null
    return row.login_id === loginId ? row : null
  }

  return {
    async beginRegistration(scope, login, rp) {
      const known = await passkeysOf(scope, login.id)
      const options = await (await webauthn()).generateRegistrationOptions({
        rpName: RP_NAME,
        rpID: rp.id,
        userID: userHandle(login.id),
        userName: login.username,
        userDisplayName: login.displayName || login.username,
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: known.map(key => ({ id: key.credential_id, transports: key.transports })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        timeout: CEREMONY_MS,
      })
      return {
        challengeId: await keep(scope, 'register', login.id, rp, options.challenge),
        options: { ...options },
      }
    },

    async register(scope, login, { challengeId, name, response }) {
      const challenge = await take(scope, challengeId, 'register', login.id)
      if (!challenge || !isResponse(response)) throw new AppError('security.passkey_refused')
      const result = await (await webauthn())
        .verifyRegistrationResponse({
          response: response as unknown as RegistrationResponseJSON,
          expectedChallenge: challenge.challenge,
          expectedOrigin: challenge.origin.split(' '),
          expectedRPID: challenge.rp_id,
          supportedAlgorithmIDs: ALGORITHMS,
          requireUserVerification: true,
        })
        .catch((cause: unknown) => {
          throw new AppError('security.passkey_refused', { cause })
        })
      if (!result.verified) throw new AppError('security.passkey_refused')
      const { credential, credentialBackedUp } = result.registrationInfo
      const row = {
        id: newId(now()),
        tenant_id: login.tenantId,
        login_id: login.id,
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: credential.transports ?? [],
        rp_id: challenge.rp_id,
        name,
        synced: credentialBackedUp,
      }
      if (!(await insertPasskey(scope, row))) throw new AppError('security.passkey_known')
      return { ...row, created_at: new Date(now()), last_used_at: null }
    },

    async begin(scope, purpose, loginId, rp) {
      const known = loginId ? await passkeysOf(scope, loginId) : []
      const options = await (await webauthn()).generateAuthenticationOptions({
        rpID: rp.id,
        userVerification: 'required',
        timeout: CEREMONY_MS,
        ...(loginId
          ? { allowCredentials: known.map(key => ({ id: key.credential_id, transports: key.transports })) }
          : {}),
      })
      return { challengeId: await keep(scope, purpose, loginId, rp, options.challenge), options: { ...options } }
    },

    async check(scope, purpose, { challengeId, response }, loginId) {
      const challenge = await take(scope, challengeId, purpose, loginId ?? null)
      if (!challenge || !isResponse(response)) return null
      const passkey = await passkeyByCredential(scope, response.id)
      if (!passkey || passkey.rp_id !== challenge.rp_id || (loginId && passkey.login_id !== loginId)) return null
      const handle = (response.response as { userHandle?: unknown }).userHandle
      if (typeof handle === 'string' && handle !== Buffer.from(userHandle(passkey.login_id)).toString('base64url'))
        return null
      try {
        const result = await (await webauthn()).verifyAuthenticationResponse({
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge: challenge.challenge,
          expectedOrigin: challenge.origin.split(' '),
          expectedRPID: challenge.rp_id,
          requireUserVerification: true,
          credential: {
            id: passkey.credential_id,
            publicKey: new Uint8Array(passkey.public_key),
            counter: Number(passkey.counter),
            transports: passkey.transports,
          },
        })
        if (!result.verified) return null
        const { newCounter, credentialBackedUp } = result.authenticationInfo
        await passkeyUsed(scope, passkey.id, newCounter, credentialBackedUp, new Date(now()))
        return passkey.login_id
      } catch {
        // The library throws for each way in which an answer can be wrong; to the caller they are all the same.
        return null
      }
    },
  }
}

export function passkeyView(row: PasskeyRow): PasskeyView {
  return {
    id: row.id,
    name: row.name,
    synced: row.synced,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }
}

/** The login's id as bytes: says nothing about the person (WebAuthn Level 3 §14.6.1). */
function userHandle(loginId: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(loginId.replaceAll('-', ''), 'hex'))
}

/** The library reads these without asking first. */
function isResponse(value: unknown): value is { id: string; response: object } {
  const given = value as { id?: unknown; response?: unknown } | null
  return (
    typeof given === 'object' &&
    given !== null &&
    typeof given.id === 'string' &&
    given.id.length <= 1400 &&
    typeof given.response === 'object' &&
    given.response !== null
  )
}

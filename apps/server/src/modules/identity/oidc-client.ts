import * as client from 'openid-client'
import { AppError } from '../../lib/errors.ts'
import { type Outbound, OutboundError, type OutboundFailure } from '../../lib/outbound/outbound.ts'
import { withoutAddresses } from '../../lib/outbound/outbound-guard.ts'

export interface ProviderFacts {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Secrets of one sign-in under way, kept sealed until the browser comes back. */
export interface FlowSecrets {
  state: string
  nonce: string
  verifier: string
  redirectUri: string
}

export interface OidcIdentity {
  subject: string
  /** Name for people: mail address, user name or subject. */
  label: string
  username: string
  displayName: string
}

export interface OidcClient {
  /** Reads the discovery document. @throws AppError oidc.discovery_failed */
  check(provider: ProviderFacts): Promise<void>
  /** Where the browser goes, and what has to be remembered meanwhile. @throws AppError oidc.unreachable */
  begin(provider: ProviderFacts, scopes: string, redirectUri: string): Promise<{ url: string; secrets: FlowSecrets }>
  /** Who came back. @throws AppError oidc.refused when anything about the answer is wrong */
  finish(provider: ProviderFacts, secrets: FlowSecrets, query: URLSearchParams): Promise<OidcIdentity>
}

/** A discovery document is read again after this long. */
const KEPT_MS = 10 * 60_000
const KEPT = 200

/**
 * OpenID Connect Core 1.0 with the authorization code flow, PKCE (RFC 7636), state, nonce and issuer identification
 * (RFC 9207). Every request goes through the guarded client: issuers are addresses that people typed in.
 */
export function createOidcClient(outbound: Outbound, now: () => number): OidcClient {
  const known = new Map<string, { until: number; config: client.Configuration }>()
  const guarded: client.CustomFetch = (url, init) =>
    outbound.fetch(url, { method: init.method, headers: init.headers, body: init.body as never, signal: init.signal })

  async function configuration({ issuer, clientId, clientSecret }: ProviderFacts): Promise<client.Configuration> {
    const key = JSON.stringify([issuer, clientId, clientSecret])
    const kept = known.get(key)
    if (kept && kept.until > now()) return kept.config
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: guarded,
      // The guarded client lets plain http through only to addresses that were allowed by name.
      execute: new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : [],
      timeout: 10,
    })
    const metadata = found.serverMetadata()
    // Without a list the server takes Basic (OpenID Connect Discovery 1.0 §3).
    const ways = metadata.token_endpoint_auth_methods_supported
    const basic = !ways || ways.includes('client_secret_basic')
    const config = new client.Configuration(
      metadata,
      clientId,
      { client_secret: clientSecret },
      basic ? client.ClientSecretBasic(clientSecret) : client.ClientSecretPost(clientSecret),
    )
    config[client.customFetch] = guarded
    config.timeout = 10
    if (new URL(issuer).protocol === 'http:') client.allowInsecureRequests(config)
    if (known.size >= KEPT) known.delete(known.keys().next().value!)
    known.set(key, { until: now() + KEPT_MS, config })
    return config
  }

  return {
    async check(provider) {
      try {
        const metadata = (await configuration(provider)).serverMetadata()
        if (!metadata.authorization_endpoint || !metadata.token_endpoint) throw new Error('endpoints are missing')
      } catch (error) {
        throw new AppError('oidc.discovery_failed', {
          params: { reason: reasonOf(error) },
          fields: { issuer: { code: 'oidc.discovery_failed', params: { reason: reasonOf(error) } } },
          cause: error,
        })
      }
    },

    async begin(provider, scopes, redirectUri) {
      const config = await configuration(provider).catch((cause: unknown) => {
        throw new AppError('oidc.unreachable', { cause })
      })
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        redirectUri,
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, secrets }
    },

    async finish(provider, secrets, query) {
      const config = await configuration(provider).catch((cause: unknown) => {
        throw new AppError('oidc.unreachable', { cause })
      })
      try {
        const tokens = await client.authorizationCodeGrant(config, new URL(`${secrets.redirectUri}?${query}`), {
          pkceCodeVerifier: secrets.verifier,
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims?.sub) throw new Error('no subject')
        const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string).slice(0, 200) : '')
        const mail = text('email')
        return {
          subject: claims.sub,
          label: mail || text('preferred_username') || claims.sub,
          username: text('preferred_username') || mail.replace(/@.*$/, ''),
          displayName: text('name') || text('preferred_username') || mail,
        }
      } catch (cause) {
        throw new AppError('oidc.refused', { cause })
      }
    },
  }
}

/** A word for the administrator; the provider's own texts may hold anything. */
function reasonOf(error: unknown): string {
  const chain: unknown[] = []
  const failures: OutboundFailure[] = []
  for (let link: unknown = error; link instanceof Error && chain.length < 5; link = link.cause) {
    chain.push(link.message)
    if (!(link instanceof OutboundError)) continue
    failures.push(link.failure)
    // What lies behind it are the system's words, with addresses in them.
    break
  }
  const text = withoutAddresses(chain.join(': '))
  if (failures.includes('blocked') || /not allowed|only https/i.test(text)) return 'address not allowed'
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return 'name not found'
  if (/ECONNREFUSED|ETIMEDOUT|aborted|timeout/i.test(text)) return 'no answer'
  return text.replace(/[^\x20-\x7e]/g, '').slice(0, 120) || 'unknown'
}

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { CertificateView } from '@thingwright/contracts/web-apps.contract'
import { AppError } from '../../lib/errors.ts'

const SOON_MS = 30 * 86_400_000
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * A certificate that a host can be served with now: readable, of this time, for this host, with its own key.
 * @returns the certificate with what signed it, and the key, both as PEM
 * @throws AppError web_app.certificate_… and web_app.key_… with the field, one for each thing that can be wrong
 */
export function checkCertificate(
  given: { certificate: string; key: string },
  host: string,
  now: number,
): { certificate: string; key: string } {
  const chain = given.certificate.match(BLOCK) ?? []
  const own = read(chain[0])
  if (!own || chain.some(one => read(one) === null)) throw wrong('certificate', 'web_app.certificate_unreadable')
  if (Date.parse(own.validTo) <= now)
    throw wrong('certificate', 'web_app.certificate_expired', { date: day(own.validTo) })
  if (Date.parse(own.validFrom) > now)
    throw wrong('certificate', 'web_app.certificate_early', { date: day(own.validFrom) })
  if (!own.checkHost(host))
    throw wrong('certificate', 'web_app.certificate_host', { host, names: namesOf(own).join(', ') || '-' })
  let key: KeyObject
  try {
    key = createPrivateKey(given.key)
  } catch {
    throw wrong('key', 'web_app.key_unreadable')
  }
  if (!own.checkPrivateKey(key)) throw wrong('key', 'web_app.key_mismatch')
  return { certificate: `${chain.join('\n')}\n`, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** The state of a stored certificate for its host, now. */
export function certificateView(pem: string, host: string | null, now: number): CertificateView {
  const own = new X509Certificate(pem.match(BLOCK)?.[0] ?? pem)
  const to = Date.parse(own.validTo)
  const state =
    to <= now
      ? 'expired'
      : Date.parse(own.validFrom) > now
        ? 'early'
        : host !== null && !own.checkHost(host)
          ? 'other_host'
          : to - now < SOON_MS
            ? 'expiring'
            : 'valid'
  return {
    subject: nameIn(own.subject),
    issuer: nameIn(own.issuer),
    names: namesOf(own),
    from: new Date(own.validFrom).toISOString(),
    to: new Date(own.validTo).toISOString(),
    fingerprint: own.fingerprint256,
    selfSigned: own.checkIssued(own),
    state,
  }
}

function read(pem: string | undefined): X509Certificate | null {
  try {
    return pem === undefined ? null : new X509Certificate(pem)
  } catch {
    return null
  }
}

/** Hosts that it names; without any the common name, as old certificates have it. */
function namesOf(certificate: X509Certificate): string[] {
  const names = [...(certificate.subjectAltName ?? '').matchAll(/DNS:"?([^",]+)"?/g)].map(found => found[1]!.trim())
  return names.length > 0 ? names.slice(0, 20) : [nameIn(certificate.subject)].filter(Boolean)
}

const nameIn = (text: string | undefined) => /^CN=(.+)$/m.exec(text ?? '')?.[1] ?? text?.split('\n')[0] ?? ''

const day = (text: string) => new Date(text).toISOString().slice(0, 10)

function wrong(
  field: 'certificate' | 'key',
  code:
    | 'web_app.certificate_unreadable'
    | 'web_app.certificate_expired'
    | 'web_app.certificate_early'
    | 'web_app.certificate_host'
    | 'web_app.key_unreadable'
    | 'web_app.key_mismatch',
  params: Record<string, unknown> = {},
): AppError {
  return new AppError(code, { params, fields: { [field]: { code, params } } })
}

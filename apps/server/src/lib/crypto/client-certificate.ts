import { createHash, X509Certificate } from 'node:crypto'

/** An authority as sign-in needs it. */
export interface Authority {
  tenant_id: string
  /** PEM */
  certificate: string
  not_after: Date
  state: 'unproven' | 'active' | 'disabled'
  /** The certificate in question was revoked. */
  revoked: boolean
}

export type CertificateRefusal =
  | 'certificate_invalid'
  | 'certificate_expired'
  | 'certificate_unknown_ca'
  | 'certificate_ca_disabled'
  | 'certificate_revoked'

interface RefusedChain {
  ok: false
  reason: CertificateRefusal
  /** The company whose authority signed it all the same; null: nobody's that is known. */
  tenantId: string | null
}

/** What a client certificate says of its device. */
export interface CertifiedName {
  /** Only our own certificates name the product too (URI `thingwright:{productKey}/{deviceNo}`). */
  productKey: string | null
  deviceNo: string
}

const NAME = /^[A-Za-z0-9_.:-]{1,64}$/
const OWN_URI = /(?:^|, )URI:thingwright:([A-Za-z0-9_.:-]{1,64})\/([A-Za-z0-9_.:-]{1,64})(?:,|$)/
const DNS = /(?:^|, )DNS:([A-Za-z0-9_.:-]{1,64})(?:,|$)/

/** @returns null for bytes that are no certificate */
export function readClientCertificate(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der)
  } catch {
    return null
  }
}

/** The device that a certificate names: our own URI, else the common name, else the first DNS name. */
export function certifiedName(certificate: X509Certificate): CertifiedName | null {
  const names = certificate.subjectAltName ?? ''
  const own = OWN_URI.exec(names)
  if (own) return { productKey: own[1] as string, deviceNo: own[2] as string }
  const common = /^CN=(.*)$/m.exec(certificate.subject)?.[1]
  if (common !== undefined && NAME.test(common)) return { productKey: null, deviceNo: common }
  const dns = DNS.exec(names)
  return dns ? { productKey: null, deviceNo: dns[1] as string } : null
}

/**
 * Which of the authorities of the issuer's name signed the certificate, and whether it may stand for a device now.
 * @param now epoch ms
 */
export function checkChain(
  certificate: X509Certificate,
  authorities: readonly Authority[],
  now: number,
): { ok: true; tenantId: string } | RefusedChain {
  if (certificate.ca) return { ok: false, reason: 'certificate_invalid', tenantId: null }
  const signers = authorities.filter(ca => isSignedBy(certificate, new X509Certificate(ca.certificate)))
  // Two companies may have brought the same authority; only who proved that he holds its key has an active one.
  const signer = signers.find(ca => ca.state === 'active')
  const refused = (reason: CertificateRefusal): RefusedChain => ({
    ok: false,
    reason,
    tenantId: (signer ?? signers.find(ca => ca.state === 'disabled'))?.tenant_id ?? null,
  })
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo))
    return refused('certificate_expired')
  if (signers.length === 0) return refused('certificate_unknown_ca')
  if (!signer) return refused('certificate_ca_disabled')
  if (signer.not_after.getTime() < now) return refused('certificate_expired')
  if (signer.revoked) return refused('certificate_revoked')
  return { ok: true, tenantId: signer.tenant_id }
}

/** Names it as its issuer, and its signature is of the issuer's key. */
export function isSignedBy(certificate: X509Certificate, ca: X509Certificate): boolean {
  return certificate.checkIssued(ca) && certificate.verify(ca.publicKey)
}

/** SHA-256 of the issuer's name as it stands in the certificate: the look-up key of authorities. */
export function issuerHash(certificate: X509Certificate): Buffer {
  return createHash('sha256').update(nameOf(certificate.raw, 'issuer')).digest()
}

/** SHA-256 of the subject's name: what certificates signed by it carry as issuer. */
export function subjectHash(certificate: X509Certificate): Buffer {
  return createHash('sha256').update(nameOf(certificate.raw, 'subject')).digest()
}

/**
 * The DER of a name inside a certificate (RFC 5280 §4.1: version, serial, signature algorithm, issuer, validity,
 * subject). Node shows names only as text, in which different names can look alike.
 */
function nameOf(der: Buffer, which: 'issuer' | 'subject'): Buffer {
  const certificate = element(der, 0)
  const body = element(der, certificate.start)
  let at = body.start
  // [0] version is there unless it is v1
  if (der[at] === 0xa0) at = element(der, at).end
  at = element(der, at).end // serial
  at = element(der, at).end // algorithm
  if (which === 'subject') {
    at = element(der, at).end // issuer
    at = element(der, at).end // validity
  }
  return der.subarray(at, element(der, at).end)
}

/** Bounds of a DER element's content. */
function element(der: Buffer, at: number): { start: number; end: number } {
  const first = der[at + 1] ?? 0
  if (first < 0x80) return { start: at + 2, end: at + 2 + first }
  const bytes = first & 0x7f
  const length = der.readUIntBE(at + 2, bytes)
  return { start: at + 2 + bytes, end: at + 2 + bytes + length }
}

import { X509Certificate } from 'node:crypto'
import type { ChainStep } from '@thingwright/contracts/device-identity.contract'
import { certifiedName, isSignedBy, issuerHash } from '../../lib/crypto/client-certificate.ts'
import type { AuthorityRow } from './device-cas.repo.ts'

export interface ChainSources {
  authorities(subjectHash: Buffer, serial: string): Promise<AuthorityRow[]>
  devices(productKey: string | null, deviceNo: string): Promise<{ name: string; productKey: string }[]>
}

/** The way of a client certificate through a sign-in, step by step; the first broken step is the last one told. */
export async function testChain(pem: string, now: number, sources: ChainSources): Promise<ChainStep[]> {
  const steps: ChainStep[] = []
  const tell = (step: ChainStep['step'], ok: boolean, detail: string | null = null): boolean => {
    steps.push({ step, ok, detail })
    return ok
  }

  const certificate = read(pem)
  if (!certificate) {
    tell('parse', false, 'not_a_certificate')
    return steps
  }
  const named = certifiedName(certificate)
  if (!tell('parse', !certificate.ca && named !== null, certificate.ca ? 'is_a_ca' : (named?.deviceNo ?? 'no_name')))
    return steps

  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const valid = now >= from && now <= to
  if (!tell('validity', valid, valid ? new Date(to).toISOString() : now < from ? 'not_yet' : 'expired')) return steps

  const authorities = await sources.authorities(issuerHash(certificate), certificate.serialNumber)
  if (!tell('ca_found', authorities.length > 0, authorities[0]?.name ?? 'unknown_ca')) return steps

  // Of several of the same name the one that signed counts, wherever it stands.
  const signer = authorities.find(ca => isSignedBy(certificate, new X509Certificate(ca.certificate))) ?? authorities[0]!
  const ended = signer.not_after.getTime() < now
  if (!tell('ca_state', signer.state === 'active' && !ended, ended ? 'ca_expired' : signer.state)) return steps

  const ca = new X509Certificate(signer.certificate)
  if (!tell('issuer', certificate.checkIssued(ca), signer.subject)) return steps
  const signed = certificate.verify(ca.publicKey)
  if (!tell('signature', signed, signed ? null : 'wrong_signature')) return steps
  if (!tell('revocation', !signer.revoked, signer.revoked ? 'revoked' : null)) return steps

  const { productKey, deviceNo } = named!
  const devices = await sources.devices(productKey, deviceNo)
  const one = devices.length === 1
  tell(
    'device',
    one,
    one ? `${devices[0]!.productKey}/${deviceNo}` : devices.length > 1 ? 'ambiguous' : 'unknown_device',
  )
  return steps
}

function read(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

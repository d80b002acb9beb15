import type { CaView, DeviceCertificateView } from '@thingwright/contracts/device-identity.contract'
import type { CaRow, CertificateRow } from './device-cas.repo.ts'

/** A warning begins this long before the end. */
export const SOON_MS = 30 * 86_400_000

export function expiryOf(notAfter: Date | null, now: number): CaView['expires'] {
  if (!notAfter || notAfter.getTime() - now > SOON_MS) return 'no'
  return notAfter.getTime() < now ? 'expired' : 'soon'
}

export function toCaView(row: CaRow, now: number): CaView {
  const { id, name, subject, fingerprint, state, proofCode, keyKept, certificate, devices } = row
  return {
    id,
    name,
    subject,
    fingerprint,
    notBefore: row.notBefore.toISOString(),
    notAfter: row.notAfter.toISOString(),
    expires: expiryOf(row.notAfter, now),
    state,
    proofCode,
    keyKept,
    certificate,
    devices,
    createdAt: row.createdAt.toISOString(),
  }
}

export function toCertificateView(row: CertificateRow, now: number): DeviceCertificateView {
  const { id, caId, caName, serial, subject, state } = row
  return {
    id,
    caId,
    caName,
    serial,
    subject,
    state,
    notAfter: row.notAfter?.toISOString() ?? null,
    expires: expiryOf(row.notAfter, now),
    createdAt: row.createdAt.toISOString(),
  }
}

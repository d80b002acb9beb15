import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { tlsCertificate } from './tls-certificate.ts'

const folders: string[] = []
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tw-tls-'))
  folders.push(path)
  return join(path, 'keys')
}
afterEach(() => Promise.all(folders.splice(0).map(path => rm(path, { recursive: true }))))

it('makes an ECDSA P-256 certificate for localhost on the first start', async () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const { cert } = await tlsCertificate(await folder(), now)
  const x509 = new X509Certificate(cert)
  expect(x509.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  expect(x509.checkHost('localhost')).toBe('localhost')
  expect(x509.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(x509.verify(x509.publicKey)).toBe(true)
  expect(new Date(x509.validFrom) < now && new Date(x509.validTo) > new Date('2045-01-01')).toBe(true)
})

it('keeps it: the second start reads the same files, readable by their owner only', async () => {
  const path = await folder()
  const first = await tlsCertificate(path)
  expect(await tlsCertificate(path)).toEqual(first)
  for (const name of ['mqtt-tls-key.pem', 'mqtt-tls-cert.pem']) {
    expect((await stat(join(path, name))).mode & 0o777).toBe(0o600)
  }
})

it('shares nothing with another installation', async () => {
  const [one, other] = await Promise.all([tlsCertificate(await folder()), tlsCertificate(await folder())])
  expect(one.key).not.toBe(other.key)
  expect(new X509Certificate(one.cert).serialNumber).not.toBe(new X509Certificate(other.cert).serialNumber)
})

import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ownCertificate, readCertificate } from './certificate.ts'

const DAY_MS = 86_400_000
const folders: string[] = []
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tw-tls-'))
  folders.push(path)
  return join(path, 'keys')
}
afterEach(() => Promise.all(folders.splice(0).map(path => rm(path, { recursive: true }))))

it('makes an ECDSA P-256 certificate for localhost on the first start', async () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const { cert } = await ownCertificate(await folder(), now)
  const x509 = new X509Certificate(cert)
  expect(x509.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  expect(x509.checkHost('localhost')).toBe('localhost')
  expect(x509.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(x509.verify(x509.publicKey)).toBe(true)
  expect(Date.parse(x509.validFrom)).toBeLessThan(now)
  expect(Date.parse(x509.validTo)).toBeGreaterThan(Date.parse('2035-01-01'))
})

it('keeps it: the second start reads the same files, readable by their owner only', async () => {
  const path = await folder()
  const now = Date.parse('2026-01-01T00:00:00Z')
  const first = await ownCertificate(path, now)
  expect(await ownCertificate(path, now + 365 * DAY_MS)).toEqual(first)
  for (const name of ['mqtts-key.pem', 'mqtts-cert.pem']) {
    expect((await stat(join(path, name))).mode & 0o777).toBe(0o600)
  }
})

it('shares nothing with another installation', async () => {
  const [one, other] = [
    await ownCertificate(await folder(), Date.now()),
    await ownCertificate(await folder(), Date.now()),
  ]
  expect(one.key).not.toBe(other.key)
  expect(new X509Certificate(one.cert).serialNumber).not.toBe(new X509Certificate(other.cert).serialNumber)
})

it('is made again before it ends', async () => {
  const path = await folder()
  const now = Date.parse('2026-01-01T00:00:00Z')
  const first = await ownCertificate(path, now)
  const end = Date.parse(new X509Certificate(first.cert).validTo)
  expect((await ownCertificate(path, end - 31 * DAY_MS)).key).toBe(first.key)
  expect((await ownCertificate(path, end - 29 * DAY_MS)).key).not.toBe(first.key)
})

it('names the setting whose file cannot be used', async () => {
  const path = await folder()
  await ownCertificate(path, Date.now())
  const keyFile = join(path, 'mqtts-key.pem')
  expect(() => readCertificate({ certFile: join(path, 'none.pem'), keyFile })).toThrow(
    /^TLS_CERT: .*none\.pem .*ENOENT/,
  )
  expect(() => readCertificate({ certFile: keyFile, keyFile })).toThrow(/^TLS_CERT: .*no PEM certificate/)
})

import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type JsonGeneralNames, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'
import type { TlsMaterial } from './listener.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
/** Devices keep such a certificate for their whole life. */
const YEARS = 20
const KEY_FILE = 'mqtt-tls-key.pem'
const CERT_FILE = 'mqtt-tls-cert.pem'

/**
 * The self-signed ECDSA P-256 certificate of this installation's TLS doors: read from `folder`, made there on the first
 * start. Both files are readable by their owner only. Rejects when the folder cannot be written.
 */
export async function tlsCertificate(folder: string, now: Date = new Date()): Promise<TlsMaterial> {
  const paths = { key: join(folder, KEY_FILE), cert: join(folder, CERT_FILE) }
  const kept = await Promise.all([read(paths.key), read(paths.cert)])
  if (kept[0] && kept[1]) return { key: kept[0], cert: kept[1] }
  const made = await makeCertificate(now)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The certificate last: a pair that is not complete is made again.
  await write(paths.key, made.key)
  await write(paths.cert, made.cert)
  return made
}

async function read(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Written beside and renamed, so that a crash leaves no half file. */
async function write(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

async function makeCertificate(now: Date): Promise<TlsMaterial> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const until = new Date(now)
  until.setUTCFullYear(until.getUTCFullYear() + YEARS)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // Positive and unlike any other
    serialNumber: `4${Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex')}1`,
    name: 'CN=Thingwright',
    // Clocks of devices may be slow
    notBefore: new Date(now.getTime() - 24 * 3600_000),
    notAfter: until,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new SubjectAlternativeNameExtension(ownNames())],
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return { key: pem('PRIVATE KEY', key), cert: `${certificate.toString('pem')}\n` }
}

function ownNames(): JsonGeneralNames {
  const addresses = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(one => one.address))
  const ips = new Set(['127.0.0.1', '::1', ...addresses.filter(address => isIP(address) !== 0)])
  return [
    { type: 'dns', value: 'localhost' },
    { type: 'dns', value: hostname() },
    ...[...ips].map(value => ({ type: 'ip' as const, value })),
  ]
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

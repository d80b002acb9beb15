import { webcrypto, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'

export interface CertificatePems {
  cert: string
  key: string
}

const YEARS = 10
const DAY_MS = 86_400_000

/** Reads the certificate that was set. @throws with one line naming the file that cannot be used */
export function readCertificate(files: { certFile: string; keyFile: string }): CertificatePems {
  const read = (variable: string, file: string) => {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw new Error(`${variable}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
    }
  }
  const cert = read('TLS_CERT', files.certFile)
  const key = read('TLS_KEY', files.keyFile)
  try {
    new X509Certificate(cert)
  } catch {
    throw new Error(`TLS_CERT: ${files.certFile} is no PEM certificate`)
  }
  return { cert, key }
}

/**
 * The installation's own certificate (ECDSA P-256, self-signed), kept in the keys folder and made again shortly before
 * it ends. Devices must be told to trust it.
 */
export async function ownCertificate(keysDir: string, now: number): Promise<CertificatePems> {
  const certFile = join(keysDir, 'mqtts-cert.pem')
  const keyFile = join(keysDir, 'mqtts-key.pem')
  if (existsSync(certFile) && existsSync(keyFile)) {
    const pems = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    if (endsAt(pems.cert) > now + 30 * DAY_MS) return pems
  }
  const pems = await makeCertificate(now)
  mkdirSync(keysDir, { recursive: true, mode: 0o700 })
  writeWhole(keyFile, pems.key)
  writeWhole(certFile, pems.cert)
  return pems
}

async function makeCertificate(now: number): Promise<CertificatePems> {
  // Needed once in years: not loaded at other starts.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as never)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Thingwright',
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + YEARS * 365 * DAY_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(ownNames()),
    ],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
  }
}

/** Names and addresses under which devices may reach this machine. */
function ownNames(): { type: 'dns' | 'ip'; value: string }[] {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  const ips = addresses.filter(address => address.scopeid === undefined || address.scopeid === 0).map(a => a.address)
  const names = ['localhost', hostname()].filter(name => /^[A-Za-z0-9.-]{1,253}$/.test(name))
  return [
    ...[...new Set(names)].map(value => ({ type: 'dns' as const, value })),
    ...[...new Set(['127.0.0.1', '::1', ...ips])].map(value => ({ type: 'ip' as const, value })),
  ]
}

/** Epoch ms at which a certificate ends. */
export function endsAt(cert: string): number {
  try {
    return Date.parse(new X509Certificate(cert).validTo)
  } catch {
    return 0
  }
}

/** A crash in between leaves the old file or none, never half of one. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
}

import { randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { AppError } from '../../lib/errors.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000
const CURVES: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

export interface MadeCertificate {
  /** PEM */
  certificate: string
  /** PKCS #8 PEM */
  privateKey: string
}

/** Loaded when a certificate is made, not when the server starts. */
async function library() {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as never)
  return x509
}

/** A certificate authority of its own: ECDSA P-256, self-signed, may sign devices and no further authorities. */
export async function makeCa(name: string, years: number, now: number): Promise<MadeCertificate> {
  const x509 = await library()
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    // The number keeps two authorities of the same name apart.
    name: [{ CN: [name] }, { OU: [`Device CA ${randomBytes(4).toString('hex')}`] }],
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + years * 365 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), privateKey: await pemOf(keys.privateKey) }
}

/** A client certificate: common name = device number, and a URI that names product and device. */
export async function makeDeviceCertificate(
  ca: MadeCertificate,
  device: { productKey: string; deviceNo: string },
  now: number,
  notAfter: Date,
): Promise<MadeCertificate> {
  const x509 = await library()
  const issuer = new x509.X509Certificate(ca.certificate)
  const signingKey = await webcrypto.subtle.importKey('pkcs8', derOf(ca.privateKey), ALGORITHM, false, ['sign'])
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [device.deviceNo] }],
    issuer: issuer.subjectName,
    notBefore: new Date(now - DAY_MS),
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'url', value: `thingwright:${device.productKey}/${device.deviceNo}` },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), privateKey: await pemOf(keys.privateKey) }
}

/**
 * Reads a certificate that somebody brought.
 * @throws AppError device_ca.invalid
 */
export function readPem(pem: string): X509Certificate {
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new AppError('device_ca.invalid')
  try {
    return new X509Certificate(pem)
  } catch {
    throw new AppError('device_ca.invalid')
  }
}

/**
 * What an authority must be: allowed to sign, strong enough, valid now.
 * @throws AppError device_ca.not_ca, device_ca.weak, device_ca.expired
 */
export function checkCa(certificate: X509Certificate, now: number): void {
  if (!certificate.ca) throw new AppError('device_ca.not_ca')
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  const strong =
    asymmetricKeyType === 'rsa'
      ? (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
      : asymmetricKeyType === 'ec'
        ? CURVES.has(asymmetricKeyDetails?.namedCurve)
        : asymmetricKeyType === 'ed25519'
  if (!strong) throw new AppError('device_ca.weak')
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo))
    throw new AppError('device_ca.expired')
}

/** Positive and of 16 bytes (RFC 5280 §4.1.2.2), hex. */
function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return bytes.toString('hex')
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${base64.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`
}

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
}

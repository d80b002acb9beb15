import { webcrypto } from 'node:crypto'

interface Leaf {
  pem: string
  key: string
}

/** A certificate authority as a company runs it itself. */
export async function authority(
  name: string,
  { until = 365 } = {},
): Promise<{ pem: string; sign(commonName: string, over?: { from?: number; until?: number }): Promise<Leaf> }> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as never)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const day = (days: number) => new Date(Date.now() + days * 86_400_000)
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: day(-400),
    notAfter: day(until),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  })
  return {
    pem: ca.toString('pem'),
    async sign(commonName: string, over: { from?: number; until?: number } = {}) {
      const own = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const leaf = await x509.X509CertificateGenerator.create({
        subject: `CN=${commonName}`,
        issuer: ca.subject,
        notBefore: day(over.from ?? -30),
        notAfter: day(over.until ?? 30),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
      })
      const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64')
      return { pem: leaf.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n` }
    },
  }
}

import { generateKeyPairSync, randomUUID } from 'node:crypto'

const pem = (title: string, body: string) =>
  `-----BEGIN ${title}-----\n${Buffer.from(body)
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')}\n-----END ${title}-----\n`

/** What GenerateClientCertificate answers: a real key, beside certificates that only look like ones. */
export function certificateOf(gatewayId: string): { caCert: string; tlsCert: string; tlsKey: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    caCert: pem('CERTIFICATE', 'the CA of the simulated ChirpStack'),
    tlsCert: pem('CERTIFICATE', `${gatewayId} ${randomUUID()}`),
    tlsKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

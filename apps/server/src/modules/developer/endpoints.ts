import { X509Certificate } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { EndpointsView } from '@thingwright/contracts/developer.contract'
import type { Ctx } from '../../lib/context.ts'

/** Where this installation is reached; ports null: it does not listen. */
export interface InstallationAddresses {
  host: string
  mqttPort: number
  mqttsPort: number | null
  tcpPort: number | null
  udpPort: number | null
  coapPort: number | null
  /** MQTT over WebSocket. */
  wsUrl: string
  httpUrl: string
}

export interface EndpointsDeps {
  addresses(): InstallationAddresses
  /** Ports that products may claim for themselves. */
  ownPorts: { from: number; to: number } | null
  /** PEM of the certificate that devices meet; null: none was made yet. */
  deviceCertificate(): string | null
  appId(tenantId: string): Promise<string>
}

/** Everything somebody needs to reach this installation, with a device or a program. */
export async function endpoints(deps: EndpointsDeps, ctx: Ctx): Promise<EndpointsView> {
  const { host, httpUrl, wsUrl, mqttPort, mqttsPort, tcpPort, udpPort, coapPort } = deps.addresses()
  const pem = mqttsPort === null ? null : deps.deviceCertificate()
  const socketUrl = httpUrl.replace(/^http/, 'ws')
  return {
    serverTime: ctx.now,
    appId: await deps.appId(ctx.tenantId),
    host,
    addresses: ownAddresses(),
    api: {
      baseUrl: `${httpUrl}/api/v1`,
      openApiUrl: `${httpUrl}/api/openapi.json`,
      tokenUrl: `${httpUrl}/oauth/token`,
      liveUrl: `${socketUrl}/api/v1/live`,
      tlinkUrl: `${httpUrl}/compat/tlink`,
      mcpUrl: `${httpUrl}/mcp`,
    },
    devices: {
      mqttPort: mqttPort || null,
      mqttsPort,
      mqttWebSocketUrl: wsUrl,
      tcpPort,
      udpPort,
      coapPort,
      httpUrl: `${httpUrl}/device/v1`,
      webSocketUrl: `${socketUrl}/device/ws`,
      ownPorts: deps.ownPorts,
    },
    ntp: { request: 'ntp/request', response: 'ntp/response' },
    certificates: pem === null ? [] : [certificateView(pem)],
  }
}

function certificateView(pem: string): EndpointsView['certificates'][number] {
  const certificate = new X509Certificate(pem)
  return {
    use: 'device_tls',
    subject: certificate.subject.replaceAll('\n', ', '),
    issuer: certificate.issuer.replaceAll('\n', ', '),
    names: (certificate.subjectAltName ?? '').split(', ').filter(Boolean),
    notBefore: new Date(certificate.validFrom).toISOString(),
    notAfter: new Date(certificate.validTo).toISOString(),
    sha256: certificate.fingerprint256,
    // Not `checkIssued`: that wants a CA, which a server's own certificate is not.
    selfSigned: certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey),
    // What was given as TLS_CERT may hold its chain; never its key.
    pem: certificates(pem),
  }
}

function certificates(pem: string): string {
  return (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).join('\n')
}

/** Addresses under which this machine is met, for the firewalls of others. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap(list => list ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
}

import { createServer, type Server } from 'node:https'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { CertificatePems } from '../ingest/process/certificate.ts'
import { inBackground } from '../lib/background.ts'

export interface HttpsOptions {
  /** The server that handles plain HTTP; it handles these requests too. */
  http: FastifyInstance
  /** For every host without a certificate of its own. */
  own: CertificatePems
  /** The certificate of a portal's host, as PEM; null: it has none. */
  certificateOf(host: string): Promise<{ id: string; certificate: string; key: string } | null>
  /** A certificate that cannot be used: the host is served with the installation's. */
  onFault(error: unknown, host: string): void
}

/** Contexts that are kept: a handshake is far cheaper with one that is there. */
const KEPT = 200

/** The console, the API and portals over TLS: the name that a browser asks for chooses the certificate (SNI). */
export function createHttps({ http, own, certificateOf, onFault }: HttpsOptions): Server {
  const contexts = new Map<string, SecureContext>()
  async function contextOf(host: string): Promise<SecureContext | undefined> {
    const found = await certificateOf(host.toLowerCase())
    if (!found) return undefined
    let context = contexts.get(found.id)
    if (!context) {
      context = createSecureContext({ cert: found.certificate, key: found.key })
      if (contexts.size >= KEPT) contexts.clear()
      contexts.set(found.id, context)
    }
    return context
  }
  const server = createServer({
    cert: own.cert,
    key: own.key,
    maxHeaderSize: 65_536,
    headersTimeout: 15_000,
    SNICallback(host, done) {
      const chosen = contextOf(host).catch((error: unknown) => {
        onFault(error, host)
        return undefined
      })
      inBackground(
        'choosing a certificate',
        chosen.then(context => done(null, context)),
      )
    },
  })
  // One server answers; this one only takes the encryption off.
  server.on('request', (request, response) => http.server.emit('request', request, response))
  server.on('upgrade', (request, socket, head) => http.server.emit('upgrade', request, socket, head))
  return server
}

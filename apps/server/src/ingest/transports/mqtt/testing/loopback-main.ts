import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inBackground } from '../../../../lib/background.ts'
import { ownCertificate } from '../../../process/certificate.ts'
import { bridgeToTls, bridgeToWebSocket } from './bridges.ts'
import { startLoopback } from './loopback.ts'

// Runs the general broker for outside suites until its standard input ends. Prints one line of JSON: three TCP ports,
// the second and third of which lead through TLS and through WebSocket.
const folder = await mkdtemp(join(tmpdir(), 'thingwright-loopback-'))
const loopback = await startLoopback({ tls: await ownCertificate(folder, Date.now()) })
await rm(folder, { recursive: true })
const web = createServer()
web.on('upgrade', (request, socket, head) => loopback.listener.handleUpgrade(request, socket, head))
await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
const tls = await bridgeToTls(loopback.tlsPort ?? 0)
const webSocket = await bridgeToWebSocket((web.address() as AddressInfo).port)
process.stdout.write(`${JSON.stringify({ tcp: loopback.port, tls: tls.port, websocket: webSocket.port })}\n`)
process.stdin.resume()
process.stdin.on('end', () => {
  inBackground(
    'stopping',
    loopback.stop().then(() => process.exit(0)),
  )
})

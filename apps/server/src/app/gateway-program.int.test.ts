import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { GatewayStart } from '../ingest/channel/ipc.ts'
import { ownCertificate } from '../ingest/process/certificate.ts'
import { gatewayStart } from '../ingest/process/testing.ts'
import { silentLogger } from '../lib/log.ts'
import { createGatewayClient } from './gateway-client.ts'
import { loadGateway } from './gateway-program.ts'

let db: TestDatabase
const ends: (() => unknown)[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function world(loaded: ReturnType<typeof loadGateway>, tls: GatewayStart['tls'] = null) {
  const { remove, ...start } = gatewayStart(db)
  ends.push(remove)
  const client = createGatewayClient({
    start: { ...start, tls },
    logger: silentLogger,
    loaded,
  })
  ends.push(() => client.stop())
  return client
}

describe('a gateway whose program was loaded beforehand', () => {
  it('is the one that starts; after its end another takes its place', async () => {
    const program = loadGateway()
    ends.push(() => program.end())
    const client = world(program)
    await client.start({ batch: () => undefined, commandsChanged: () => undefined })
    const first = client.pid()
    process.kill(first!, 'SIGKILL')
    await expect.poll(() => client.ready() && client.pid() !== first).toBe(true)
    expect(program.take()).toBe(null)
  })

  it('shows a renewed certificate to new connections on SIGHUP, and keeps those that are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tw-renew-'))
    ends.push(() => rmSync(folder, { recursive: true }))
    const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
    const put = async (name: string) => {
      const { cert, key } = await ownCertificate(join(folder, name), Date.now())
      writeFileSync(files.certFile, cert)
      writeFileSync(files.keyFile, key)
      return new X509Certificate(cert).fingerprint256
    }
    const first = await put('one')
    const client = world(loadGateway(), files)
    const { mqtts } = await client.start({ batch: () => undefined, commandsChanged: () => undefined })
    const meet = async () => {
      const socket = connect({ port: mqtts!, host: '127.0.0.1', rejectUnauthorized: false })
      ends.push(() => socket.destroy())
      await once(socket, 'secureConnect')
      return { socket, print: socket.getPeerX509Certificate()!.fingerprint256 }
    }
    const before = await meet()
    expect(before.print).toBe(first)
    const second = await put('two')
    const pid = client.pid()!
    process.kill(pid, 'SIGHUP')
    await expect.poll(async () => (await meet()).print).toBe(second)
    expect(client.pid()).toBe(pid)
    expect(before.socket.destroyed).toBe(false)
    const third = await put('three')
    client.reload()
    await expect.poll(async () => (await meet()).print).toBe(third)
  })

  it('ends when the start fails', async () => {
    const program = loadGateway()
    const life = program.take()!
    const gone = once(life, 'exit')
    program.end()
    expect(await gone).toEqual([null, 'SIGKILL'])
  })
})

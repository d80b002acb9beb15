import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { allContracts } from '@thingwright/contracts/all-contracts'
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bind } from '../lib/http.ts'
import { silentLogger } from '../lib/log.ts'
import { createHttp } from './http.ts'

const run = promisify(execFile)
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const OFFER =
  'Connection: keep-alive, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'

let app: FastifyInstance
let port: number
let folder: string
const upgraded: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tw-offered-'))
  app = await createHttp({
    routes: Object.values(allContracts)
      .flatMap(feature => Object.values(feature as Record<string, RouteContract>))
      .map(each => bind(each, async () => ({}) as never)),
    logger: silentLogger,
    trustProxy: 0,
    publicUrl: null,
    version: 'test',
    authenticate: async () => Promise.reject(new Error('nobody signs in here')),
    idempotency: {} as never,
    proxyDevice(request, response) {
      const { method, url, headers } = request
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, url, headers, body }))
      })
    },
    upgrade(request: IncomingMessage, socket) {
      upgraded.push(request.url!)
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    },
    plain: () => {},
  })
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(async () => {
  app.server.closeAllConnections()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A connection on which what is expected can be waited for. */
function wire() {
  const socket = connect(port, '127.0.0.1')
  let got = ''
  socket.on('data', data => {
    got += data
  })
  return { socket, got: () => got }
}

describe('a protocol that a client offers beside its request', () => {
  it('is not taken up: each request of the connection is answered in HTTP/1.1, with its fields and its whole body', async () => {
    const { socket, got } = wire()
    const rounds = 15
    for (let round = 1; round <= rounds; round++) {
      socket.write(
        `POST /device/v1/p/d/property?n=${round} HTTP/1.1\r\nHost: x\r\n${OFFER}X-Own: \xe9\r\nContent-Length: 10\r\n\r\n12345`,
        'latin1',
      )
      // The rest comes when the first half has been seen.
      await new Promise(resolve => setImmediate(resolve))
      socket.write('67890')
      await expect.poll(() => got().split('"body":"1234567890"').length - 1).toBe(round)
    }
    socket.destroy()
    expect(got().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(rounds)
    const [, last] = got().split(`"url":"/device/v1/p/d/property?n=${rounds}"`)
    expect(last).toContain('"connection":"keep-alive"')
    expect(last).toContain('"x-own":"é"')
    expect(last).not.toMatch(/"upgrade"|"http2-settings"/)
    expect(upgraded).toEqual([])
  })

  it.each(['h2c', 'TLS/1.0', 'thingwright-device-frames'])(
    '%s does not get past the table of routes',
    async offered => {
      const { socket, got } = wire()
      socket.write(`GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: ${offered}\r\n\r\n`)
      await expect.poll(got).toMatch(/^HTTP\/1\.1 404 [\s\S]*request\.not_found/)
      expect(upgraded).toEqual([])
    },
  )

  it('is taken up when it is WebSocket', async () => {
    const { socket, got } = wire()
    socket.write('GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n')
    await expect.poll(got).toMatch(/^HTTP\/1\.1 101 /)
    expect(upgraded.splice(0)).toEqual(['/mqtt'])
  })

  it.runIf(has('curl', '--version'))('by curl --http2 costs it nothing', async () => {
    const { stdout } = await run('curl', [
      '-sS',
      '--http2',
      '--max-time',
      '60',
      `http://127.0.0.1:${port}/device/a`,
      '-d',
      'x'.repeat(70_000),
    ])
    expect(JSON.parse(stdout).body).toHaveLength(70_000)
  })

  it.runIf(has('java', '-version'))('by Java’s own client costs it nothing', async () => {
    const file = join(folder, 'Call.java')
    writeFileSync(
      file,
      `import java.net.URI;
import java.net.http.*;
class Call {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    for (int each = 0; each < 3; each++) {
      var request = HttpRequest.newBuilder(URI.create(args[0])).timeout(java.time.Duration.ofSeconds(60)).POST(HttpRequest.BodyPublishers.ofString("" + each)).build();
      var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(answer.statusCode() + " " + answer.version());
    }
  }
}
`,
    )
    const { stdout } = await run('java', ['-XX:TieredStopAtLevel=1', file, `http://127.0.0.1:${port}/device/a`])
    expect(stdout).toBe('200 HTTP_1_1\n'.repeat(3))
  })
})

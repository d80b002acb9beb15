import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { answerClientError } from './client-errors.ts'

describe('a connection without a request', () => {
  const server = createServer(
    { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20, maxHeaderSize: 1024 },
    (_request, response) => void response.end(),
  )
  server.on('clientError', answerClientError)
  afterEach(() => void server.close())

  it('gets the status that browsers send again after, or what was wrong with its bytes', async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const answerTo = (bytes: string) => {
      const socket = connect(port, '127.0.0.1')
      if (bytes) socket.write(bytes)
      return text(socket)
    }
    expect(await answerTo('')).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
    expect(await answerTo('GET / HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 408 /)
    expect(await answerTo('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(await answerTo(`GET / HTTP/1.1\r\nX: ${'a'.repeat(2000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
  })
})

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isConnectionLost } from './database-errors.ts'
import { newClient, openPool } from './pool.ts'

// Takes connections and never says a word, as a database behind a black hole.
let server: Server
const sockets = new Set<Socket>()
beforeEach(async () => {
  server = createServer(socket => sockets.add(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

describe('an attempt to connect that nobody answered', () => {
  const config = () => ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    connectionTimeoutMillis: 20,
  })
  const failure = (work: Promise<unknown>) => work.then(Object, (error: unknown) => error)

  it('is a lost connection, and no fault of what was to be asked', async () => {
    const client = newClient(config())
    client.on('error', () => {})
    expect(isConnectionLost(await failure(client.connect()))).toBe(true)
  })

  it('of a pool likewise, also for those who wait behind it', async () => {
    const pool = openPool({ ...config(), max: 1 }, () => {})
    const errors = await Promise.all([failure(pool.query('select 1')), failure(pool.query('select 1'))])
    expect(errors.map(isConnectionLost)).toEqual([true, true])
    await pool.end()
  })
})

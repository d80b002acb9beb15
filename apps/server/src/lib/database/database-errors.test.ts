import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  isConnectionLost,
  isDataError,
  isDiskFull,
  isOutsideScope,
  isUniqueViolation,
  sqlState,
} from './database-errors.ts'
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

describe('what an error of the database means', () => {
  const said = (code: string, message = '', more = {}) => Object.assign(new Error(message), { code, ...more })
  const wrapped = (error: Error) => new Error('a query failed', { cause: error })

  it('is told by its state, wherever in the chain that stands, and a code of the network is none', () => {
    expect(['23505', '57P01', 'EPIPE', '2350', '235050', '23a05'].map(code => sqlState(said(code)))).toEqual([
      '23505',
      '57P01',
      ...[undefined, undefined, undefined, undefined],
    ])
    expect(sqlState(wrapped(wrapped(said('40001'))))).toBe('40001')
    expect(sqlState(new AggregateError([said('ECONNREFUSED'), said('53300')]))).toBe('53300')
    expect(sqlState(said('23505').message)).toBeUndefined()
    const own: Error & { code?: unknown } = new Error('with a number')
    own.code = 23_505
    expect(sqlState(own)).toBeUndefined()
  })

  it('ends with a chain that leads back to itself', () => {
    const error = new Error('round')
    error.cause = error
    expect(sqlState(error)).toBeUndefined()
    const several = new AggregateError([said('53300')])
    several.errors.unshift(several)
    expect(sqlState(several)).toBe('53300')
  })

  it('is a lost connection for class 08, a server that stops or starts, the network and the driver', () => {
    for (const code of ['08006', '57P01', '57P05', 'ECONNRESET', 'EAI_AGAIN'])
      expect(isConnectionLost(wrapped(said(code))), code).toBe(true)
    for (const code of ['57014', '57P06', '42501', '23505', 'EACCES'])
      expect(isConnectionLost(wrapped(said(code))), code).toBe(false)
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(isConnectionLost(said('23505', 'Connection terminated'))).toBe(false)
    expect(isConnectionLost(new Error('something else'))).toBe(false)
  })

  it('is a lost connection by words of the driver only where these are all that was said', () => {
    const lost = (message: string) => isConnectionLost(new Error(message))
    expect(['timeout expired', 'the database does not answer', 'Timeout expired'].map(lost)).toEqual([true, true, true])
    for (const message of [
      'the timeout expired',
      'timeout expired while a page was drawn',
      'they say the database does not answer',
      'the database does not answer this question',
    ])
      expect(lost(message), message).toBe(false)
    // These two stand in the middle of what the driver says.
    expect(lost('Cannot use a pool: timeout exceeded when trying to connect to it')).toBe(true)
    expect(lost('the client is not queryable any more')).toBe(true)
  })

  it('is a full disk by its state or by the words of the system', () => {
    expect(isDiskFull(wrapped(said('53100')))).toBe(true)
    expect(isDiskFull(wrapped(said('58030', 'could not extend file: No space left on device')))).toBe(true)
    expect(isDiskFull(said('53200', 'out of memory'))).toBe(false)
  })

  it('is a value that is taken, in the index that is meant', () => {
    const taken = wrapped(said('23505', '', { constraint: 'devices_number' }))
    expect([isUniqueViolation(taken), isUniqueViolation(taken, 'devices_number')]).toEqual([true, true])
    expect(isUniqueViolation(taken, 'other')).toBe(false)
    expect(isUniqueViolation(said('23503', '', { constraint: 'devices_number' }), 'devices_number')).toBe(false)
    expect([said('23502'), said('22P05'), said('42501'), new Error('')].map(isDataError)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('is a row outside the scope when a policy refused it, not when a grant is missing', () => {
    const policy = 'new row violates row-level security policy for table "devices"'
    expect(isOutsideScope(wrapped(said('42501', policy)))).toBe(true)
    expect(isOutsideScope(said('42501', 'permission denied for table devices'))).toBe(false)
    expect(isOutsideScope(said('23514', policy))).toBe(false)
  })
})

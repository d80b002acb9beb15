import { gunzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMPRESSED_FROM_BYTES, compressAnswers, readsGzip } from './compressed-answers.ts'

describe('whether gzip may be sent', () => {
  it.each(['gzip', 'br, gzip;q=0.5', 'GZIP', 'deflate , gzip', '*', 'br;q=1, *;q=0.1'])('says yes to %s', header =>
    expect(readsGzip(header)).toBe(true),
  )
  it.each([undefined, '', 'identity', 'gzip;q=0', 'gzip; q=0.000', '*;q=0', 'x-gzipped', '*, gzip;q=0'])(
    'says no to %s',
    header => expect(readsGzip(header)).toBe(false),
  )
})

describe('answers', () => {
  const long = { names: Array.from({ length: 200 }, (_, n) => `电表 ${n}`) }
  let app: FastifyInstance
  beforeAll(async () => {
    app = fastify()
    compressAnswers(app)
    app.get('/long', async () => long)
    app.get('/short', async () => ({ ok: true }))
    app.get('/refused', async (_request, reply) => reply.code(422).send(long))
    app.get('/page', async (_request, reply) => reply.type('text/html').send('x'.repeat(2 * COMPRESSED_FROM_BYTES)))
    app.get('/nothing', async (_request, reply) => reply.code(204).send())
    await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  const get = (url: string, encoding?: string, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, ...(encoding ? { headers: { 'accept-encoding': encoding } } : {}) })

  it('are compressed for who reads it, with their length on the line', async () => {
    const reply = await get('/long', 'gzip, deflate, br')
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(reply.headers['content-length']).toBe(String(reply.rawPayload.length))
    expect(JSON.parse(gunzipSync(reply.rawPayload).toString())).toEqual(long)
    expect(reply.rawPayload.length).toBeLessThan(JSON.stringify(long).length / 2)
  })
  it('are read by a client that undoes it unasked', async () => {
    const { port } = app.server.address() as { port: number }
    const reply = await fetch(`http://127.0.0.1:${port}/long`)
    expect(reply.headers.get('content-encoding')).toBe('gzip')
    expect(await reply.json()).toEqual(long)
  })
  it('keep their status', async () => {
    const reply = await get('/refused', 'gzip')
    expect(reply.statusCode).toBe(422)
    expect(JSON.parse(gunzipSync(reply.rawPayload).toString())).toEqual(long)
  })
  it.each([
    ['/long', undefined],
    ['/long', 'gzip;q=0'],
    ['/short', 'gzip'],
    ['/page', 'gzip'],
    ['/nothing', 'gzip'],
  ])('go as they are: %s for %s', async (url, encoding) => {
    const reply = await get(url, encoding)
    expect(reply.headers['content-encoding']).toBeUndefined()
    if (url === '/long') expect(reply.json()).toEqual(long)
  })
  it('of both kinds tell caches what they depend on', async () => {
    expect((await get('/long', 'gzip')).headers.vary).toBe('accept-encoding')
    expect((await get('/long')).headers.vary).toBe('accept-encoding')
  })
})

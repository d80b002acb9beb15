import fastify from 'fastify'
import { expect, it } from 'vitest'
import { believedHops } from '../lib/client-address.ts'

it.each([
  [0, '6.6.6.6, 5.5.5.5', '127.0.0.1'],
  [1, '6.6.6.6, 5.5.5.5', '5.5.5.5'],
  [1, undefined, '127.0.0.1'],
  [2, '6.6.6.6, 5.5.5.5, 10.0.0.2', '5.5.5.5'],
])('behind %s proxies the header “%s” means %s', async (proxies, header, address) => {
  const app = fastify({ trustProxy: believedHops(proxies) })
  app.get('/', async request => request.ip)
  const answer = await app.inject({ url: '/', headers: header === undefined ? {} : { 'x-forwarded-for': header } })
  expect(answer.body).toBe(address)
  await app.close()
})

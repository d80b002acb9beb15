import { expect, it } from 'vitest'
import { clientAddress } from './client-address.ts'

const from = (header: string | undefined, proxies: number) =>
  clientAddress(
    { headers: header === undefined ? {} : { 'x-forwarded-for': header }, socket: { remoteAddress: '10.0.0.1' } },
    proxies,
  )

it.each([
  ['nobody in front', '6.6.6.6', 0, '10.0.0.1'],
  ['one proxy', '5.5.5.5', 1, '5.5.5.5'],
  ['one proxy and a client that writes an address itself', '6.6.6.6, 5.5.5.5', 1, '5.5.5.5'],
  ['two proxies', '5.5.5.5, 10.0.0.2', 2, '5.5.5.5'],
  ['two proxies and a client that writes itself', '6.6.6.6, 5.5.5.5, 10.0.0.2', 2, '5.5.5.5'],
  ['one proxy that added nothing', undefined, 1, '10.0.0.1'],
])('with %s the client is told from what it claims', (_name, header, proxies, address) => {
  expect(from(header, proxies)).toBe(address)
})

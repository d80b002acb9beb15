import { expect, it } from 'vitest'
import { addressesOf } from './addresses.ts'

const PORTS = { http: 8090, mqtt: 1884, mqtts: null, tcp: 6002, udp: null, coap: null } as unknown as Parameters<
  typeof addressesOf
>[1]

it('tells the ports that were really taken', () => {
  expect(addressesOf({ publicUrl: null, host: '127.0.0.1' }, PORTS)).toMatchObject({
    host: '127.0.0.1',
    mqttPort: 1884,
    tcpPort: 6002,
    udpPort: null,
    httpUrl: 'http://127.0.0.1:8090',
    wsUrl: 'ws://127.0.0.1:8090/mqtt',
  })
})

it('tells the public address where there is one, encrypted as it is', () => {
  expect(addressesOf({ publicUrl: 'https://iot.example', host: '0.0.0.0' }, PORTS)).toMatchObject({
    host: 'iot.example',
    mqttPort: 1884,
    httpUrl: 'https://iot.example',
    wsUrl: 'wss://iot.example/mqtt',
  })
})

it('puts brackets around an IPv6 address in URLs only', () => {
  for (const [publicUrl, host] of [
    [null, '::1'],
    ['http://[::1]:8090', '0.0.0.0'],
  ] as const)
    expect(addressesOf({ publicUrl, host }, PORTS)).toMatchObject({
      host: '::1',
      httpUrl: 'http://[::1]:8090',
      wsUrl: 'ws://[::1]:8090/mqtt',
    })
})

import { describe, expect, it } from 'vitest'
import { addressProblem, checkServiceUrl } from './outbound-address.ts'

const problem = (host: string, { port = 443, encrypted = true, allow = [] as string[] } = {}) =>
  addressProblem(allow, { host, port, encrypted })

describe('an address that is saved', () => {
  it('may be any name and any public address with TLS', () => {
    for (const host of ['receiver.example', '1.1.1.1', '[2606:4700::1111]', 'internal', 'localhost.example'])
      expect(problem(host), host).toBeNull()
  })

  // Of brokers and servers of messages, which no URL parser has read.
  it('is known as internal in every spelling that a resolver takes', () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '017700000001',
      '2130706433',
      '0X7F.0.0.1',
      '127.0.0.1.',
      'LOCALHOST',
      'localhost.',
      'kafka.localhost',
      '::1',
      '[::1]',
      '::ffff:127.0.0.1',
      '[0:0:0:0:0:ffff:7f00:1]',
      'fe80::1%eth0',
      '1.2.3.4.5',
      '256.1.1.1',
    ])
      expect(problem(host), host).toBe('outbound.internal')
  })

  it('is what OUTBOUND_ALLOW names, without TLS too; a name may lead there', () => {
    const allow = ['10.1.0.0/16', '::1/128']
    for (const host of ['10.1.2.3', '0x0a010203', '[::1]'])
      for (const encrypted of [true, false]) expect(problem(host, { allow, encrypted, port: 4222 }), host).toBeNull()
    expect(problem('10.2.0.1', { allow })).toBe('outbound.internal')
    expect(problem('1.1.1.1', { allow, encrypted: false })).toBe('outbound.unencrypted')
    expect(problem('broker.example', { allow, encrypted: false })).toBeNull()
    expect(problem('broker.example', { encrypted: false })).toBe('outbound.unencrypted')
  })

  it('has a port of its own kind', () => {
    for (const port of [0, 21, 22, 444, 3306, 6379, 65_536])
      expect(problem('receiver.example', { port })).toBe('outbound.port')
    for (const port of [80, 443, 1024, 8883, 9092, 65_535]) expect(problem('receiver.example', { port })).toBeNull()
  })

  it('is refused as the address of a service for every one of these reasons', () => {
    const check =
      (url: string, allow: string[] = []) =>
      () =>
        checkServiceUrl(allow, url)
    expect(check('https://open.example/api')).not.toThrow()
    expect(check('http://10.1.2.3:8080', ['10.1.0.0/16'])).not.toThrow()
    for (const url of [
      'https://localhost/api',
      'https://0x7f.1/',
      'https://api.localhost./',
      'https://open.example:0/',
      'https://open.example:6379/',
      'https://a:b@open.example/',
      'http://open.example/',
      'ftp://open.example/',
      'https://open.example:99999/',
      'https://[::1/',
    ])
      expect(check(url), url).toThrow(/is not asked|user|http|ftp|no address/)
  })
})

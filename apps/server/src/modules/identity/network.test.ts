import { describe, expect, it } from 'vitest'
import { allowedBy, clientOf, networkOf, placeOf, readNetwork } from './network.ts'

describe('addresses', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    [' 192.0.2.7/24 ', '192.0.2.0/24'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s is kept as %s', (text, kept) => {
    expect(readNetwork(text)).toBe(kept)
  })

  it.each([
    '',
    'x',
    '10.1',
    '0x7f000001',
    '2130706433',
    '192.0.2.7/33',
    '192.0.2.7/-1',
    '192.0.2.7/8/8',
    '::1/129',
    '192.0.2.256',
    '192.0.2.0/1e1',
  ])('%j is none', text => {
    expect(readNetwork(text)).toBeNull()
  })

  it.each([
    [[], '203.0.113.5', true],
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.0/24'], '::ffff:192.0.2.9', true],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.70', false],
    [['192.0.2.7'], 'nonsense', false],
    [['192.0.2.7'], '', false],
  ])('of %j let %s in: %s', (list, ip, allowed) => {
    expect(allowedBy(list, ip)).toBe(allowed)
  })

  it('are placed as far as can be known', () => {
    expect(['127.0.0.1', '::1', '192.168.1.2', '10.0.0.1', 'fd00::1', '8.8.8.8'].map(placeOf)).toEqual([
      'this_machine',
      'this_machine',
      'intranet',
      'intranet',
      'intranet',
      'unknown',
    ])
    expect(networkOf('192.0.2.77')).toBe('192.0.2.0/24')
    expect(networkOf('2001:db8:1:2::3')).toBe('2001:db8:1::/48')
  })
})

it('clients are named without their versions', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36'
  expect(clientOf(chrome)).toEqual({ name: 'Chrome · Windows', device: 'desktop' })
  expect(clientOf('curl/8.5.0')).toEqual({ name: 'curl', device: 'program' })
  expect(clientOf('')).toEqual({ name: '', device: 'unknown' })
  expect(clientOf('<script>alert(1)</script>').name).toBe('')
})

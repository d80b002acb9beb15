import { describe, expect, it } from 'vitest'
import { Refusals, withoutPort } from './refusals.ts'

let now = 1_000
const refusals = () => new Refusals({ now: () => now++ })
const tried = (deviceNo: string, over: object = {}) => ({
  productKey: 'p',
  deviceNo,
  reason: 'wrong_secret',
  transport: 'mqtt',
  address: '192.0.2.1:50000',
  previousSecret: false,
  ...over,
})

describe('refused sign-ins', () => {
  it('are one line for the same try from the same place, the newest first', () => {
    now = 1_000
    const list = refusals()
    list.add(tried('a'))
    list.add(tried('b'))
    list.add(tried('a', { address: '192.0.2.1:50001' }))
    list.add(tried('a', { reason: 'disabled' }))
    expect(list.of('p')).toMatchObject([
      { deviceNo: 'a', reason: 'disabled', count: 1 },
      { deviceNo: 'a', reason: 'wrong_secret', count: 2, firstAt: 1_000, lastAt: 1_002, address: '192.0.2.1' },
      { deviceNo: 'b', count: 1 },
    ])
    expect(list.of('q')).toEqual([])
  })

  it('are bounded per product, and one product pushes out none of another', () => {
    const list = refusals()
    list.add(tried('mine', { productKey: 'q' }))
    for (let n = 0; n < 10_000; n++) list.add(tried(`n${n}`))
    expect(list.of('p')).toHaveLength(50)
    expect(list.of('p')[0]).toMatchObject({ deviceNo: 'n9999' })
    expect(list.of('q')).toHaveLength(1)
  })

  it('quote a stranger briefly and without what cannot be stored', () => {
    const list = refusals()
    list.add(tried(`a\0${'b'.repeat(10_000)}`))
    expect(list.of('p')[0]!.deviceNo).toHaveLength(128)
    expect(list.of('p')[0]!.deviceNo).not.toContain('\0')
  })

  it('name a place without its port', () => {
    expect(['192.0.2.1:5', '[::1]:5', '::1:5', '', '-'].map(withoutPort)).toEqual(['192.0.2.1', '::1', '::1', '', '-'])
  })
})

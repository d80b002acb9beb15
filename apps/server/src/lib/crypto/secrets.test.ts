import { describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { createCryptoBox } from './crypto-box.ts'
import { newDeviceSecret, openDeviceSecret, secretHash, secretMatches } from './secrets.ts'

const box = createCryptoBox('a'.repeat(32), 'device-secrets')

describe('device secrets', () => {
  it('are 32 random bytes shown as base64url', () => {
    const { shown } = newDeviceSecret(box, newId())
    expect(shown).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(shown, 'base64url')).toHaveLength(32)
    expect(newDeviceSecret(box, newId()).shown).not.toBe(shown)
  })

  it('match their hash and nothing else does', () => {
    const { shown, hash } = newDeviceSecret(box, newId())
    expect(secretMatches(shown, hash)).toBe(true)
    expect(secretMatches(`${shown} `, hash)).toBe(false)
    expect(secretMatches('', hash)).toBe(false)
    expect(secretMatches(shown, null)).toBe(false)
    expect(secretMatches(shown, undefined)).toBe(false)
    expect(secretMatches(shown, hash.subarray(0, 31))).toBe(false)
    expect(secretHash('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it('open again for their own device and key only', () => {
    const id = newId()
    const { shown, cipher } = newDeviceSecret(box, id)
    expect(openDeviceSecret(box, id.toUpperCase(), cipher)).toBe(shown)
    expect(cipher.includes(Buffer.from(shown))).toBe(false)
    expect(() => openDeviceSecret(box, newId(), cipher)).toThrow()
    expect(() => openDeviceSecret(createCryptoBox('b'.repeat(32), 'device-secrets'), id, cipher)).toThrow()
    const altered = Buffer.from(cipher)
    altered[altered.length - 1]! ^= 1
    expect(() => openDeviceSecret(box, id, altered)).toThrow()
  })
})

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashFile, Sha256 } from './sha256.ts'

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255)
const expected = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

describe('SHA-256', () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000])('of %i bytes is the one everybody computes', length => {
    expect(new Sha256().update(bytes(length)).hex()).toBe(expected(bytes(length)))
  })

  it('does not depend on how the bytes were cut', () => {
    const data = bytes(5000)
    for (const step of [1, 7, 63, 64, 65, 1024]) {
      const hash = new Sha256()
      for (let at = 0; at < data.length; at += step) hash.update(data.subarray(at, at + step))
      expect(hash.hex(), `pieces of ${step}`).toBe(expected(data))
    }
  })

  it('of a file tells how far it is, and stops when asked to', async () => {
    const data = bytes(2_500_000)
    const read: number[] = []
    const file = new Blob([data])
    expect(await hashFile(file, new AbortController().signal, at => read.push(at))).toBe(expected(data))
    expect(read).toEqual([1_048_576, 2_097_152, 2_500_000])
    const stop = new AbortController()
    await expect(hashFile(file, stop.signal, () => stop.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
})

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MAX_QR_BYTES, qrOf } from './qr.ts'

const sum = (rows: boolean[][] | null) => createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16)

describe('a QR code', () => {
  it('is the one that another encoder makes (qrcodegen of Project Nayuki, same mask)', () => {
    expect(sum(qrOf('https://things.example/page/demo', 2))).toBe('7c2343e327b9cfaa')
    expect(sum(qrOf('泵站'.repeat(60), 5))).toBe('2744d17899e72d67')
  })

  it('grows with its text, up to what it can hold', () => {
    expect(qrOf('a')).toHaveLength(21)
    expect(qrOf('x'.repeat(MAX_QR_BYTES))).toHaveLength(97)
    expect(qrOf('x'.repeat(MAX_QR_BYTES + 1))).toBeNull()
  })
})

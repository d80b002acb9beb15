import { createHash, randomInt } from 'node:crypto'

/** Without signs that are taken for one another. */
const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const LENGTH = 20

/** A code to be told: 100 random bits in groups of four signs. */
export function newTransferCode(): string {
  const signs = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)])
  return Array.from({ length: LENGTH / 4 }, (_, group) => signs.slice(group * 4, group * 4 + 4).join('')).join('-')
}

/** What is kept of a code. Blanks, dashes and small letters make no difference. */
export function transferCodeHash(code: string): Buffer {
  const plain = code.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')
  return createHash('sha256').update(`company-transfer:${plain}`).digest()
}

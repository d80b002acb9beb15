import { createHmac, randomInt } from 'node:crypto'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { replaceBackupCodes, useBackupCode } from './security.repo.ts'

const COUNT = 10
const LENGTH = 10
/** No 0, 1, l, o: they are read off paper. 30^10 codes are 49 bits. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz'

export interface BackupCodes {
  /** Ten new ones, shown once; the old ones end. */
  make(scope: SystemScope, loginId: string, tenantId: string): Promise<string[]>
  /** Uses a code up; spaces, dashes and capitals do not matter. */
  use(scope: SystemScope, loginId: string, code: string): Promise<boolean>
}

/** Codes on paper for the day the phone is gone. Stored as keyed hashes: random enough that a slow hash adds nothing. */
export function createBackupCodes(secretKey: string, now: () => number): BackupCodes {
  const key = deriveKey(secretKey, 'backup-code')
  const hashOf = (loginId: string, plain: string) => createHmac('sha256', key).update(`${loginId}:${plain}`).digest()
  return {
    async make(scope, loginId, tenantId) {
      const plain = Array.from({ length: COUNT }, () =>
        Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
      )
      await replaceBackupCodes(
        scope,
        loginId,
        tenantId,
        plain.map(code => ({ id: newId(now()), hash: hashOf(loginId, code) })),
      )
      return plain.map(code => `${code.slice(0, 5)}-${code.slice(5)}`)
    },
    async use(scope, loginId, code) {
      const plain = code.toLowerCase().replace(/[^a-z0-9]/g, '')
      return plain.length === LENGTH && useBackupCode(scope, loginId, hashOf(loginId, plain), new Date(now()))
    },
  }
}

import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { isUuid, newId } from '../../lib/ids.ts'
import { sql } from '../../lib/sql/statement.ts'
import { CAPTCHA_LETTERS, drawCaptcha } from './captcha-drawing.ts'

/** Minutes a captcha may be answered. */
const VALID_MINUTES = 5
const LETTERS = 5

export type CaptchaAnswer = 'right' | 'wrong' | 'missing'

export interface Captchas {
  /** A new picture. Nothing is stored: the id is signed together with the answer. */
  make(): { captchaId: string; image: string }
  /** Checks an answer. Each captcha is good for one answer, right or wrong. */
  check(scope: SystemScope, captchaId: string | undefined, answer: string | undefined): Promise<CaptchaAnswer>
}

const DELETE_USED_CAPTCHAS = sql`delete from used_captchas where id in (select id from used_captchas where expires_at <= $1 order by expires_at limit 100)`

const INSERT_USED_CAPTCHAS = sql`insert into used_captchas (id, expires_at) values ($1, $2) on conflict (id) do nothing`

/** `draw` makes the picture of the letters. */
export function createCaptchas(secretKey: string, now: () => number, draw = drawCaptcha): Captchas {
  const key = deriveKey(secretKey, 'captcha')
  const mac = (id: string, expires: number, answer: string) =>
    createHmac('sha256', key).update(`${id}.${expires}.${answer}`).digest()

  return {
    make() {
      const text = Array.from({ length: LETTERS }, () => CAPTCHA_LETTERS[randomInt(CAPTCHA_LETTERS.length)]).join('')
      const id = newId(now())
      const expires = now() + VALID_MINUTES * 60_000
      return {
        captchaId: `${id}.${expires}.${mac(id, expires, text).toString('base64url')}`,
        image: draw(text),
      }
    },
    async check(scope, captchaId, answer) {
      const given = (answer ?? '').trim().toUpperCase()
      if (!captchaId || given === '') return 'missing'
      const [, id, expiry, signature] = /^([0-9a-f-]{36})\.(\d{10,16})\.([A-Za-z0-9_-]{43})$/.exec(captchaId) ?? []
      if (!id || !expiry || !signature || !isUuid(id) || Number(expiry) <= now()) return 'wrong'
      const at = new Date(now())
      await scope.run(DELETE_USED_CAPTCHAS, [at])
      // Told apart only after it is used up: a picture is not a place to guess.
      const first = await scope.run(INSERT_USED_CAPTCHAS, [
        id,
        new Date(Math.min(Number(expiry), now() + VALID_MINUTES * 60_000)),
      ])
      if (first.rowCount !== 1) return 'wrong'
      const right = timingSafeEqual(mac(id, Number(expiry), given), Buffer.from(signature, 'base64url'))
      return right ? 'right' : 'wrong'
    },
  }
}

import type { Ctx } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { Refused } from './tlink-refused.ts'
import type { TlinkReply } from './tlink-words.ts'

/** Every call ends with HTTP 200 and its flag; a caller who may not call at all is refused before (401, 403). */
export async function flagged(ctx: Ctx, call: () => Promise<TlinkReply>): Promise<TlinkReply> {
  try {
    return { flag: '00', msg: '', ...(await call()) }
  } catch (error) {
    if (error instanceof Refused) return { flag: '01', msg: error.message }
    if (isAppError(error) && error.code !== 'server.error')
      return { flag: '01', msg: errorText(ctx.locale, error.code, error.params), code: error.code }
    throw error
  }
}

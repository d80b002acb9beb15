import {
  END_USER_GRANTS,
  END_USER_MEDIA_BYTES,
  END_USER_OWN_PAGES,
  END_USER_RIGHTS,
  type EndUserRight,
  wholeRights,
} from '@thingwright/contracts/end-users.words'
import type { EndUserStanding, StandingOf } from './standing.port.ts'
import * as repo from './standing.repo.ts'

/** What somebody of a line from the top down to an end user has by himself. */
export interface LineLink {
  rights: readonly string[]
  menuKeys: readonly string[] | null
  deviceQuota: number | null
  state: string
  expiresAt: Date | null
}

/** What remains at the end of a line: nobody has what one above him lacks. */
export function standingOfLine(line: readonly LineLink[]): EndUserStanding {
  const rights = line.reduce<readonly EndUserRight[]>(
    (left, { rights: own }) => {
      const whole = wholeRights(own)
      return left.filter(right => whole.includes(right))
    },
    [...END_USER_RIGHTS],
  )
  const pages = [...new Set(rights.flatMap(right => END_USER_GRANTS[right].pages))].filter(
    page =>
      END_USER_OWN_PAGES.includes(page) || line.every(({ menuKeys }) => menuKeys === null || menuKeys.includes(page)),
  )
  const ends = line.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []))
  return {
    rights,
    pages: rights.length > 0 ? [...new Set([...pages, ...END_USER_OWN_PAGES])] : [...END_USER_OWN_PAGES],
    deviceLimit: line.at(-1)?.deviceQuota ?? null,
    frozen: line.some(({ state }) => state !== 'active'),
    endsAt: ends.length > 0 ? Math.min(...ends) : null,
  }
}

export const standingOf: StandingOf = async (scope, loginId) => {
  const line = await repo.lineOf(scope, loginId)
  return line.length > 0 ? standingOfLine(line) : null
}

/** Bytes that an end user's own materials may have. */
export async function mediaLimitOf(scope: Parameters<typeof repo.mediaQuotaOf>[0], id: string): Promise<number> {
  return (await repo.mediaQuotaOf(scope, id)) ?? END_USER_MEDIA_BYTES
}

import { END_USER_GRANTS, type EndUserRight, USUAL_RIGHTS, wholeRights } from '@thingwright/contracts/end-users.words'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { type Actor, type Ctx, customerOf } from '../../lib/context.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { normaliseEmail, normalisePhone } from '../identity/index.ts'

/** Whether the actor has everything that a right of end users lets do. */
function mayGrant(actor: Actor, right: EndUserRight): boolean {
  if (actor.kind === 'system') return true
  if (customerOf(actor)?.rights.includes(right) === false) return false
  return END_USER_GRANTS[right].permissions.every(
    word => !(PERMISSIONS as readonly string[]).includes(word) || (actor.permissions as ReadonlySet<string>).has(word),
  )
}

/** Checks that the caller grants only rights that he has. @throws AppError end_user.beyond_own naming the rights */
export function refuseBeyondOwn({ actor }: Ctx, rights: readonly string[]): void {
  const beyond = wholeRights(rights).filter(right => !mayGrant(actor, right))
  if (beyond.length > 0) throw new AppError('end_user.beyond_own', { params: { rights: beyond.join(', ') } })
}

/** What an end user gets who is made with neither package nor rights: the usual, as far as his maker has it. */
export function usualRights({ actor }: Ctx): EndUserRight[] {
  return USUAL_RIGHTS.filter(right => mayGrant(actor, right))
}

/** A value of the form that is read by `read`; its problem is said at the field. */
function atField<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (isAppError(error))
      throw new AppError('request.validation', { params: { count: 1 }, fields: { [field]: { code: error.code } } })
    throw error
  }
}

export const readPhone = (text: string | null | undefined): string | null =>
  text?.trim() ? atField('phone', () => normalisePhone(text)) : null
export const readEmail = (text: string | null | undefined): string | null =>
  text?.trim() ? atField('email', () => normaliseEmail(text)) : null

/** Says in people's words that another end user of the company has the name, number or address. */
export async function naming<T>(username: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'logins_end_user_name_key'))
      throw new AppError('end_user.username_taken', { params: { username } })
    if (isUniqueViolation(error, 'logins_end_user_phone_key')) throw new AppError('end_user.phone_taken')
    if (isUniqueViolation(error, 'logins_end_user_email_key')) throw new AppError('end_user.email_taken')
    throw error
  }
}

import type { Actor, EndUserActor, MemberActor, OperatorActor } from './context.ts'
import { AppError } from './errors.ts'

/**
 * The person who asks: for what only people have, their profile, sessions, inbox, confirmations.
 * @throws AppError auth.required for work of the system, api_key.not_allowed for a program with an API key
 */
export function personIn(actor: Actor): MemberActor | EndUserActor | OperatorActor {
  if (actor.kind === 'system') throw new AppError('auth.required')
  if (actor.kind === 'apiKey') throw new AppError('api_key.not_allowed')
  return actor
}

/** The login of the person who asks. @throws as personIn */
export function personId(actor: Actor): string {
  return personIn(actor).loginId
}

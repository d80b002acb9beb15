import type pg from 'pg'
import { secretMatches } from '../../lib/crypto.ts'
import type { Logger } from '../../lib/log.ts'
import type { SubscriberSignIn } from '../../lib/subscriber-port.ts'
import type { WrongTries } from './wrong-tries.ts'

/** Checks the password of a subscription's account; null while the database cannot be asked. A paused one may come in. */
export function subscriberAccounts(
  db: pg.Pool,
  logger: Logger,
  wrongTries: WrongTries,
): (request: SubscriberSignIn) => Promise<boolean | null> {
  return async ({ subscriptionId, password, address }) => {
    try {
      const { rows } = await db.query<{ hash: Buffer | null }>({
        name: 'subscriber-account',
        text: `select password_hash as hash from subscriptions where id = $1 and target_kind = 'mqtt'`,
        values: [subscriptionId],
      })
      const known = secretMatches(password, rows[0]?.hash)
      if (!known) {
        logger.info({ subscriptionId, address }, 'account of a subscription refused')
        await wrongTries.wrong(`subscription ${subscriptionId}`, address)
      }
      return known
    } catch (error) {
      logger.warn({ err: error }, 'account of a subscription could not be checked')
      return null
    }
  }
}

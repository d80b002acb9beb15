import type pg from 'pg'
import { secretMatches } from '../../lib/crypto/secrets.ts'
import type { Logger } from '../../lib/log.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { SubscriberSignIn } from '../../modules/subscriptions/subscriber.port.ts'
import type { WrongTries } from '../gateway/wrong-tries.ts'

const PASSWORD = sql<{
  hash: Buffer | null
}>`select password_hash as hash from subscriptions where id = $1 and target_kind = 'mqtt'`.named('subscriber-account')

/** Checks the password of a subscription's account; null while the database cannot be asked. A paused one may come in. */
export function subscriberAccounts(
  db: pg.Pool,
  logger: Logger,
  wrongTries: WrongTries,
): (request: SubscriberSignIn) => Promise<boolean | null> {
  return async ({ subscriptionId, password, address }) => {
    try {
      const { rows } = await runOn(db, PASSWORD, [subscriptionId])
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

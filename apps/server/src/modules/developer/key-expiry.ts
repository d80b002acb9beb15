import type { Database } from '../../lib/database/database.ts'
import type { Inbox } from '../notifications/index.ts'
import { endingKeys } from './api-keys.repo.ts'
import words from './key-words.json' with { type: 'json' }

/** Days before a key ends at which its owner is told. */
export const WARN_DAYS = 7

export interface KeyExpiry {
  /** Tells once of every key of the company that ends within a week. */
  watch(tenantId: string, now: number): Promise<void>
}

export function createKeyExpiry({ database, inbox }: { database: Database; inbox: Inbox }): KeyExpiry {
  return {
    watch: (tenantId, now) =>
      database.withTenant({ tenantId }, async scope => {
        for (const key of await endingKeys(scope, new Date(now), new Date(now + WARN_DAYS * 86_400_000))) {
          const fill = (text: string) =>
            text.replaceAll('{name}', key.name).replaceAll('{date}', key.expires_at.toISOString().slice(0, 10))
          await inbox.notify(scope, {
            tenantId,
            to: key.maker_state === 'active' ? { loginIds: [key.made_by] } : { permission: 'api-key:write' },
            kind: 'api_key.expiry',
            level: 'warning',
            title: { zh: fill(words.title.zh), en: fill(words.title.en) },
            text: { zh: fill(words.text.zh), en: fill(words.text.en) },
            link: '/develop/LinkInterface',
          })
        }
      }),
  }
}

import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { AccountRow } from './accounts.repo.ts'
import type { Carrier, CarrierFactory } from './carrier.port.ts'

export interface AccountSecrets {
  password: string
  secretKey: string
}

/** Clients of the accounts: kept as long as the account stays as it is, so that tokens are, and never faster than it may be asked. */
export interface Carriers {
  of(account: AccountRow): Carrier
  seal(id: string, secrets: AccountSecrets): Buffer
  secretsOf(account: Pick<AccountRow, 'id' | 'cipher'>): AccountSecrets
}

const MOST_KEPT = 500

export function createCarriers(factory: CarrierFactory, box: CryptoBox): Carriers {
  const kept = new Map<string, { version: number; carrier: Carrier }>()
  const secretsOf: Carriers['secretsOf'] = ({ id, cipher }) =>
    JSON.parse(box.open(cipher, accountContext(id)).toString('utf8')) as AccountSecrets
  return {
    secretsOf,
    seal: (id, secrets) => box.seal(JSON.stringify(secrets), accountContext(id)),
    of(account) {
      const known = kept.get(account.id)
      if (known?.version === account.version) return known.carrier
      const carrier = paced(
        factory(
          account.kind,
          { baseUrl: account.baseUrl, account: account.account, options: account.options, ...secretsOf(account) },
          account.simulated,
        ),
        account.perSecond,
      )
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
      kept.set(account.id, { version: account.version, carrier })
      return carrier
    },
  }
}

/** What the secrets of an account are sealed for. */
export const accountContext = (id: string) => `carrier-account:${id}`

/** Calls one after the other, at most so many a second; each waits for its turn. */
function paced(carrier: Carrier, perSecond: number): Carrier {
  const gapMs = 1_000 / perSecond
  let next = 0
  async function turn(): Promise<void> {
    const now = Date.now()
    const at = Math.max(now, next)
    next = at + gapMs
    if (at > now) await new Promise(resolve => setTimeout(resolve, at - now))
  }
  return {
    test: card => turn().then(() => carrier.test(card)),
    read: card => turn().then(() => carrier.read(card)),
    dailyUsage: (card, days) => turn().then(() => carrier.dailyUsage(card, days)),
    change: (card, change) => turn().then(() => carrier.change(card, change)),
    connectivity: card => turn().then(() => carrier.connectivity(card)),
  }
}

import {
  ONLINE_PROVIDERS,
  type OnlineProvider,
  type OrderKind,
  type Provider,
} from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { enabledKinds } from './providers.repo.ts'

/** The ways in which an order can be paid now. The simulated one stands in while no real provider is set up. */
export async function waysFor(scope: Runner, kind: OrderKind): Promise<Provider[]> {
  const online = await enabledKinds(scope)
  return [
    ...(kind === 'top_up' ? [] : (['balance'] as const)),
    ...(online.length > 0 ? online : (['simulated'] as const)),
    'transfer',
  ]
}

export const isOnline = (provider: Provider | null): provider is OnlineProvider =>
  (ONLINE_PROVIDERS as readonly (Provider | null)[]).includes(provider)

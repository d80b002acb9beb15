import type { AuthoriseStream } from '../adapters/subscription-target/websocket/websocket-target.ts'
import { isAppError } from '../lib/errors.ts'
import type { Container } from './container.ts'

/**
 * Who may open the stream of a subscription: whoever may read subscriptions and sees this one, with a token or an API
 * key, while his company is active. A paused subscription has a stream on which nothing comes.
 */
export function streamRights({
  identity,
  subscriptions,
}: Pick<Container, 'identity' | 'subscriptions'>): AuthoriseStream {
  return async (token, ip, subscriptionId) => {
    try {
      const { tenantId, actor, accountState, expiresAt } = await identity.authenticate(token, { ip, passive: true })
      if (accountState !== 2 || actor.kind === 'system' || !actor.permissions.has('subscription:read')) return null
      const ctx = { tenantId, actor, locale: 'zh' as const, requestId: 'stream', now: Date.now() }
      const { target } = await subscriptions.service.get(ctx, subscriptionId)
      return target.kind === 'websocket' ? expiresAt : null
    } catch (error) {
      // No token, no right, no such subscription for him: all the same from outside.
      if (isAppError(error) && error.code !== 'server.unavailable') return null
      throw error
    }
  }
}

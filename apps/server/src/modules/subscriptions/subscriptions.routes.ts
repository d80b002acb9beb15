import { subscriptionsContract as contract } from '@thingwright/contracts/subscriptions.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { SubscriptionQueueService } from './subscription-queue.service.ts'
import type { SubscriptionsService } from './subscriptions.service.ts'

export function subscriptionsRoutes(service: SubscriptionsService, queue: SubscriptionQueueService): BoundRoute[] {
  return [
    bind(contract.create, (ctx, { body }) => service.create(ctx, body)),
    bind(contract.list, (ctx, { query }) => service.list(ctx, query)),
    bind(contract.options, async () => service.options()),
    bind(contract.preview, (ctx, { body }) => queue.preview(ctx, body)),
    bind(contract.get, (ctx, { params }) => service.get(ctx, params.id)),
    bind(contract.update, (ctx, { params, body }) => service.update(ctx, params.id, body)),
    bind(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
    bind(contract.pause, (ctx, { params }) => service.pause(ctx, params.id)),
    bind(contract.resume, (ctx, { params }) => service.resume(ctx, params.id)),
    bind(contract.rotateSecret, (ctx, { params, body }) => service.rotateSecret(ctx, params.id, body)),
    bind(contract.test, (ctx, { params }) => queue.test(ctx, params.id)),
    bind(contract.log, (ctx, { params, query }) => queue.log(ctx, params.id, query)),
    bind(contract.deadLetters, (ctx, { params, query }) => queue.deadLetters(ctx, params.id, query)),
    bind(contract.replayDeadLetters, (ctx, { params, body }) =>
      queue.replayDeadLetters(ctx, params.id, body.ids ?? null),
    ),
    bind(contract.removeDeadLetters, (ctx, { params, body }) =>
      queue.removeDeadLetters(ctx, params.id, body.ids ?? null),
    ),
    bind(contract.replay, (ctx, { params, body }) => queue.replay(ctx, params.id, body.from)),
    bind(contract.items, (ctx, { params, query }) => queue.items(ctx, params.id, query)),
    bind(contract.acknowledge, (ctx, { params, body }) => queue.acknowledge(ctx, params.id, body.cursor)),
  ]
}

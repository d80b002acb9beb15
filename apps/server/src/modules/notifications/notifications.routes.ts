import { notificationsContract } from '@thingwright/contracts/notifications.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { InboxService } from './inbox.service.ts'

export function notificationsRoutes(inbox: InboxService): BoundRoute[] {
  return [
    bind(notificationsContract.inbox, (ctx, { query }) => inbox.list(ctx, query)),
    bind(notificationsContract.unread, ctx => inbox.unread(ctx)),
    bind(notificationsContract.read, (ctx, { params }) => inbox.read(ctx, params.id)),
    bind(notificationsContract.readAll, ctx => inbox.readAll(ctx)),
    bind(notificationsContract.remove, (ctx, { params }) => inbox.remove(ctx, params.id)),
  ]
}

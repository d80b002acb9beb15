import type { BoundRoute } from '../../lib/http.ts'
import { createInboxService, type InboxDeps, type InboxService } from './inbox.service.ts'
import { notificationsRoutes } from './notifications.routes.ts'

export interface NotificationsModule {
  inbox: InboxService
  routes: BoundRoute[]
}

export function createNotificationsModule(deps: InboxDeps): NotificationsModule {
  const inbox = createInboxService(deps)
  return { inbox, routes: notificationsRoutes(inbox) }
}

import type { BoundRoute } from '../../lib/http.ts'
import type { LiveTopic } from '../../lib/live-topic.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { createInboxService, type InboxDeps, type InboxService } from './inbox.service.ts'
import { notificationsRoutes } from './notifications.routes.ts'

const topicOf = (tenantId: string) => `inbox:${tenantId}`

/** Says only that inboxes of the company changed. */
const INBOX_TOPIC: LiveTopic = {
  pattern: 'inbox',
  nameFor: ({ tenantId }) => topicOf(tenantId),
  hears: publish => ({
    'inbox.changed': ({ tenantId }) => publish(topicOf(tenantId), 'inbox', { changedAt: Date.now() }),
  }),
}

export interface NotificationsModule extends ModuleParts {
  inbox: InboxService
  routes: BoundRoute[]
}

export function createNotificationsModule(deps: InboxDeps): NotificationsModule {
  const inbox = createInboxService(deps)
  return { inbox, routes: notificationsRoutes(inbox), live: [INBOX_TOPIC] }
}

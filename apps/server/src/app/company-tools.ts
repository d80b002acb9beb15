import type { EntityFinder, Tool } from '../lib/tools/tools.ts'
import { alarmsTools } from '../modules/alarms/index.ts'
import { auditTools } from '../modules/audit/index.ts'
import { cloudPagesTools } from '../modules/cloud-pages/index.ts'
import { apiKeyFinder, developerTools } from '../modules/developer/index.ts'
import { deviceIdentityTools } from '../modules/device-identity/index.ts'
import { endUsersTools } from '../modules/end-users/index.ts'
import { mediaTools } from '../modules/media/index.ts'
import { memberFinder, membersTools } from '../modules/members/index.ts'
import { notificationsTools } from '../modules/notifications/index.ts'
import { campaignFinder, firmwareFinder, otaTools } from '../modules/ota/index.ts'
import { formatDraftTools } from '../modules/products/index.ts'
import { roleFinder, rolesTools } from '../modules/roles/index.ts'
import { subscriptionFinder, subscriptionsTools } from '../modules/subscriptions/index.ts'
import { tasksTools } from '../modules/tasks/index.ts'
import { tenantsTools } from '../modules/tenants/index.ts'
import { timedTasksTools } from '../modules/timed-tasks/index.ts'
import { triggersTools } from '../modules/triggers/index.ts'

/** Tools of people, logs, firmware, subscriptions, keys and the company. */
export const COMPANY_TOOLS: readonly Tool[] = [
  ...membersTools,
  ...endUsersTools,
  ...rolesTools,
  ...auditTools,
  ...subscriptionsTools,
  ...otaTools,
  ...formatDraftTools,
  ...developerTools,
  ...tenantsTools,
  ...tasksTools,
  ...notificationsTools,
  ...mediaTools,
  ...deviceIdentityTools,
  ...alarmsTools,
  ...triggersTools,
  ...timedTasksTools,
  ...cloudPagesTools,
]

export const COMPANY_FINDERS: readonly EntityFinder[] = [
  memberFinder,
  roleFinder,
  subscriptionFinder,
  firmwareFinder,
  campaignFinder,
  apiKeyFinder,
]

import type { EntityFinder, Tool } from '../lib/tools.ts'
import { auditTools } from '../modules/audit/index.ts'
import { memberFinder, membersTools } from '../modules/members/index.ts'
import { campaignFinder, firmwareFinder, otaTools } from '../modules/ota/index.ts'
import { formatDraftTools } from '../modules/products/index.ts'
import { roleFinder, rolesTools } from '../modules/roles/index.ts'
import { subscriptionFinder, subscriptionsTools } from '../modules/subscriptions/index.ts'

/** Tools of people, logs, firmware, subscriptions, keys and the company. */
export const COMPANY_TOOLS: readonly Tool[] = [
  ...membersTools,
  ...rolesTools,
  ...auditTools,
  ...subscriptionsTools,
  ...otaTools,
  ...formatDraftTools,
]

export const COMPANY_FINDERS: readonly EntityFinder[] = [
  memberFinder,
  roleFinder,
  subscriptionFinder,
  firmwareFinder,
  campaignFinder,
]

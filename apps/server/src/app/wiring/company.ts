import { createNotificationsModule } from '../../modules/notifications/index.ts'
import { createTenantsModule } from '../../modules/tenants/index.ts'
import type { Foundations } from './foundations.ts'

export type CompanyModules = ReturnType<typeof createCompanyModules>

/** The company itself: its state, its quotas, what it is told. */
export function createCompanyModules({ database, objectStore }: Foundations) {
  const notifications = createNotificationsModule({ database })
  const company = createTenantsModule({ database, inbox: notifications.inbox, store: objectStore })
  return { notifications, company }
}

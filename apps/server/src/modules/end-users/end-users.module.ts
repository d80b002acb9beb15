import type { Database } from '../../lib/database/database.ts'
import type { DependentObjects } from '../../lib/dependents.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { DeviceCustomers } from '../devices/index.ts'
import type { GroupsService } from '../groups/index.ts'
import type { IdentityModule } from '../identity/index.ts'
import type { MailPort, SmsPort } from '../notifications/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import { createAccounts } from './account.service.ts'
import { silentDevices } from './customer-health.repo.ts'
import { createCustomerHealth, type Doctor } from './customer-health.ts'
import { exportEndUsers } from './end-user-export.ts'
import { idNamed } from './end-users.repo.ts'
import { endUsersRoutes } from './end-users.routes.ts'
import { createEndUsersService, type EndUsersService } from './end-users.service.ts'
import { createHandovers, type HandoverService } from './handover.service.ts'
import { createInvitations } from './invitations.ts'
import { createOwnBranding, type OwnBrandingDeps } from './own-branding.ts'
import { createPackages, type PackagesService } from './packages.service.ts'
import { packagesTransfer } from './packages.transfer.ts'

export interface EndUsersModuleDeps extends Omit<OwnBrandingDeps, 'company'> {
  database: Database
  groups: Pick<GroupsService, 'subtree' | 'hold'>
  identity: IdentityModule
  tasks: Pick<TasksModule, 'service' | 'register'>
  mail: MailPort
  sms: SmsPort
  publicUrl(): string
  company(tenantId: string): Promise<{ name: string; appId: string }>
  /** What end users make for their devices, of all modules, once they are made. */
  dependents(): readonly DependentObjects[]
  doctor: Doctor
  now(): number
}

export interface EndUsersModule extends ModuleParts {
  service: EndUsersService
  handovers: HandoverService
  packages: PackagesService
  /** Finds owners of devices by name, for the import of tables. */
  customers: DeviceCustomers
  routes: BoundRoute[]
}

export function createEndUsersModule(deps: EndUsersModuleDeps): EndUsersModule {
  const { database, identity } = deps
  const invitations = createInvitations({ ...deps, endSessions: identity.service.endMemberSessions })
  const service = createEndUsersService({ ...deps, invitations })
  const handovers = createHandovers(deps)
  const packages = createPackages(deps)
  return {
    service,
    handovers,
    packages,
    customers: { find: idNamed, assign: handovers.assignIn },
    routes: endUsersRoutes({
      users: service,
      accounts: createAccounts({ database, users: service, invitations, identity }),
      handovers,
      packages,
      health: createCustomerHealth({ database, users: service, silent: silentDevices(database), doctor: deps.doctor }),
      exportUsers: exportEndUsers(service),
      branding: createOwnBranding(deps),
    }),
    search: [found(service)],
    transferSources: [packagesTransfer(deps.database)],
  }
}

const found = (service: EndUsersService): SearchSource => ({
  kind: 'end_user',
  permission: 'end-user:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.name,
      subtitle: item.company || item.username,
      link: `/manage/user/center/info?id=${item.id}`,
    })),
})

import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { OwnedObjects } from '../../lib/owned.ts'
import type { GroupsService } from '../groups/index.ts'
import type { IdentityModule } from '../identity/index.ts'
import type { Inbox, MailPort, SmsPort } from '../notifications/index.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import { createInvitations, type InvitationsService } from './invitations.service.ts'
import { membersRoutes } from './members.routes.ts'
import { membersFound } from './members.search.ts'
import { createMembersService, type MembersService } from './members.service.ts'
import { createOwnership, type OwnershipService } from './ownership.service.ts'

export interface MembersModuleDeps {
  database: Database
  groups: Pick<GroupsService, 'subtree' | 'hold'>
  identity: IdentityModule
  quotas: QuotaGuard
  inbox: Inbox
  mail: MailPort
  sms: SmsPort
  /** What belongs to members, by kind: of all modules, once they are made. */
  owned(): readonly OwnedObjects[]
  publicUrl(): string
  logger: Logger
}

export interface MembersModule extends ModuleParts {
  service: MembersService
  invitations: InvitationsService
  ownership: OwnershipService
  routes: BoundRoute[]
}

export function createMembersModule(deps: MembersModuleDeps): MembersModule {
  const { identity } = deps
  const service = createMembersService(deps)
  const invitations = createInvitations(deps)
  const ownership = createOwnership({
    ...deps,
    onMailFailed: error => deps.logger.warn({ err: error }, 'mail was not taken'),
  })
  const routes = membersRoutes({
    members: service,
    invitations,
    ownership,
    identity: identity.service,
    answer: identity.answer,
  })
  return { service, invitations, ownership, routes, search: [membersFound(service)] }
}

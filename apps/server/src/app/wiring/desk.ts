import { OWNED_KINDS } from '@thingwright/contracts/members.contract'
import { SEARCH_KINDS } from '@thingwright/contracts/search.contract'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { newAccessToken } from '../../lib/crypto/device-credentials.ts'
import { AppError } from '../../lib/errors.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { pageTransfer } from '../../modules/cloud-pages/index.ts'
import { giveTokensWhereWanted } from '../../modules/devices/index.ts'
import { causeText } from '../../modules/diagnosis/index.ts'
import { createEndUsersModule } from '../../modules/end-users/index.ts'
import { geofenceTransfer } from '../../modules/geofences/index.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import { createMembersModule } from '../../modules/members/index.ts'
import { createOperatorModule } from '../../modules/operator/index.ts'
import { createSearchModule } from '../../modules/search/index.ts'
import { checkBranding } from '../../modules/tenants/index.ts'
import { createTlinkCompatModule } from '../../modules/tlink-compat/index.ts'
import { createTransferModule } from '../../modules/transfer/index.ts'
import type { ApiCaller } from '../api-caller.ts'
import type { ContainerOptions } from '../container-options.ts'
import { deviceHistory } from '../device-history.ts'
import type { CompanyModules } from './company.ts'
import type { DeviceWorkModules } from './device-work.ts'
import type { Foundations } from './foundations.ts'
import type { PeopleModules } from './people.ts'
import type { ThingModules } from './things.ts'

/** What looks over many modules: members and what they own, the whole company as a file, the platform's desk, search. */
export function createDeskModules(
  options: ContainerOptions,
  base: Foundations,
  { company, notifications }: CompanyModules,
  { groups, products, devices, telemetry, media }: ThingModules,
  { identity, tasks, roles }: PeopleModules,
  { commands, diagnosis, alarms, triggers }: DeviceWorkModules,
  api: ApiCaller,
  /** Every module, once they are made. */
  all: () => readonly ModuleParts[],
) {
  const { database, gateway, objectStore, secretKey, secrets } = base
  const { inbox } = notifications
  const { quotas, service: tenants } = company
  const members = createMembersModule({
    database,
    groups: groups.service,
    identity,
    quotas,
    inbox,
    mail: base.mail,
    sms: base.sms,
    owned: () => inOrder(OWNED_KINDS, all(), 'owned'),
    publicUrl: () => options.addresses().httpUrl,
    logger: base.logOf('members'),
  })
  const endUsers = createEndUsersModule({
    database,
    groups: groups.service,
    identity,
    tasks,
    mail: base.mail,
    sms: base.sms,
    publicUrl: () => options.addresses().httpUrl,
    company: tenants.get,
    companyBranding: company.company.branding,
    checkBranding,
    dependents: () => all().flatMap(module => module.dependents ?? []),
    doctor: async (ctx, id) => causeText(ctx.locale, await diagnosis.service.device(ctx, id)),
    now: base.now,
  })
  const transfer = createTransferModule({
    database,
    tasks,
    tenants,
    store: objectStore,
    secretKey,
    secrets,
    giveTokens: (scope, productIds) => giveTokensWhereWanted(scope, productIds, id => newAccessToken(secrets, id)),
    version: options.version ?? 'unknown',
    gateway,
    quotas,
    history: deviceHistory(products.service, telemetry.service),
    addMaterial: media.service.upload,
    roles: roles.service,
    alarmLevels: alarms.transfer,
    pages: pageTransfer,
    geofences: geofenceTransfer,
    triggers: triggers.transfer,
    further: () => all().flatMap(module => module.transferSources ?? []),
    connections: () => all().flatMap(module => module.connectionNames ?? []),
    requireFreshProof: identity.security.requireFreshProof,
  })
  const operator = createOperatorModule({
    database,
    inbox,
    quotas,
    support: company.support,
    verification: company.verification,
    tasks: tasks.service,
    makeCompany: seedCompany,
    hashPassword,
    supportToken: identity.service.supportToken,
    health: options.health ?? (() => Promise.reject(new AppError('server.unavailable'))),
  })
  const search = createSearchModule(() => inOrder(SEARCH_KINDS, all(), 'search'))
  const tlinkCompat = createTlinkCompatModule({
    database,
    identity: identity.service,
    devices: devices.service,
    lifecycle: devices.lifecycle,
    products: products.service,
    telemetry: telemetry.service,
    commands: commands.service,
    publicUrl: () => options.addresses().httpUrl,
    api,
  })
  return { members, endUsers, transfer, operator, search, tlinkCompat }
}

/** What all modules bring of something that has kinds, in the order of the kinds. */
function inOrder<P extends 'owned' | 'search'>(
  kinds: readonly string[],
  modules: readonly ModuleParts[],
  part: P,
): NonNullable<ModuleParts[P]>[number][] {
  const found = modules.flatMap(module => [...(module[part] ?? [])]) as NonNullable<ModuleParts[P]>[number][]
  return found.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
}

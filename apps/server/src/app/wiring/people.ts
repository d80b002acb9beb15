import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { seedCompany, seedMenu } from '../../db/seeds/minimal/minimal.seed.ts'
import type { Actor, Ctx } from '../../lib/context.ts'
import { sanitiseSvg } from '../../lib/files/svg.ts'
import { createAuditModule } from '../../modules/audit/index.ts'
import { createDeveloperModule, createProgramSignIn } from '../../modules/developer/index.ts'
import { standingOf } from '../../modules/end-users/index.ts'
import { clientOf, createIdentityModule, placeOf } from '../../modules/identity/index.ts'
import { createMenuEditor, createMenusService, MENUS_TOPIC, menusRoutes } from '../../modules/menus/index.ts'
import { createRolesModule } from '../../modules/roles/index.ts'
import { createTasksModule } from '../../modules/tasks/index.ts'
import type { ContainerOptions } from '../container-options.ts'
import type { CompanyModules } from './company.ts'
import type { Foundations } from './foundations.ts'
import type { ThingModules } from './things.ts'

export type PeopleModules = ReturnType<typeof createPeopleModules>

/** Folders of the object store that hold files of companies. */
const COMPANY_FOLDERS = ['media', 'tasks', 'company', 'firmware'] as const

/** Sign-in of people and programs, their rights and data scope, and the logs about them. */
export function createPeopleModules(
  options: ContainerOptions,
  base: Foundations,
  { company, notifications }: CompanyModules,
  { devices }: ThingModules,
) {
  const { database, objectStore, secretKey, now } = base
  const { inbox } = notifications
  const tenants = company.service
  const menuKeys = WEB_ROUTES.filter(route => route.limits).map(route => route.path)
  const built = new Set(WEB_ROUTES.filter(route => route.built).map(route => route.path))
  const isBuilt = (path: string) => built.has(path)

  const programs = createProgramSignIn({ database, standingOf, logger: base.logOf('developer'), now })
  const identity = createIdentityModule({
    database,
    tenants,
    support: company.support,
    apiKeys: programs.gate,
    sms: base.sms,
    mail: base.mail,
    inbox,
    createCompany: seedCompany,
    standingOf,
    secretKey,
    logger: base.logOf('identity'),
    menuKeys,
    publicUrl: () => options.addresses().httpUrl,
    fixedUrl: options.publicUrl ?? null,
    outboundAllow: options.outboundAllow ?? [],
    links: {
      holdMember: tenantId => database.withTenant({ tenantId }, scope => company.quotas.hold(scope, 'members')),
      async purgeCompany(tenantId) {
        await devices.lifecycle.purgePending()
        for (const folder of COMPANY_FOLDERS)
          for await (const { key } of objectStore.list(`${folder}/${tenantId}/`)) await objectStore.remove(key)
      },
    },
    secureCookie: options.secureCookie,
    demo: options.demo,
    now,
  })
  const { requireFreshProof } = identity.security
  const developer = createDeveloperModule({
    database,
    standingOf,
    signIn: programs,
    requireFreshProof,
    inbox,
    addresses: options.addresses,
    ownPorts: options.ownPorts ?? null,
    deviceCertificate: () => options.deviceCertificate?.() ?? null,
    appId: async tenantId => (await tenants.get(tenantId)).appId,
  })

  /** The rights of a person or a program now, for work that goes on after the request; null: he may no longer act. */
  async function currentActor(tenantId: string, actor: Actor): Promise<Actor | null> {
    if (actor.kind === 'system') return actor
    if (actor.kind === 'apiKey') return developer.actorNow(tenantId, actor.keyId)
    const support = actor.kind === 'operator' ? actor.support : undefined
    if (support) return support.expiresAt > now() ? actor : null
    return identity.service.actorNow(tenantId, actor.loginId)
  }
  const tasks = createTasksModule({
    database,
    files: objectStore,
    logger: base.logOf('tasks'),
    currentActor,
    now,
  })
  const audit = createAuditModule({
    database,
    secretKey,
    logger: base.logOf('audit'),
    placeOf,
    clientOf: userAgent => clientOf(userAgent).name,
    retentionDays: async tenantId => (await tenants.settings(tenantId)).retention.auditDays,
    startTask: tasks.service.startIn,
    registerTask: tasks.register,
    now,
  })

  const menusService = createMenusService({
    database,
    isBuilt,
    menuKeys,
    menuPermissions: async (ctx: Ctx) => (await identity.service.me(ctx)).menuPermissions,
    sanitiseIcon: svg => sanitiseSvg(svg) ?? '',
  })
  const menuEditor = createMenuEditor({
    database,
    devFlag: options.devFlag ?? false,
    isBuilt,
    cleanIcon: sanitiseSvg,
    seed: seedMenu,
  })
  const menus = { routes: menusRoutes(menusService, menuEditor), live: [MENUS_TOPIC] }
  const roles = createRolesModule({
    database,
    menuKeys,
    menuFor: menusService.menuFor,
    menuChoices: menusService.choices,
  })
  return { identity, audit, developer, tasks, menus, roles, currentActor }
}

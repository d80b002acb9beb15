import type { Actor, Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import type { ObjectStore } from '../media/index.ts'
import type { Inbox } from '../notifications/index.ts'
import { createCampaignStep } from './campaign.steps.ts'
import { createCampaignsService } from './campaigns.service.ts'
import { createFirmwareDownloads } from './download/index.ts'
import type { FirmwareDesk } from './firmware.port.ts'
import { deleteOldEvents } from './jobs.rows.ts'
import { createJobsService } from './jobs.service.ts'
import { createNotices } from './notices.ts'
import { campaignsAttention } from './ota.attention.ts'
import { type OtaServices, otaRoutes } from './ota.routes.ts'
import { createOtaRunner, type OtaRunner } from './ota.runner.ts'
import { firmwareFound } from './ota.search.ts'
import { createWatch } from './ota.watch.ts'
import { createPackageIntake } from './package-intake.ts'
import * as repo from './packages.repo.ts'
import { createPackagesService } from './packages.service.ts'
import { createPull } from './pull.ts'
import { createFirmwareSettings } from './settings.service.ts'

export interface OtaModule extends ModuleParts {
  routes: BoundRoute[]
  services: OtaServices
  /** Answers what the gateway asks on behalf of devices. */
  desk: FirmwareDesk
  /** Started in processes with the worker role. */
  runner: OtaRunner
}

export interface OtaModuleDeps {
  database: Database
  store: ObjectStore
  secretKey: string
  gateway: Pick<GatewayPort, 'wake'>
  inbox: Inbox
  /** @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
  /** The rights of a person now; null: he may no longer act. */
  currentActor(tenantId: string, actor: Actor): Promise<Actor | null>
  /** Where devices reach the platform, without a slash at its end. */
  baseUrl(): string
  now(): number
  logger: Logger
}

/** Longer than any upload takes: a file that belongs to nothing for so long never will. */
const LEFTOVER_MS = 60 * 60_000
/** Time lines are kept this long. */
const TIME_LINE_MS = 400 * 24 * 60 * 60_000

export function createOtaModule(deps: OtaModuleDeps): OtaModule {
  const { database } = deps
  const intake = createPackageIntake(deps)
  const wake = () => runner.wake()
  const downloads = createFirmwareDownloads({ ...deps, pull: (device, module) => pull(device, module) })
  const notice = createNotices({ sign: downloads.links.sign, baseUrl: deps.baseUrl })
  const pull = createPull({ ...deps, notice })
  const runner = createOtaRunner({
    ...deps,
    campaign: createCampaignStep({ ...deps, notice }),
    watch: createWatch(deps),
    async sweep(now) {
      await intake.discard(
        await database.withSystemScope('ota', scope => repo.leftoversBefore(scope, new Date(now - LEFTOVER_MS))),
      )
      await database.withSystemScope('ota', scope => deleteOldEvents(scope, now - TIME_LINE_MS))
    },
  })
  const services: OtaServices = {
    packages: createPackagesService({ database, store: deps.store, intake, onChanged: wake }),
    settings: createFirmwareSettings(deps),
    campaigns: createCampaignsService({ ...deps, wake }),
    jobs: createJobsService({ ...deps, wake }),
  }
  return {
    routes: [...otaRoutes(services), ...downloads.routes],
    services,
    search: [firmwareFound(services.packages)],
    attention: [campaignsAttention(services.campaigns)],
    desk: downloads.desk,
    runner,
    // Its notices carry our address, so it must be known.
    runs: [{ name: 'firmware campaigns', phase: 'address', start: () => runner.start(), stop: () => runner.stop() }],
  }
}

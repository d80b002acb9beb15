import { firmwareContract } from '@thingwright/contracts/firmware.contract'
import { otaCampaignsContract, otaJobsContract } from '@thingwright/contracts/ota.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CampaignsService } from './campaigns.service.ts'
import type { JobsService } from './jobs.service.ts'
import type { PackagesService } from './packages.service.ts'
import type { FirmwareSettingsService } from './settings.service.ts'

export interface OtaServices {
  packages: PackagesService
  settings: FirmwareSettingsService
  campaigns: CampaignsService
  jobs: JobsService
}

export function otaRoutes({ packages, settings, campaigns, jobs }: OtaServices): BoundRoute[] {
  const f = firmwareContract
  const c = otaCampaignsContract
  const j = otaJobsContract
  return [
    bind(f.list, (ctx, { query }) => packages.list(ctx, query)),
    bind(f.get, (ctx, { params }) => packages.get(ctx, params.id)),
    bind(f.upload, (ctx, { body }, http) => packages.upload(ctx, body, http.file)),
    bind(f.update, (ctx, { params, body }) => packages.update(ctx, params.id, body)),
    bind(f.remove, (ctx, { params }) => packages.remove(ctx, params.id)),
    bind(f.disable, (ctx, { params }) => packages.disable(ctx, params.id)),
    bind(f.enable, (ctx, { params }) => packages.enable(ctx, params.id)),
    bind(f.verify, (ctx, { params, body }) => campaigns.verify(ctx, params.id, body.deviceIds)),
    bind(f.conclude, (ctx, { params, body }) => packages.conclude(ctx, params.id, body)),
    bind(f.file, (ctx, { params }) => packages.file(ctx, params.id)),
    bind(f.path, (ctx, { params, query }) => packages.path(ctx, params.id, query.fromVersion ?? null)),
    bind(f.settings, (ctx, { params }) => settings.get(ctx, params.id)),
    bind(f.setSettings, (ctx, { params, body }) => settings.set(ctx, params.id, body)),
    bind(f.addKey, (ctx, { params, body }) => settings.addKey(ctx, params.id, body)),
    bind(f.removeKey, (ctx, { params }) => settings.removeKey(ctx, params.id, params.keyId)),
    bind(f.versions, (ctx, { query }) => jobs.versions(ctx, query)),
    bind(c.preview, (ctx, { body }) => campaigns.preview(ctx, body)),
    bind(c.create, (ctx, { body }) => campaigns.create(ctx, body)),
    bind(c.list, (ctx, { query }) => campaigns.list(ctx, query)),
    bind(c.get, (ctx, { params }) => campaigns.get(ctx, params.id)),
    bind(c.update, (ctx, { params, body }) => campaigns.update(ctx, params.id, body)),
    bind(c.pause, (ctx, { params }) => campaigns.pause(ctx, params.id)),
    bind(c.resume, (ctx, { params }) => campaigns.resume(ctx, params.id)),
    bind(c.cancel, (ctx, { params }) => campaigns.cancel(ctx, params.id)),
    bind(c.retry, (ctx, { params }) => campaigns.retry(ctx, params.id)),
    bind(c.rollback, (ctx, { params, body }) => campaigns.rollback(ctx, params.id, body)),
    bind(c.report, (ctx, { params }) => campaigns.report(ctx, params.id)),
    bind(j.list, (ctx, { query }) => jobs.list(ctx, query)),
    bind(j.export, (ctx, { query }) => jobs.export(ctx, query)),
    bind(j.get, (ctx, { params }) => jobs.get(ctx, params.id)),
    bind(j.batch, (ctx, { body }) => jobs.batch(ctx, body)),
    bind(j.device, (ctx, { params, query }) => jobs.device(ctx, params.id, query)),
  ]
}

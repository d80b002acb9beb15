import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import type {
  CreateOtaCampaign,
  OtaCampaignView,
  OtaPreview,
  OtaReport,
  otaCampaignsContract,
} from '@thingwright/contracts/ota.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { sql } from '../../lib/sql/statement.ts'
import { storedActor } from './actors.ts'
import { changeJobs, takeNoticesBack } from './campaign-changes.ts'
import { checkScope, checkTimes, checkWindow, planOf } from './campaign-input.ts'
import { previewOf } from './campaign-preview.ts'
import { toCampaignView } from './campaign-views.ts'
import * as repo from './campaigns.repo.ts'
import * as packages from './packages.repo.ts'
import { existing, toPackageView } from './packages.service.ts'
import { campaignReport } from './report.ts'
import { findProduct } from './settings.repo.ts'
import { isSameVersion } from './version-key.ts'

type Contract = typeof otaCampaignsContract
type Page<T> = { items: T[]; nextCursor: string | null; total?: number }

export interface CampaignsService {
  preview(ctx: Ctx, input: BodyOf<Contract['preview']>): Promise<OtaPreview>
  create(ctx: Ctx, input: CreateOtaCampaign): Promise<OtaCampaignView>
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<Page<OtaCampaignView>>
  get(ctx: Ctx, id: string): Promise<OtaCampaignView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<OtaCampaignView>
  pause(ctx: Ctx, id: string): Promise<OtaCampaignView>
  resume(ctx: Ctx, id: string): Promise<OtaCampaignView>
  cancel(ctx: Ctx, id: string): Promise<OtaCampaignView>
  retry(ctx: Ctx, id: string): Promise<OtaCampaignView>
  rollback(ctx: Ctx, id: string, input: { packageId?: string }): Promise<OtaCampaignView>
  report(ctx: Ctx, id: string): Promise<OtaReport>
  /** Tries a package on test devices. */
  verify(ctx: Ctx, packageId: string, deviceIds: string[]): Promise<FirmwarePackageView>
}

export interface CampaignsDeps {
  database: Database
  /** @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
  /** A campaign may have something to do. */
  wake(): void
}

/** Devices of one campaign. */
export const MAX_DEVICES = 100_000

const ROLLBACK = sql<{
  deviceId: string
  version: string | null
}>`select device_id as "deviceId", from_version as version from ota_jobs where campaign_id = $1 and state in ('succeeded', 'installing', 'timed_out')`

const VERIFY = sql<{
  id: string
  deviceNo: string
  suits: boolean
}>`select id, device_no as "deviceNo", product_id = $2 and lifecycle in ('inactive', 'active') as suits
  from devices where id = any ($1::uuid[])`

export function createCampaignsService(deps: CampaignsDeps): CampaignsService {
  const { database } = deps

  async function found(scope: TenantScope, id: string): Promise<repo.CampaignRow> {
    const row = await repo.findCampaign(scope, id)
    if (!row) throw new AppError('ota_campaign.not_found')
    return row
  }

  /** For a change. Whoever sees a part of the company changes what he started himself: it holds no devices of others. */
  async function own(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.CampaignRow> {
    const row = await repo.findCampaign(scope, id, true)
    if (!row || (scope.limited && row.ownerId !== ownerIdOf(ctx.actor))) throw new AppError('ota_campaign.not_found')
    return row
  }

  async function view(scope: TenantScope, id: string): Promise<OtaCampaignView> {
    return toCampaignView(await found(scope, id), (await repo.countsOf(scope, [id])).get(id) ?? {})
  }

  async function make(
    scope: TenantScope,
    ctx: Ctx,
    input: CreateOtaCampaign,
    kind: repo.CampaignRow['kind'],
    action: string,
    ofCampaign: string | null = null,
  ): Promise<string> {
    const target = await existing(scope, input.packageId, true)
    if (target.state === 'disabled') throw new AppError('firmware.disabled')
    const product = await findProduct(scope, target.productId)
    const trial = kind === 'verification'
    if (!trial && product?.firmware.requireVerified && target.state !== 'verified')
      throw new AppError('firmware.unverified')
    checkScope(input.scope)
    const { startAt, endAt } = checkTimes(input, ctx.now)
    const plan = planOf(input)
    const dynamic = input.method === 'dynamic'
    const id = newId(ctx.now)
    const seen = await previewOf(
      scope,
      target,
      { productId: target.productId, module: target.module, seed: id, scope: input.scope, madeBefore: null },
      { allowDowngrade: plan.allowDowngrade, trial },
    )
    if (!dynamic && seen.targets === 0) throw new AppError('ota_campaign.empty')
    if (seen.targets > MAX_DEVICES) throw new AppError('ota_campaign.too_many', { params: { limit: MAX_DEVICES } })
    if (dynamic && (await hasDynamic(scope, target.id))) throw new AppError('ota_campaign.dynamic_taken')
    await repo.insertCampaign(scope, {
      id,
      productId: target.productId,
      packageId: target.id,
      name: input.name,
      kind,
      scope: input.scope,
      plan,
      dynamic,
      startAt,
      endAt,
      ofCampaign,
      ownerId: ownerIdOf(ctx.actor),
      ownerName: actorName(ctx.actor),
      actor: storedActor(ctx.actor),
      locale: ctx.locale,
      createdAt: ctx.now,
    })
    await recordAudit(scope, ctx, {
      action,
      objectType: 'ota_campaign',
      objectId: id,
      objectName: input.name,
      after: {
        package: `${target.name} ${target.version}`,
        kind,
        devices: seen.targets,
        scope: { ...input.scope, deviceIds: input.scope.deviceIds?.length },
        ...plan,
        ...(ofCampaign ? { ofCampaign } : {}),
      },
    })
    scope.afterCommit(deps.wake)
    return id
  }

  function act(
    action: 'pause' | 'resume' | 'cancel' | 'retry',
    work: (scope: TenantScope, ctx: Ctx, row: repo.CampaignRow) => Promise<Record<string, unknown>>,
  ) {
    return (ctx: Ctx, id: string) =>
      database.withTenant(ctx, async scope => {
        const row = await own(scope, ctx, id)
        const after = await work(scope, ctx, row)
        await recordAudit(scope, ctx, {
          action: `ota_campaign.${action}`,
          objectType: 'ota_campaign',
          objectId: id,
          objectName: row.name,
          before: { state: row.state },
          after,
        })
        scope.afterCommit(deps.wake)
        return view(scope, id)
      })
  }

  async function stop(scope: TenantScope, ctx: Ctx, row: repo.CampaignRow, reason: string): Promise<void> {
    await takeNoticesBack(scope, row.id, ctx.now)
    await changeJobs(scope, { campaignId: row.id, open: '1' }, ctx.now, () => ({
      kind: 'cancelled',
      code: reason,
    }))
    await repo.setState(scope, row.id, 'cancelled', reason, ctx.now)
    if (row.kind === 'verification') await settleTrial(scope, row, false, reason)
  }

  return {
    preview: (ctx, { packageId, scope: chosen, ...options }) =>
      database.withTenant(ctx, async scope => {
        const target = await existing(scope, packageId)
        checkScope(chosen)
        const query = {
          productId: target.productId,
          module: target.module,
          seed: packageId,
          scope: chosen,
          madeBefore: null,
        }
        return previewOf(scope, target, query, { ...options, trial: false })
      }),

    async create(ctx, input) {
      await deps.requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        const id = await make(scope, ctx, input, 'rollout', 'ota_campaign.create')
        return view(scope, id)
      })
    },

    async list(ctx, input) {
      const { limit = 20, cursor, total, ...filter } = input
      const after = decodeCursor(cursor, 2)
      if (after?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
      return database.withTenant(ctx, async scope => {
        const rows = await readFrom(cursor, () =>
          repo.listCampaigns(scope, filter, after as [string, string] | null, limit + 1),
        )
        const shown = rows.slice(0, limit)
        const counts = await repo.countsOf(
          scope,
          shown.map(row => row.id),
        )
        const last = shown.at(-1)
        return {
          items: shown.map(row => toCampaignView(row, counts.get(row.id) ?? {})),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: await repo.countCampaigns(scope, filter) } : {}),
        }
      })
    },

    get: (ctx, id) => database.withTenant(ctx, scope => view(scope, id)),

    update: (ctx, id, { revision, name, startAt, endAt, ...change }) =>
      database.withTenant(ctx, async scope => {
        const row = await own(scope, ctx, id)
        if (row.revision !== revision)
          throw new AppError('version.conflict', { params: { current: await view(scope, id) } })
        if (row.endedAt !== null || (startAt !== undefined && row.state !== 'scheduled'))
          throw new AppError('ota_campaign.state')
        const times = checkTimes(
          {
            ...(startAt === undefined ? {} : { startAt }),
            ...(endAt === undefined || endAt === null ? {} : { endAt }),
          },
          ctx.now,
        )
        const plan = { ...row.plan, ...change }
        checkWindow(plan.window)
        const next = {
          name: name ?? row.name,
          plan,
          startAt: startAt === undefined ? row.startAt : times.startAt,
          endAt: endAt === undefined ? row.endAt : times.endAt,
        }
        await repo.updateCampaign(
          scope,
          id,
          next,
          row.state === 'scheduled' ? Math.max(ctx.now, next.startAt ?? 0) : ctx.now,
        )
        await recordAudit(scope, ctx, {
          action: 'ota_campaign.update',
          objectType: 'ota_campaign',
          objectId: id,
          objectName: row.name,
          before: { name: row.name, ...row.plan, startAt: row.startAt, endAt: row.endAt },
          after: { name: next.name, ...plan, startAt: next.startAt, endAt: next.endAt },
        })
        scope.afterCommit(deps.wake)
        return view(scope, id)
      }),

    pause: act('pause', async (scope, ctx, row) => {
      if (row.state !== 'running' && row.state !== 'scheduled') throw new AppError('ota_campaign.state')
      await takeNoticesBack(scope, row.id, ctx.now)
      await repo.setState(scope, row.id, 'paused', 'by_person', ctx.now)
      return { state: 'paused' }
    }),

    resume: act('resume', async (scope, ctx, row) => {
      if (row.state !== 'paused' && row.state !== 'stopped') throw new AppError('ota_campaign.state')
      if (row.packageState === 'disabled') throw new AppError('firmware.disabled')
      await repo.countFrom(scope, row.id, ctx.now)
      // What was to begin later still does.
      const state = row.startAt !== null && row.startAt > ctx.now ? 'scheduled' : 'running'
      await repo.setState(scope, row.id, state, null, ctx.now)
      return { state }
    }),

    cancel: act('cancel', async (scope, ctx, row) => {
      if (row.endedAt !== null) throw new AppError('ota_campaign.state')
      await stop(scope, ctx, row, 'by_person')
      return { state: 'cancelled' }
    }),

    retry: act('retry', async (scope, ctx, row) => {
      if (row.state === 'scheduled' || row.state === 'cancelled') throw new AppError('ota_campaign.state')
      if (row.packageState === 'disabled') throw new AppError('firmware.disabled')
      const again = await changeJobs(scope, { campaignId: row.id, fits: 'retry' }, ctx.now, () => ({ kind: 'again' }))
      if (again === 0) throw new AppError('ota_campaign.nothing_to_retry')
      await repo.countFrom(scope, row.id, ctx.now)
      await repo.setState(scope, row.id, 'running', null, ctx.now)
      return { state: 'running', devices: again }
    }),

    async rollback(ctx, id, input) {
      await deps.requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        const row = await own(scope, ctx, id)
        if (row.kind === 'verification') throw new AppError('ota_campaign.state')
        const { rows: done } = await scope.run(ROLLBACK, [id])
        if (done.length === 0) throw new AppError('ota_campaign.empty')
        const back = input.packageId ? await existing(scope, input.packageId) : await formerPackage(scope, row, done)
        if (
          !back ||
          back.productId !== row.productId ||
          back.module !== row.module ||
          isSameVersion(back.version, row.version)
        )
          throw new AppError('ota_campaign.no_way_back')
        if (row.endedAt === null) await stop(scope, ctx, row, 'rolled_back')
        const made = await make(
          scope,
          ctx,
          {
            name: `${row.name} ↩`.slice(0, 64),
            packageId: back.id,
            scope: { kind: 'chosen', deviceIds: done.map(each => each.deviceId) },
            rate: row.plan.rate,
            timeouts: row.plan.timeouts,
            retries: row.plan.retries,
            delivery: row.plan.delivery,
            allowDowngrade: true,
          },
          'rollback',
          'ota_campaign.rollback',
          id,
        )
        return view(scope, made)
      })
    },

    report: (ctx, id) => database.withTenant(ctx, async scope => campaignReport(scope, await view(scope, id))),

    verify: (ctx, packageId, deviceIds) =>
      database.withTenant(ctx, async scope => {
        const target = await existing(scope, packageId, true)
        if (target.state === 'disabled' || target.state === 'verifying') throw new AppError('firmware.state')
        const { rows } = await scope.run(VERIFY, [deviceIds, target.productId])
        const bad = rows.find(row => !row.suits)
        if (rows.length < new Set(deviceIds).size) throw new AppError('device.not_found')
        if (bad) throw new AppError('firmware.device_unsuited', { params: { deviceNo: bad.deviceNo } })
        await make(
          scope,
          ctx,
          {
            name: `${target.name} ${target.version}`.slice(0, 64),
            packageId,
            scope: { kind: 'chosen', deviceIds },
            allowDowngrade: true,
            retries: { max: 1, backoffSeconds: 30 },
            endAt: new Date(ctx.now + TRIAL_MS).toISOString(),
          },
          'verification',
          'firmware.verify',
        )
        await packages.updatePackage(scope, packageId, { ...target, state: 'verifying', stateNote: '' })
        const row = await existing(scope, packageId)
        return toPackageView(row, (await packages.usesOf(scope, [packageId])).get(packageId))
      }),
  }
}

/** A trial whose devices do not come ends after so long. */
const TRIAL_MS = 7 * 24 * 3_600_000

const SETTLE_TRIAL = sql`update firmware_packages set state = $2, state_note = $3, version_no = version_no + 1, updated_at = now()
  where id = $1 and state = 'verifying'`

/** What a trial says of its package, unless a person said something meanwhile. */
export async function settleTrial(
  scope: Pick<TenantScope, 'run'>,
  row: Pick<repo.CampaignRow, 'packageId'>,
  passed: boolean,
  note: string,
): Promise<void> {
  await scope.run(SETTLE_TRIAL, [row.packageId, passed ? 'verified' : 'verification_failed', note])
}

const HAS_DYNAMIC = sql`select 1 from ota_campaigns where package_id = $1 and dynamic and state in ('scheduled', 'running', 'paused', 'stopped')`

async function hasDynamic(scope: TenantScope, packageId: string): Promise<boolean> {
  const { rowCount } = await scope.run(HAS_DYNAMIC, [packageId])
  return (rowCount ?? 0) > 0
}

/** A full package of the version that most of the devices came from. */
async function formerPackage(
  scope: TenantScope,
  row: repo.CampaignRow,
  done: readonly { version: string | null }[],
): Promise<packages.PackageRow | null> {
  const votes = new Map<string, number>()
  for (const { version } of done) if (version !== null) votes.set(version, (votes.get(version) ?? 0) + 1)
  const wanted = [...votes].toSorted((a, b) => b[1] - a[1]).map(([version]) => version)
  const known = await packages.usablePackages(scope, row.productId, row.module)
  for (const version of wanted) {
    const full = known.find(item => item.kind === 'full' && isSameVersion(item.version, version))
    if (full) return full
  }
  return null
}

import type { ErrorCode } from '@thingwright/contracts/errors'
import { type AuditRecord, recordAudits } from '../../lib/audit.ts'
import { type Ctx, dataScopeOf } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { isAppError } from '../../lib/errors.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { ConnectionNames, TransferSource } from '../../lib/transfer-source.ts'
import type { AlarmLevelsTransfer } from '../alarms/index.ts'
import type { PageTransfer } from '../cloud-pages/index.ts'
import type { GeofenceTransfer } from '../geofences/index.ts'
import type { RolesService } from '../roles/index.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import type { PresetTransfer, TriggerTransfer } from '../triggers/index.ts'
import type { Archive } from './archive.ts'
import { findFences, importFences } from './fence-import.ts'
import { bringFurther, findFurther, listConnections } from './further-import.ts'
import { requireKinds } from './import-rights.ts'
import { KINDS, type Kind } from './manifest.ts'
import { findPages, importPages } from './page-import.ts'
import {
  AlarmLevelsLine,
  DeviceLine,
  FenceLine,
  GroupLine,
  MaterialLine,
  MemberLine,
  PageLine,
  ProductLine,
  RoleLine,
  SettingsLine,
  TriggerLine,
  TriggerPresetLine,
} from './rows.ts'
import {
  findExisting,
  type ImportState,
  importDevices,
  importGroups,
  importProducts,
  importRoles,
  importSettings,
  type KindCount,
  lineOf,
} from './transfer.import.ts'
import * as repo from './transfer.repo.ts'
import { importAlarmLevels, importTriggerPresets, importTriggers } from './trigger-import.ts'

export interface ImportTools {
  database: Database
  quotas: QuotaGuard
  secrets: CryptoBox
  roles: Pick<RolesService, 'bring'>
  alarmLevels: AlarmLevelsTransfer
  pages: PageTransfer
  geofences: GeofenceTransfer
  triggers: TriggerTransfer & { presets: PresetTransfer }
  /** Kinds that modules bring by themselves. */
  further(): readonly TransferSource[]
  connections(): readonly ConnectionNames[]
  /** See {@link ImportState.giveTokens}. */
  giveTokens: ImportState['giveTokens']
  /** Adds a material; absent when the installation has no store. */
  addMaterial(
    ctx: Ctx,
    input: { folderId?: string; tags: string[]; public: boolean },
    file: UploadedFile,
  ): Promise<{ id: string }>
}

export interface ImportWish {
  ctx: Ctx
  archive: Archive
  kinds: readonly Kind[]
  existing: 'keep' | 'replace'
  dryRun: boolean
  opened: CryptoBox | null
  failed(item: string, code: ErrorCode, params?: Record<string, unknown>): void
  onRow(): void
  cancelled(): boolean
}

export type ImportSummary = Record<string, KindCount & { ok: boolean }>

/** Ends a dry run: everything that was tried is undone. */
class Undo extends Error {}

/**
 * Brings the chosen kinds in, one after the other, each wholly or not at all, as the caller: with his rights and under
 * his data scope. A dry run does the same in one transaction and takes all of it back. Where entries may be beyond what
 * the caller has, that is tried first: when one is, every such entry is named and nothing is written.
 * @throws AppError permission.denied, scope.whole_company: a kind is not his to bring in
 * @returns counts by kind, and products whose devices the device path must look at again
 */
export async function runImport(
  tools: ImportTools,
  wish: ImportWish,
): Promise<{ summary: ImportSummary; changedProducts: Set<number> }> {
  const { kinds, ctx } = wish
  requireKinds(ctx, kinds, wish.opened !== null)
  const mayBeBeyond = dataScopeOf(ctx.actor).kind === 'limited' || kinds.includes('roles')
  if (!wish.dryRun && mayBeBeyond) {
    const said: Parameters<ImportWish['failed']>[] = []
    const trial = await bringIn(tools, { ...wish, dryRun: true, onRow() {}, failed: (...words) => said.push(words) })
    if (trial.beyond > 0) {
      for (const words of said) wish.failed(...words)
      const none = { created: 0, replaced: 0, kept: 0, ok: false }
      const summary = Object.fromEntries(kinds.map(kind => [kind, none]))
      return { summary, changedProducts: new Set() }
    }
  }
  return bringIn(tools, wish)
}

const ATTEMPTS = 3

const MARK_KIND = sql`savepoint kind`

const ROLL_BACK_KIND = sql`rollback to savepoint kind`

async function bringIn(
  tools: ImportTools,
  wish: ImportWish,
): Promise<{ summary: ImportSummary; changedProducts: Set<number>; beyond: number }> {
  const { database } = tools
  const { archive, kinds, dryRun, ctx } = wish
  const summary: ImportSummary = {}
  const beyond = { count: 0, note: wish.failed }
  const state: ImportState = {
    existing: wish.existing,
    groups: new Map(),
    products: new Map(),
    pages: new Map(),
    materials: new Map(),
    fences: new Map(),
    further: new Map(),
    quotas: tools.quotas,
    ctx,
    roles: tools.roles,
    beyond,
    secrets: tools.secrets,
    opened: wish.opened,
    giveTokens: tools.giveTokens,
    note: (item, code, params) => wish.failed(item, code, params),
    changedProducts: new Set(),
    onRow: wish.onRow,
  }

  /** @param undo takes back what a first attempt wrote */
  async function step(kind: Kind, work: () => Promise<KindCount>, undo = async () => {}): Promise<void> {
    for (let attempt = 1; ; attempt++)
      try {
        summary[kind] = { ...(await work()), ok: true }
        return
      } catch (error) {
        // A person, or a table of devices, made the same at this moment: the next attempt finds it.
        if (isUniqueViolation(error) && attempt < ATTEMPTS) {
          await undo()
          continue
        }
        if (!isAppError(error)) throw error
        summary[kind] = { created: 0, replaced: 0, kept: 0, ok: false }
        wish.failed(kind, error.code, error.params)
        return
      }
  }

  const bring = (scope: TenantScope, kind: Kind): Promise<KindCount> => {
    switch (kind) {
      case 'settings':
        return importSettings(scope, archive.lines(kind, SettingsLine), state)
      case 'groups':
        return importGroups(scope, archive.lines(kind, GroupLine), state)
      case 'products':
        return importProducts(scope, archive.lines(kind, ProductLine), state)
      case 'roles':
        return importRoles(scope, archive.lines(kind, RoleLine), state)
      case 'devices':
        return importDevices(scope, archive.lines(kind, DeviceLine), state)
      case 'pages':
        return importPages(scope, () => archive.lines(kind, PageLine), state, tools.pages)
      case 'alarm_levels':
        return importAlarmLevels(scope, archive.lines(kind, AlarmLevelsLine), state, tools.alarmLevels)
      case 'geofences':
        return importFences(scope, archive.lines(kind, FenceLine), state, tools.geofences)
      case 'triggers':
        return importTriggers(scope, archive.lines(kind, TriggerLine), state, tools.triggers)
      case 'trigger_presets':
        return importTriggerPresets(scope, archive.lines(kind, TriggerPresetLine), state, tools.triggers.presets)
      case 'calendars':
      case 'scenes':
      case 'timed_tasks':
      case 'message_templates':
      case 'user_packages':
      case 'tariffs':
      case 'reports':
      case 'portals':
      case 'official_accounts':
      case 'lora_links':
      case 'telecom_links':
        return bringFurther(
          scope,
          archive,
          tools.further().find(source => source.kind === kind),
          state,
        )
      case 'connections':
        return listConnections(archive, wish)
      case 'members':
        return listMembers(scope, archive, wish)
      case 'materials':
        return dryRun ? countMaterials(scope, wish, state) : addMaterials(tools, wish, state)
    }
  }
  const inOrder = KINDS.filter(kind => kinds.includes(kind))
  const lookUp = async (scope: TenantScope) => {
    await findExisting(
      scope,
      kinds.includes('groups') ? null : archive.lines('groups', GroupLine),
      kinds.includes('products') ? null : archive.lines('products', ProductLine),
      state,
    )
    if (kinds.includes('triggers') && !kinds.includes('pages'))
      await findPages(scope, archive.lines('pages', PageLine), state, tools.pages)
    if (kinds.includes('triggers') && !kinds.includes('geofences'))
      await findFences(scope, archive.lines('geofences', FenceLine), state, tools.geofences)
    if (kinds.includes('timed_tasks'))
      for (const source of tools.further())
        if (!kinds.includes(source.kind)) await findFurther(scope, archive, source, state)
  }

  if (dryRun) {
    await database
      .withTenant(ctx, async scope => {
        await repo.oneAtATime(scope)
        await lookUp(scope)
        for (const kind of inOrder) {
          await scope.run(MARK_KIND)
          const undo = async () => void (await scope.run(ROLL_BACK_KIND))
          await step(kind, () => bring(scope, kind), undo)
          if (!summary[kind]!.ok) await undo()
        }
        throw new Undo()
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
    state.changedProducts.clear()
  } else {
    await database.withTenant(ctx, lookUp)
    for (const kind of inOrder) {
      if (wish.cancelled()) break
      await step(kind, () => {
        // Some kinds take minutes: what was his at the beginning may not be any more.
        requireKinds(ctx, [kind], wish.opened !== null)
        return database.withTenant(ctx, async scope => {
          // Each material is a change of its own.
          if (kind !== 'materials') await repo.oneAtATime(scope)
          return bring(scope, kind)
        })
      })
    }
  }
  return { summary, changedProducts: state.changedProducts, beyond: beyond.count }
}

/** People are not made by a file: whoever could write one could let himself in. They are named, to be invited. */
async function listMembers(_scope: TenantScope, archive: Archive, wish: ImportWish): Promise<KindCount> {
  let kept = 0
  for await (const line of archive.lines('members', MemberLine)) {
    wish.onRow()
    wish.failed(line.username, 'transfer.member_invite')
    kept++
  }
  return { created: 0, replaced: 0, kept }
}

async function countMaterials(scope: TenantScope, wish: ImportWish, state: ImportState): Promise<KindCount> {
  const count = { created: 0, replaced: 0, kept: 0 }
  for await (const line of wish.archive.lines('materials', MaterialLine)) {
    wish.onRow()
    const found = await repo.findMaterial(scope, line)
    count[found === undefined ? 'created' : 'kept']++
    // One that would be made has no id yet: it only has to be there for what shows it.
    if (line.id !== undefined) state.materials.set(line.id, found ?? line.id)
  }
  return count
}

/** Each material is looked at as if a person had uploaded it; one that is refused is named and the others go on. */
async function addMaterials(tools: ImportTools, wish: ImportWish, state: ImportState): Promise<KindCount> {
  const count = { created: 0, replaced: 0, kept: 0 }
  for await (const line of wish.archive.lines('materials', MaterialLine)) {
    if (wish.cancelled()) break
    wish.onRow()
    // Held while it is uploaded in transactions of its own: another import sees it or waits.
    await tools.database.withTenant(wish.ctx, async scope => {
      await repo.oneAtATime(scope)
      const found = await repo.findMaterial(scope, line)
      const own = found ?? (await addMaterial(tools, wish, line))
      if (own === undefined) return
      count[found === undefined ? 'created' : 'kept']++
      if (line.id !== undefined) state.materials.set(line.id, own)
    })
  }
  return count
}

/** @returns undefined: refused, and named */
async function addMaterial(tools: ImportTools, wish: ImportWish, line: MaterialLine): Promise<string | undefined> {
  const { ctx } = wish
  try {
    const folderId = await tools.database.withTenant(ctx, async scope => {
      const made: AuditRecord[] = []
      const id = await repo.ensureFolder(scope, line.folder, folder =>
        made.push(lineOf('media_folder', 'created', folder)),
      )
      await recordAudits(scope, ctx, made)
      return id
    })
    const body = await wish.archive.material(line.sha256)
    const { id } = await tools.addMaterial(
      ctx,
      { tags: line.tags, public: line.public ?? false, ...(folderId ? { folderId } : {}) },
      { fileName: line.name, contentType: line.contentType, body },
    )
    return id
  } catch (error) {
    if (!isAppError(error)) throw error
    wish.failed(line.name, error.code, error.params)
    return undefined
  }
}

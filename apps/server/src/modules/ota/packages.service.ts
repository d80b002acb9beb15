import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { FirmwarePackageView, FirmwarePath, firmwareContract } from '@thingwright/contracts/firmware.contract'
import { FIRMWARE_MAX_PACKAGES } from '@thingwright/contracts/firmware-schemas'
import { recordAudit } from '../../lib/audit.ts'
import { inBackground } from '../../lib/background.ts'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply, type UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import type { ObjectStore } from '../media/index.ts'
import { DEFAULT_MODULE } from './firmware.port.ts'
import { signerOf } from './firmware-signature.ts'
import { bytesOf, planPath } from './ota-plan.ts'
import { ofStore, type PackageIntake } from './package-intake.ts'
import * as repo from './packages.repo.ts'
import * as settings from './settings.repo.ts'
import { isSameVersion } from './version-key.ts'

type Contract = typeof firmwareContract
type Upload = BodyOf<Contract['upload']>

export interface PackagesService {
  list(
    ctx: Ctx,
    input: QueryOf<Contract['list']>,
  ): Promise<{ items: FirmwarePackageView[]; nextCursor: string | null; total?: number }>
  get(ctx: Ctx, id: string): Promise<FirmwarePackageView>
  upload(ctx: Ctx, input: Upload, file: UploadedFile): Promise<FirmwarePackageView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<FirmwarePackageView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  disable(ctx: Ctx, id: string): Promise<FirmwarePackageView>
  enable(ctx: Ctx, id: string): Promise<FirmwarePackageView>
  conclude(ctx: Ctx, id: string, input: { passed: boolean; note: string }): Promise<FirmwarePackageView>
  file(ctx: Ctx, id: string): Promise<StreamReply>
  path(ctx: Ctx, id: string, fromVersion: string | null): Promise<FirmwarePath>
}

export function createPackagesService(deps: {
  database: Database
  store: ObjectStore
  intake: PackageIntake
  /** A campaign may have to stop. */
  onChanged(): void
}): PackagesService {
  const { database, store, intake } = deps

  async function view(scope: TenantScope, id: string): Promise<FirmwarePackageView> {
    const row = await existing(scope, id)
    return toPackageView(row, (await repo.usesOf(scope, [id])).get(id))
  }

  /** Everything that can be refused before the bytes come is refused before they come. */
  async function check(scope: TenantScope, input: NewFacts, share: boolean): Promise<settings.ProductRow> {
    const product = await settings.findProduct(scope, input.productId, share)
    if (!product) throw new AppError('product.not_found')
    if ((await repo.countAll(scope)) >= FIRMWARE_MAX_PACKAGES)
      throw new AppError('firmware.too_many', { params: { limit: FIRMWARE_MAX_PACKAGES } })
    const clash = await repo.clashOf(scope, input)
    if (clash?.sameVersion) throw new AppError('firmware.version_taken')
    if (clash) {
      const { version, orderNo } = clash
      throw new AppError(isSameVersion(version, input.version) ? 'firmware.order_other' : 'firmware.order_taken', {
        params: { version, orderNo },
      })
    }
    if (product.firmware.requireSignature && !input.signature) throw new AppError('firmware.signature_required')
    return product
  }

  function changeState(
    action: 'firmware.disable' | 'firmware.enable' | 'firmware.conclude',
    change: (row: repo.PackageRow) => Pick<repo.PackageRow, 'state' | 'stateNote'>,
  ) {
    return (ctx: Ctx, id: string) =>
      database.withTenant(ctx, async scope => {
        const row = await changeable(scope, id)
        const next = change(row)
        await repo.updatePackage(scope, id, { ...row, ...next })
        await recordAudit(scope, ctx, {
          action,
          objectType: 'firmware',
          objectId: id,
          objectName: nameOf(row),
          before: { state: row.state },
          after: next,
        })
        scope.afterCommit(deps.onChanged)
        return view(scope, id)
      })
  }

  return {
    async list(ctx, input) {
      const { limit = 20, cursor, sort, total, ...filter } = input
      const order = parseSort(sort, repo.PACKAGE_SORTS, '-createdAt')
      const after = decodeCursor(cursor, 2)
      if (after?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
      return database.withTenant(ctx, async scope => {
        const rows = await readFrom(cursor, () =>
          repo.listPackages(scope, filter, order, after as [string, string] | null, limit + 1),
        )
        const shown = rows.slice(0, limit)
        const uses = await repo.usesOf(
          scope,
          shown.map(row => row.id),
        )
        const last = shown.at(-1)
        return {
          items: shown.map(({ position: _, ...row }) => toPackageView(row, uses.get(row.id))),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: await repo.countPackages(scope, filter) } : {}),
        }
      })
    },

    get: (ctx, id) => database.withTenant(ctx, scope => view(scope, id)),

    async upload(ctx, input, file) {
      const facts = readFacts(input)
      const product = await database.withTenant(ctx, scope => check(scope, facts, false))
      const { magicHex } = product.firmware
      const taken = await intake.take(
        ctx,
        file,
        magicHex && facts.kind === 'full' ? Buffer.from(magicHex, 'hex') : null,
      )
      try {
        if (input.sha256 && input.sha256.toLowerCase() !== taken.sha256.toString('hex'))
          throw new AppError('firmware.hash_mismatch')
        return await database.withTenant(ctx, async scope => {
          const { productKey } = await check(scope, facts, true)
          const { module, version, fromVersion, signature } = facts
          const { size } = taken
          const sha256 = taken.sha256.toString('hex')
          const signer =
            signature &&
            signerOf(
              { productKey, module, version, fromVersion, size, sha256 },
              signature,
              await settings.keysOf(scope, facts.productId),
            )
          const id = newId(ctx.now)
          await repo.insertPackage(scope, {
            ...facts,
            ...taken,
            id,
            keyId: signer?.id ?? null,
            createdById: actorId(ctx.actor),
            createdBy: actorName(ctx.actor),
            createdAt: ctx.now,
          })
          await repo.forgetLeftover(scope, taken.objectKey)
          const made = await existing(scope, id)
          await recordAudit(scope, ctx, {
            action: 'firmware.create',
            objectType: 'firmware',
            objectId: id,
            objectName: nameOf(made),
            after: { ...factsOf(made), signedBy: signer?.name ?? null },
          })
          return view(scope, id)
        })
      } catch (error) {
        await intake.discard([taken.objectKey])
        throw error
      }
    },

    update: (ctx, id, { revision, ...input }) =>
      database.withTenant(ctx, async scope => {
        const row = await changeable(scope, id)
        if (row.revision !== revision)
          throw new AppError('version.conflict', { params: { current: await view(scope, id) } })
        const next = { name: input.name ?? row.name, notes: input.notes ?? row.notes, ext: input.ext ?? row.ext }
        await repo.updatePackage(scope, id, { ...row, ...next })
        await recordAudit(scope, ctx, {
          action: 'firmware.update',
          objectType: 'firmware',
          objectId: id,
          objectName: nameOf(row),
          before: { name: row.name, notes: row.notes, ext: row.ext },
          after: next,
        })
        return view(scope, id)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await changeable(scope, id)
        // Also by devices that he does not see.
        const uses = (await scope.wholeCompany('in-use', () => repo.usesOf(scope, [id]))).get(id)!
        if (uses.campaigns + uses.jobs > 0)
          throw new AppError('firmware.in_use', { params: { count: Math.max(uses.campaigns, 1) } })
        await repo.deletePackage(scope, id)
        await repo.noteLeftover(scope, row.objectKey)
        await recordAudit(scope, ctx, {
          action: 'firmware.remove',
          objectType: 'firmware',
          objectId: id,
          objectName: nameOf(row),
          before: factsOf(row),
        })
        scope.afterCommit(() => inBackground('removing a firmware package', intake.discard([row.objectKey])))
        return { ok: true }
      }),

    disable: changeState('firmware.disable', row => {
      if (row.state === 'disabled') throw new AppError('firmware.state')
      return { state: 'disabled', stateNote: '' }
    }),
    enable: changeState('firmware.enable', row => {
      if (row.state !== 'disabled') throw new AppError('firmware.state')
      return { state: 'unverified', stateNote: '' }
    }),
    conclude: (ctx, id, { passed, note }) =>
      changeState('firmware.conclude', row => {
        if (row.state === 'disabled') throw new AppError('firmware.disabled')
        return { state: passed ? 'verified' : 'verification_failed', stateNote: note }
      })(ctx, id),

    async file(ctx, id) {
      const row = await database.withTenant(ctx, scope => existing(scope, id))
      const object = await store.get(row.objectKey).catch(error => {
        throw ofStore(error)
      })
      if (!object) throw new AppError('firmware.not_found')
      return new StreamReply(object.body, 'application/octet-stream', row.fileName)
    },

    path: (ctx, id, fromVersion) =>
      database.withTenant(ctx, async scope => {
        const target = await existing(scope, id)
        const packages = await repo.usablePackages(scope, target.productId, target.module)
        const steps = planPath(packages, fromVersion, target.version) ?? []
        return { fromVersion, toVersion: target.version, steps, totalBytes: bytesOf(steps) }
      }),
  }
}

/** @throws AppError firmware.not_found also for another company's and outside the caller's scope */
export async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.PackageRow> {
  const row = await repo.findPackage(scope, id, lock)
  if (!row) throw new AppError('firmware.not_found')
  return row
}

/** A package of a product that the caller may change, and not only sees. @throws AppError scope.outside */
async function changeable(scope: TenantScope, id: string): Promise<repo.PackageRow> {
  const row = await existing(scope, id, true)
  if (scope.limited && !(await settings.findProduct(scope, row.productId, true))) throw new AppError('scope.outside')
  return row
}

type NewFacts = ReturnType<typeof readFacts>

/** What the form says, checked. @throws AppError firmware.delta_from, firmware.ext_invalid, firmware.signature_invalid */
function readFacts(input: Upload) {
  const kind = input.kind ?? (input.fromVersion ? 'delta' : 'full')
  const fromVersion = kind === 'delta' ? (input.fromVersion ?? null) : null
  if (kind === 'delta' && (fromVersion === null || isSameVersion(fromVersion, input.version)))
    throw new AppError('firmware.delta_from')
  const signature = input.signature ? Buffer.from(input.signature, 'base64') : null
  if (signature && signature.length !== 64) throw new AppError('firmware.signature_invalid')
  return {
    productId: input.productId,
    name: input.name,
    module: input.module ?? DEFAULT_MODULE,
    kind,
    version: input.version,
    fromVersion,
    orderNo: input.orderNo,
    signature,
    notes: input.notes ?? '',
    ext: readExt(input.ext),
  } as const
}

function readExt(text: string | undefined): Record<string, string> {
  if (text === undefined || text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('firmware.ext_invalid', { cause: error })
  }
  const isFlat =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length <= 20 &&
    Object.entries(value).every(
      ([key, each]) =>
        /^[A-Za-z0-9_.-]{1,32}$/.test(key) &&
        typeof each === 'string' &&
        each.length <= 200 &&
        !each.includes('\0') &&
        each.isWellFormed(),
    )
  if (!isFlat) throw new AppError('firmware.ext_invalid')
  return value as Record<string, string>
}

const nameOf = (row: repo.PackageRow) => `${row.name} ${row.version}`

function factsOf(row: repo.PackageRow): Record<string, unknown> {
  const { name, module, kind, version, fromVersion, orderNo, fileName, size, notes, ext } = row
  return {
    product: row.productName,
    name,
    module,
    kind,
    version,
    fromVersion,
    orderNo,
    fileName,
    size,
    sha256: row.sha256.toString('hex'),
    notes,
    ext,
  }
}

export function toPackageView(
  row: repo.PackageRow,
  uses?: { campaigns: number; devices: number },
): FirmwarePackageView {
  const { objectKey: _, sha256, signature, createdAt, updatedAt, ...plain } = row
  return {
    ...plain,
    sha256: sha256.toString('hex'),
    signature: signature?.toString('base64') ?? null,
    campaigns: uses?.campaigns ?? 0,
    devices: uses?.devices ?? 0,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

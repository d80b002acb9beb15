import type { ErrorCode } from '@thingwright/contracts/errors'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import { parseModel } from '@thingwright/thing-model'
import { type AuditRecord, recordAudits } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newDeviceSecret, sealDeviceSecret } from '../../lib/crypto/secrets.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { sanitiseSvg } from '../../lib/files/svg.ts'
import { newId, randomKey } from '../../lib/ids.ts'
import { searchIndexOf } from '../../lib/lists/search.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { RolesService } from '../roles/index.ts'
import { changeSection, checkBranding, NO_BRANDING, type QuotaGuard, readSettings } from '../tenants/index.ts'
import { asCaller, type Beyond, refuseBeyond } from './import-rights.ts'
import { bindToGateways, writeDeviceSettings, writeSettings } from './product-settings.repo.ts'
import type { DeviceLine, GroupLine, ProductLine, RoleLine, SettingsLine } from './rows.ts'
import * as repo from './transfer.repo.ts'

export interface KindCount {
  created: number
  replaced: number
  kept: number
}

export interface ImportState {
  existing: 'keep' | 'replace'
  /** Ids in the file → ids in this company. */
  groups: Map<string, string>
  products: Map<string, { id: string; num: number; productKey: string; fileKey: string }>
  /** Cloud pages by their ids in the file. */
  pages: Map<string, string>
  /** Materials by their ids in the file. */
  materials: Map<string, string>
  /** Geofences by their ids in the file. */
  fences: Map<string, string>
  /** Entries of further kinds, by kind and their ids in the file. */
  further: Map<string, string>
  quotas: QuotaGuard
  /** Whoever brings them in, with his rights and scope. */
  ctx: Ctx
  roles: Pick<RolesService, 'bring'>
  beyond: Beyond
  /** Seals device secrets at home. */
  secrets: CryptoBox
  /** Opens those of the file; null: devices get new ones. */
  opened: CryptoBox | null
  /** Gives access tokens to devices of these products that speak with nothing else and have none. */
  giveTokens(scope: TenantScope, productIds: readonly string[]): Promise<void>
  /** Something a person should know of, that is no failure. */
  note(item: string, code: ErrorCode, params: Record<string, unknown>): void
  /** Products whose devices are to be looked at again. */
  changedProducts: Set<number>
  onRow(): void
}

type Rows<T> = AsyncIterable<T>

const BINDINGS_AT_ONCE = 1_000
const LINES_AT_ONCE = 1_000

export const none = (): KindCount => ({ created: 0, replaced: 0, kept: 0 })
const missing = (reference: string) => new AppError('transfer.reference_missing', { params: { reference } })

const LOCK_TENANTS = sql<{ settings: unknown }>`select settings from tenants where id = $1 for update`

const UPDATE_TENANTS = sql`update tenants set settings = $2, time_zone = $3, contact_name = $4, contact_phone = $5, contact_email = $6, industry = $7,
  region = $8, branding = $9, version = version + 1, updated_at = now() where id = $1`

export async function importSettings(
  scope: TenantScope,
  rows: Rows<SettingsLine>,
  state: ImportState,
): Promise<KindCount> {
  const count = none()
  for await (const { retention, branding, ...profile } of rows) {
    state.onRow()
    if (state.existing === 'keep') {
      count.kept++
      continue
    }
    const { rows: stored } = await scope.run(LOCK_TENANTS, [scope.tenantId])
    const settings = readSettings(stored[0]?.settings)
    const next = { ...settings, retention: changeSection('retention', settings.retention, retention) }
    await scope.run(UPDATE_TENANTS, [
      scope.tenantId,
      JSON.stringify(next),
      checkTimeZone(profile.timeZone),
      profile.contactName,
      profile.contactPhone,
      profile.contactEmail,
      profile.industry,
      profile.region,
      JSON.stringify(checkBranding({ ...NO_BRANDING, ...textsOf(branding) })),
    ])
    await recordAudits(scope, state.ctx, [lineOf('company', 'replaced', { id: scope.tenantId, name: '' })])
    count.replaced++
  }
  return count
}

export async function importGroups(scope: TenantScope, rows: Rows<GroupLine>, state: ImportState): Promise<KindCount> {
  const entries = { itemOf: nameOf, objectType: 'group' }
  return eachEntry(scope, rows, state, entries, async ({ id, ...line }, count) => {
    const parentId = line.parentId === null ? null : state.groups.get(line.parentId)
    // What stands below a group that was refused is refused with it.
    if (parentId === undefined) throw state.beyond.count > 0 ? new AppError('scope.outside') : missing(line.parentId!)
    const group = { ...line, parentId }
    let found = await repo.findGroup(scope, group)
    const made = newId()
    if (!found && !(await repo.insertGroup(scope, made, group))) {
      // A person, or a table of devices, was quicker; or it is there and not for the caller's eyes.
      found = await repo.findGroup(scope, group)
      if (!found) throw new AppError('group.name_taken', { params: { name: group.name } })
    }
    const own = found ?? made
    state.groups.set(id, own)
    count(found ? 'kept' : 'created', { id: own, name: group.name })
  })
}

export const nameOf = ({ name }: { name: string }) => name

interface Entries<T> {
  itemOf(row: T): string
  /** What the operation log calls an entry; absent: whoever writes it leaves the line too. */
  objectType?: string
  always?: boolean
}

type Count = (what: keyof KindCount, entry?: { id: string; name: string }) => void

/** The line of one entry, as somebody would leave it who made the change by hand. */
export function lineOf(objectType: string, what: 'created' | 'replaced', { id, name }: { id: string; name: string }) {
  const action = `${objectType}.${what === 'created' ? 'create' : 'update'}`
  return { action, objectType, objectId: id, objectName: name, after: { by: 'company.import' } } satisfies AuditRecord
}

/**
 * All entries of a kind. A caller who sees a part of the company only, and whoever brings in roles, is told every entry
 * that he may not bring in; to all others nothing can be refused that would not end the kind.
 */
export async function eachEntry<T>(
  scope: TenantScope,
  rows: Rows<T>,
  state: ImportState,
  { itemOf, objectType, always = false }: Entries<NoInfer<T>>,
  work: (row: T, count: Count) => Promise<void>,
): Promise<KindCount> {
  const counts = none()
  let lines: AuditRecord[] = []
  const before = state.beyond.count
  for await (const row of rows) {
    state.onRow()
    let what: keyof KindCount | undefined
    let changed: AuditRecord | undefined
    const entry = () =>
      work(row, (counted, object) => {
        what = counted
        if (counted !== 'kept' && objectType && object) changed = lineOf(objectType, counted, object)
      })
    if (scope.limited || always) await asCaller(scope, state.beyond, itemOf(row), entry)
    else await entry()
    if (what) counts[what]++
    if (changed) lines.push(changed)
    if (lines.length >= LINES_AT_ONCE) {
      await recordAudits(scope, state.ctx, lines)
      lines = []
    }
  }
  refuseBeyond(state.beyond, before)
  await recordAudits(scope, state.ctx, lines)
  return counts
}

/** For what is not brought in itself: where its groups and products are already, others are found by them. */
export async function findExisting(
  scope: TenantScope,
  groups: Rows<GroupLine> | null,
  products: Rows<ProductLine> | null,
  state: ImportState,
): Promise<void> {
  if (groups)
    for await (const { id, ...line } of groups) {
      const parentId = line.parentId === null ? null : state.groups.get(line.parentId)
      const found = parentId === undefined ? undefined : await repo.findGroup(scope, { ...line, parentId })
      if (found) state.groups.set(id, found)
    }
  if (products)
    for await (const line of products) {
      const found = await repo.findProduct(scope, line)
      if (found) state.products.set(line.id, { ...found, fileKey: line.productKey })
    }
}

export async function importRoles(scope: TenantScope, rows: Rows<RoleLine>, state: ImportState): Promise<KindCount> {
  const known = new Set<string>(PERMISSIONS)
  const bring = async (line: RoleLine, count: Count) => {
    const done = await state.roles.bring(
      scope,
      state.ctx,
      {
        ...line,
        // Words of another version mean nothing here; those that mean something are held against the caller's own.
        permissions: line.permissions.filter(word => known.has(word)),
        dataScope: dataScopeOf(line, state),
      },
      state.existing,
    )
    count(done ?? 'kept')
  }
  return eachEntry(scope, rows, state, { itemOf: nameOf, always: true }, bring)
}

function dataScopeOf({ dataScope: { kind, groupIds, productIds } }: RoleLine, state: ImportState): RoleDataScope {
  if (kind === 'groups') return { kind, groupIds: (groupIds ?? []).map(id => state.groups.get(id) ?? fail(id)) }
  if (kind === 'products')
    return { kind, productIds: (productIds ?? []).map(id => state.products.get(id)?.id ?? fail(id)) }
  return { kind }
}

export async function importProducts(
  scope: TenantScope,
  rows: Rows<ProductLine>,
  state: ImportState,
): Promise<KindCount> {
  const replaced: string[] = []
  const entries = { itemOf: nameOf, objectType: 'product' }
  const counts = await eachEntry(scope, rows, state, entries, async ({ id, ...line }, count) => {
    const groupId = line.groupId === null ? null : (state.groups.get(line.groupId) ?? null)
    const draft = modelOf(line.draftModel, line.name)
    const published = line.publishedModel === null ? null : modelOf(line.publishedModel, line.name)
    const product = {
      ...line,
      groupId,
      draftModel: draft,
      publishedModel: published,
      icon: line.icon === '' ? '' : (sanitiseSvg(line.icon) ?? ''),
      format: { kind: 'json' },
    }
    const found = await repo.findProduct(scope, line)
    if (found && state.existing === 'keep') count('kept')
    else if (found) {
      if (!(await repo.replaceProduct(scope, found.id, product))) throw new AppError('scope.outside')
      state.changedProducts.add(found.num)
      replaced.push(found.id)
      count('replaced', { id: found.id, name: line.name })
    }
    if (found) state.products.set(id, { ...found, fileKey: line.productKey })
    else {
      await state.quotas.hold(scope, 'products')
      const own = newId()
      count('created', { id: own, name: line.name })
      let productKey = line.productKey
      let made = await repo.insertProduct(scope, own, product)
      if (!made) {
        // The key is another company's: devices that sign in with it must be told the new one.
        productKey = randomKey(11)
        made = await repo.insertProduct(scope, own, { ...product, productKey })
        state.note(line.name, 'transfer.taken', { what: line.productKey })
      }
      if (!made) throw new AppError('server.error')
      state.products.set(id, { id: own, num: made.num, productKey, fileKey: line.productKey })
    }
    const { id: productId } = state.products.get(id)!
    if (line.settings && !(found && state.existing === 'keep')) await writeSettings(scope, productId, line.settings)
    if (published && !(found && state.existing === 'keep'))
      await repo.numberProperties(
        scope,
        productId,
        published.properties.map(({ identifier }) => identifier),
      )
  })
  // Their devices may have to speak otherwise from now on.
  await state.giveTokens(scope, replaced)
  return counts
}

export async function importDevices(
  scope: TenantScope,
  rows: Rows<DeviceLine>,
  state: ImportState,
): Promise<KindCount> {
  const bindings: Parameters<typeof bindToGateways>[1][number][] = []
  const numberOf = ({ deviceNo }: DeviceLine) => deviceNo
  const entries = { itemOf: numberOf, objectType: 'device' }
  const counts = await eachEntry(scope, rows, state, entries, async (row, count) => {
    const { secret, overrides, access, subAddress, gateway, ...line } = row
    const product = state.products.get(line.productId)
    if (!product) throw missing(line.productId)
    const groupId = line.groupId === null ? null : (state.groups.get(line.groupId) ?? null)
    const found = await repo.findDevice(scope, product.id, line.deviceNo)
    if (found && (state.existing === 'keep' || found.recycled)) return count('kept')
    const { text, grams } = searchIndexOf(scope.tenantId, [line.name, line.deviceNo], line.tags)
    const id = found?.id ?? newId()
    const device = {
      ...line,
      productId: product.id,
      productNum: product.num,
      groupId,
      tags: [...new Set(line.tags)],
      searchText: text,
      searchGrams: grams,
      ...secretOf(state, id, `${product.fileKey}/${line.deviceNo}`, secret),
    }
    if (found) {
      await repo.replaceDevice(scope, id, device)
      count('replaced', { id, name: line.name })
    } else {
      await state.quotas.hold(scope, 'devices')
      await repo.insertDevice(scope, { ...device, id })
      count('created', { id, name: line.name })
    }
    if (overrides || access || subAddress !== undefined)
      await writeDeviceSettings(scope, id, {
        ...(overrides ? { overrides } : {}),
        ...(access ? { access } : {}),
        ...(subAddress === undefined ? {} : { subAddress }),
      })
    const gatewayProduct = gateway && state.products.get(gateway.productId)
    if (gateway && gatewayProduct)
      bindings.push({ id, gatewayProductId: gatewayProduct.id, gatewayNo: gateway.deviceNo })
  })
  // A gateway may stand behind its sub-devices in the file.
  for (let from = 0; from < bindings.length; from += BINDINGS_AT_ONCE)
    await bindToGateways(scope, bindings.slice(from, from + BINDINGS_AT_ONCE))
  await state.giveTokens(
    scope,
    [...state.products.values()].map(({ id }) => id),
  )
  return counts
}

function secretOf(state: ImportState, deviceId: string, context: string, sealed: string | undefined) {
  if (!state.opened || sealed === undefined) {
    const made = newDeviceSecret(state.secrets, deviceId)
    return { secretHash: made.hash, secretCipher: made.cipher }
  }
  let secret: string
  try {
    secret = state.opened.open(Buffer.from(sealed, 'base64'), context).toString('utf8')
  } catch {
    throw new AppError('transfer.file_invalid', { params: { reason: `secret of ${context}` } })
  }
  const kept = sealDeviceSecret(state.secrets, deviceId, secret)
  return { secretHash: kept.hash, secretCipher: kept.cipher }
}

function modelOf(value: unknown, name: string) {
  const parsed = parseModel(value)
  if (parsed.ok) return parsed.model
  throw new AppError('product.model_invalid', { params: { count: parsed.problems.length, name } })
}

function textsOf(branding: Record<string, unknown>) {
  const text = (key: string, max: number) => (typeof branding[key] === 'string' ? branding[key].slice(0, max) : '')
  const colour =
    typeof branding.colour === 'string' && /^#[0-9a-fA-F]{6}$/.test(branding.colour) ? branding.colour : null
  return { title: text('title', 32), titleEn: text('titleEn', 48), logo: text('logo', 140_000), colour }
}

function checkTimeZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name
  } catch {
    throw new AppError('company.time_zone_unknown', { params: { timeZone: name } })
  }
}

function fail(reference: string): never {
  throw missing(reference)
}

import type { ImportField, ImportOptions } from '@thingwright/contracts/device-imports.contract'
import { recordAudits } from '../../../lib/audit.ts'
import type { Ctx } from '../../../lib/context.ts'
import type { CryptoBox } from '../../../lib/crypto/crypto-box.ts'
import { newAccessToken } from '../../../lib/crypto/device-credentials.ts'
import { newDeviceSecret } from '../../../lib/crypto/secrets.ts'
import type { Database, TenantScope } from '../../../lib/database/database.ts'
import { AppError, isAppError } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { NumberedRow } from '../../../lib/table-import/table.ts'
import type { ProductsService } from '../../products/index.ts'
import type { QuotaGuard } from '../../tenants/index.ts'
import { giveTokensWhereWanted } from '../device-token.repo.ts'
import { searchColumns } from '../devices.service.ts'
import type { GatewayPort } from '../gateway.port.ts'
import * as repo from './device-imports.repo.ts'
import type { GroupPaths } from './group-paths.ts'
import { type DeviceLine, type Problem, readLine } from './read-line.ts'

export interface ImportTools {
  database: Database
  gateway: Pick<GatewayPort, 'forget'>
  products: Pick<ProductsService, 'holdPublished'>
  quotas: QuotaGuard
  /** Seals device secrets. */
  secrets: CryptoBox
  /** Gives devices to end users; absent: there are none. */
  customers?: DeviceCustomers
}

/** Finds the owner named in the column `user`; answered by the module of end users. */
export interface DeviceCustomers {
  /** By user name, else by the name if it is one person's; null: nobody whom the caller may see. */
  find(scope: TenantScope, text: string): Promise<string | null>
  /** @throws AppError end_user.quota_exceeded and what else a hand-over refuses */
  assign(scope: TenantScope, ctx: Ctx, userId: string, deviceIds: readonly string[]): Promise<void>
}

interface Wanted {
  line: number
  device: DeviceLine
  product: repo.ProductChoice
  groupId: string | null | undefined
}

/** Undoes a part of a trial. */
const UNDO = new Error('a trial changes nothing')

/** One run over a table of devices: what it must remember from part to part. */
export class DeviceImport {
  /** Line of each number met so far. */
  private readonly seen = new Map<string, number>()
  private readonly byName = new Map<string, repo.ProductChoice[]>()
  private readonly byKey = new Map<string, repo.ProductChoice>()
  private full = false
  private trialCreated = 0
  usersIgnored = 0

  constructor(
    private readonly tools: ImportTools,
    private readonly ctx: Ctx,
    private readonly importId: string,
    private readonly options: ImportOptions & { decimalComma?: boolean },
    products: readonly repo.ProductChoice[],
    private readonly groups: GroupPaths,
  ) {
    for (const product of products) {
      this.byKey.set(product.productKey, product)
      this.byKey.set(product.id, product)
      this.byName.set(product.name, [...(this.byName.get(product.name) ?? []), product])
    }
  }

  /** A part of the table: its devices, its failures and that it is behind the import, in one transaction. */
  async part(rows: readonly NumberedRow[]): Promise<repo.PartResult> {
    const failed: repo.FailedLine[] = []
    const wanted: Wanted[] = []
    for (const { number: line, cells } of rows) {
      const read = readLine(cells, this.options.columns as (ImportField | null)[], this.options.decimalComma)
      const problems = read.ok ? await this.place(line, read.line, wanted) : read.problems
      if (problems.length > 0) failed.push({ line, problems })
    }
    const result = await this.write(wanted)
    result.failed.unshift(...failed)
    result.failed.sort((a, b) => a.line - b.line)
    await this.tools.database.withTenant(this.ctx, scope =>
      repo.addPart(scope, this.importId, rows[0]!.number, rows.length, result, this.options.dryRun),
    )
    return result
  }

  /** Finds product and group of a line. */
  private async place(line: number, device: DeviceLine, wanted: Wanted[]): Promise<Problem[]> {
    if (device.user !== undefined && !this.givesAway) this.usersIgnored++
    const product = this.productOf(device)
    if ('code' in product) return [product]
    const key = `${product.id}/${device.deviceNo}`
    const earlier = this.seen.get(key)
    if (earlier !== undefined && earlier !== line)
      return [{ field: 'deviceNo', code: 'import.duplicate', params: { line: earlier } }]
    this.seen.set(key, line)
    let groupId: string | null | undefined
    try {
      groupId = device.groupPath ? await this.groups.find(device.groupPath) : undefined
    } catch (error) {
      // Too deep, or outside what the caller may touch: one line's matter.
      if (!isAppError(error)) throw error
      return [{ field: 'group', code: error.code, params: error.params }]
    }
    if (groupId === null && !this.groups.pretends)
      return [{ field: 'group', code: 'import.group_unknown', params: { value: device.groupPath!.join('/') } }]
    wanted.push({ line, device, product, groupId })
    return []
  }

  /** Whether the caller may say whose devices are; else that column is counted and left. */
  private get givesAway(): boolean {
    const { actor } = this.ctx
    return this.tools.customers !== undefined && (actor.kind === 'system' || actor.permissions.has('end-user:write'))
  }

  /** Ids of the people whom lines name; lines that name nobody are told apart. */
  private async customersOf(scope: TenantScope, wanted: readonly Wanted[], result: repo.PartResult) {
    const ids = new Map<string, string | null>()
    if (!this.givesAway) return { ids, known: wanted }
    for (const { device } of wanted)
      if (device.user !== undefined && !ids.has(device.user))
        ids.set(device.user, await this.tools.customers!.find(scope, device.user))
    const known = wanted.filter(({ line, device }) => {
      if (device.user === undefined || ids.get(device.user)) return true
      result.failed.push({
        line,
        problems: [{ field: 'user', code: 'import.invalid', params: { value: device.user } }],
      })
      return false
    })
    return { ids, known }
  }

  private productOf({ product: text }: DeviceLine): repo.ProductChoice | Problem {
    const wanted = text ?? this.options.productId ?? undefined
    if (wanted === undefined) return { field: 'product', code: 'import.required' }
    const known = this.byKey.get(wanted)
    if (known) return known
    const named = this.byName.get(wanted) ?? []
    if (named.length === 1) return named[0]!
    const code = named.length === 0 ? 'import.product_unknown' : 'import.product_ambiguous'
    return { field: 'product', code, params: { value: wanted } }
  }

  /** All at once; where that does not work, line by line, so that one line costs only itself. */
  private async write(wanted: readonly Wanted[]): Promise<repo.PartResult> {
    if (wanted.length === 0) return { created: [], updated: 0, skipped: 0, failed: [] }
    try {
      return await this.attempt(wanted)
    } catch (error) {
      if (!isAppError(error)) throw error
      if (wanted.length === 1) {
        if (error.code === 'quota.exceeded') this.full = true
        return {
          created: [],
          updated: 0,
          skipped: 0,
          failed: [{ line: wanted[0]!.line, problems: [{ field: 'line', code: error.code, params: error.params }] }],
        }
      }
    }
    const all: repo.PartResult = { created: [], updated: 0, skipped: 0, failed: [] }
    for (const each of wanted) {
      const { created, updated, skipped, failed } = await this.write([each])
      all.created.push(...created)
      all.updated += updated
      all.skipped += skipped
      all.failed.push(...failed)
    }
    return all
  }

  private async attempt(wanted: readonly Wanted[]): Promise<repo.PartResult> {
    let result: repo.PartResult | undefined
    try {
      await this.tools.database.withTenant(this.ctx, async scope => {
        result = await this.change(scope, wanted)
        if (this.options.dryRun) throw UNDO
      })
    } catch (error) {
      if (error !== UNDO) throw error
      // What a trial would have made counts for the quota of its next part.
      this.trialCreated += result!.created.length
    }
    return result!
  }

  private async change(scope: TenantScope, all: readonly Wanted[]): Promise<repo.PartResult> {
    const result: repo.PartResult = { created: [], updated: 0, skipped: 0, failed: [] }
    const { ids: customers, known: wanted } = await this.customersOf(scope, all, result)
    const given = new Map<string, string[]>()
    const give = ({ device }: Wanted, id: string) => {
      const to = device.user === undefined ? null : customers.get(device.user)
      if (to) given.set(to, [...(given.get(to) ?? []), id])
    }
    for (const id of new Set(wanted.map(({ product }) => product.id)))
      await this.tools.products.holdPublished(scope, id)
    const there = new Map(
      (
        await repo.lockByNumber(
          scope,
          wanted.map(({ product, device }) => ({ productId: product.id, deviceNo: device.deviceNo })),
        )
      ).map(device => [`${device.productId}/${device.deviceNo}`, device]),
    )
    const make: (Wanted & { row: repo.DeviceToMake })[] = []
    const write: { before: repo.ExistingDevice; row: repo.DeviceToWrite; wanted: Wanted }[] = []
    for (const each of wanted) {
      const before = there.get(`${each.product.id}/${each.device.deviceNo}`)
      if (!before && this.full)
        result.failed.push({
          line: each.line,
          problems: [{ field: 'line', code: 'quota.exceeded', params: { kind: 'devices' } }],
        })
      else if (!before) make.push({ ...each, row: this.newDevice(scope, each) })
      else if (before.lifecycle === 'recycled')
        result.failed.push({ line: each.line, problems: [{ field: 'deviceNo', code: 'device.recycled' }] })
      else if (this.options.existing === 'skip') result.skipped++
      else {
        const row = changed(scope, before, each)
        give(each, row.id)
        if (same(before, row)) result.skipped++
        else write.push({ before, row, wanted: each })
      }
    }
    if (make.length > 0) await this.tools.quotas.hold(scope, 'devices', make.length + this.trialCreated)
    const made = new Map(
      (
        await repo.insertDevices(
          scope,
          make.map(({ row }) => row),
        )
      ).map(({ id, num }) => [id, num]),
    )
    if (made.size > 0) {
      const products = [...new Set(make.map(({ product }) => product.id))]
      await giveTokensWhereWanted(scope, products, id => newAccessToken(this.tools.secrets, id))
    }
    for (const { line, row } of make) {
      const num = made.get(row.id)
      if (num !== undefined) result.created.push(num)
      // It is there, but not for the caller's eyes.
      else
        result.failed.push({
          line,
          problems: [{ field: 'deviceNo', code: 'device.number_taken', params: { deviceNo: row.deviceNo } }],
        })
    }
    await repo.updateDevices(
      scope,
      write.map(({ row }) => row),
    )
    for (const each of make) if (made.has(each.row.id)) give(each, each.row.id)
    for (const [to, ids] of given) await this.tools.customers!.assign(scope, this.ctx, to, ids)
    result.updated = write.length
    await recordAudits(scope, this.ctx, [
      ...make
        .filter(({ row }) => made.has(row.id))
        .map(({ row, product }) => ({
          action: 'device.create',
          objectType: 'device',
          objectId: row.id,
          objectName: row.name,
          after: { ...facts(row), productKey: product.productKey, import: this.importId },
        })),
      ...write.map(({ before, row }) => ({
        action: 'device.update',
        objectType: 'device',
        objectId: row.id,
        objectName: row.name,
        before: facts(before),
        after: { ...facts(row), import: this.importId },
      })),
    ])
    scope.afterCommit(() => {
      for (const num of result.created) this.tools.gateway.forget({ device: num })
      for (const { before } of write) this.tools.gateway.forget({ device: before.num })
    })
    return result
  }

  private newDevice(scope: TenantScope, { device, product, groupId }: Wanted): repo.DeviceToMake {
    const id = newId()
    const { hash, cipher } = newDeviceSecret(this.tools.secrets, id)
    const name = device.name ?? device.deviceNo
    const tags = device.tags ?? []
    return {
      id,
      productId: product.id,
      productNum: product.num,
      deviceNo: device.deviceNo,
      name,
      groupId: groupId ?? null,
      tags,
      attributes: device.attributes ?? [],
      description: device.description ?? '',
      location: device.location ?? null,
      offlineDelaySeconds: device.offlineDelaySeconds ?? null,
      ...searchColumns(scope, { name, deviceNo: device.deviceNo, tags }),
      secretHash: hash,
      secretCipher: cipher,
    }
  }
}

/** The device with what the line says; what it does not say stays. */
function changed(
  scope: TenantScope,
  before: repo.ExistingDevice,
  { device, product, groupId }: Wanted,
): repo.DeviceToWrite {
  const name = device.name ?? before.name
  const tags = device.tags ?? before.tags
  return {
    id: before.id,
    productId: before.productId,
    productNum: product.num,
    deviceNo: before.deviceNo,
    name,
    groupId: groupId === undefined ? before.groupId : groupId,
    tags,
    attributes: device.attributes ?? before.attributes,
    description: device.description ?? before.description,
    location: device.location ?? before.location,
    offlineDelaySeconds: device.offlineDelaySeconds ?? before.offlineDelaySeconds,
    ...searchColumns(scope, { name, deviceNo: before.deviceNo, tags }),
  }
}

function facts(device: repo.DeviceToWrite | repo.ExistingDevice): Record<string, unknown> {
  const { deviceNo, name, groupId, tags, attributes, description, location, offlineDelaySeconds } = device
  return { deviceNo, name, groupId, tags, attributes, description, location, offlineDelaySeconds }
}

function same(before: repo.ExistingDevice, after: repo.DeviceToWrite): boolean {
  const place = ({ location }: { location: { lng: number; lat: number; address?: string } | null }) =>
    location && [location.lng, location.lat, location.address ?? '']
  const [a, b] = [before, after].map(each => JSON.stringify({ ...facts(each), location: place(each) }))
  return a === b
}

/** @throws AppError import.mapping_invalid */
export function checkColumns(columns: readonly (string | null)[]): void {
  const used = columns.filter(field => field !== null)
  if (!used.includes('deviceNo')) throw new AppError('import.mapping_invalid', { params: { reason: 'deviceNo' } })
  const twice = used.find((field, at) => used.indexOf(field) !== at)
  if (twice !== undefined) throw new AppError('import.mapping_invalid', { params: { reason: twice } })
}

import type { AddressView, ParsedAddress } from '@thingwright/contracts/addresses.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './addresses.repo.ts'
import { parseAddress } from './parse-address.ts'
import { normalisePhone } from './phone.ts'
import { isRegion, REGIONS, type Region } from './regions.ts'

/** More than this nobody finds again in a list. */
export const MAX_ADDRESSES = 20

export interface AddressInput {
  receiver: string
  phone: string
  province: string
  city: string
  district: string
  detail: string
  zip?: string
}

export interface AddressesService {
  list(ctx: Ctx): Promise<{ items: AddressView[]; limit: number }>
  regions(): { items: Region[] }
  parse(text: string): ParsedAddress
  /** @throws AppError address.too_many, address.phone_invalid, address.region_unknown */
  create(ctx: Ctx, input: AddressInput & { isDefault?: boolean }): Promise<AddressView>
  /** @throws AppError address.not_found, version.conflict and those of create */
  update(
    ctx: Ctx,
    id: string,
    input: Partial<AddressInput> & { version: number; isDefault?: true },
  ): Promise<AddressView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createAddressesService(database: Database): AddressesService {
  return {
    list: ctx =>
      database.withTenant(ctx, async scope => ({
        items: (await repo.allAddresses(scope)).map(toView),
        limit: MAX_ADDRESSES,
      })),

    regions: () => ({ items: [...REGIONS] }),

    parse: parseAddress,

    async create(ctx, { isDefault = false, ...input }) {
      const facts = checked({ zip: '', ...input })
      return database.withTenant(ctx, async scope => {
        await repo.lockAddresses(scope)
        const all = await repo.allAddresses(scope)
        if (all.length >= MAX_ADDRESSES) throw new AppError('address.too_many', { params: { limit: MAX_ADDRESSES } })
        const id = newId(ctx.now)
        await repo.insertAddress(scope, id, facts)
        if (isDefault || all.length === 0) await repo.setDefault(scope, id)
        const row = await existing(scope, id)
        await audit(scope, ctx, 'address.create', null, row)
        return toView(row)
      })
    },

    update: (ctx, id, { version, isDefault, ...input }) =>
      database.withTenant(ctx, async scope => {
        await repo.lockAddresses(scope)
        const before = await existing(scope, id)
        if (before.version !== version) throw new AppError('version.conflict', { params: { current: toView(before) } })
        await repo.updateAddress(scope, id, checked({ ...factsOf(before), ...input }))
        if (isDefault) await repo.setDefault(scope, id)
        const row = await existing(scope, id)
        await audit(scope, ctx, 'address.update', before, row)
        return toView(row)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await repo.lockAddresses(scope)
        const row = await existing(scope, id)
        await repo.deleteAddress(scope, id)
        const [newest] = await repo.allAddresses(scope)
        if (row.is_default && newest) await repo.setDefault(scope, newest.id)
        await audit(scope, ctx, 'address.remove', row, null)
        return { ok: true }
      }),
  }
}

/** @throws AppError address.not_found also for another company's */
async function existing(scope: TenantScope, id: string): Promise<repo.AddressRow> {
  const row = (await repo.allAddresses(scope)).find(address => address.id === id)
  if (!row) throw new AppError('address.not_found')
  return row
}

/** One form of the phone and no outer blanks. @throws AppError request.validation with the fields that are wrong */
function checked(input: Required<AddressInput>): repo.AddressFacts {
  const facts = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, value.normalize('NFC').trim()]),
  ) as unknown as repo.AddressFacts
  const fields: Record<string, { code: string; params?: Record<string, unknown> }> = {}
  for (const key of ['receiver', 'district', 'detail'] as const)
    if (facts[key] === '') fields[key] = { code: 'field.required' }
  const phone = normalisePhone(facts.phone)
  if (phone === null) fields.phone = { code: 'address.phone_invalid' }
  if (!isRegion(facts.province, facts.city))
    fields.city = { code: 'address.region_unknown', params: { province: facts.province, city: facts.city } }
  if (Object.keys(fields).length > 0)
    throw new AppError('request.validation', { params: { count: Object.keys(fields).length }, fields })
  return { ...facts, phone: phone! }
}

function factsOf(row: repo.AddressRow): Required<AddressInput> {
  const { receiver, phone, province, city, district, detail, zip } = row
  return { receiver, phone, province, city, district, detail, zip }
}

function audit(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  before: repo.AddressRow | null,
  after: repo.AddressRow | null,
): Promise<void> {
  const row = (after ?? before)!
  const facts = (address: repo.AddressRow | null) => address && { ...factsOf(address), isDefault: address.is_default }
  return recordAudit(scope, ctx, {
    action,
    objectType: 'address',
    objectId: row.id,
    objectName: row.receiver,
    before: facts(before),
    after: facts(after),
  })
}

function toView(row: repo.AddressRow): AddressView {
  return {
    id: row.id,
    ...factsOf(row),
    isDefault: row.is_default,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

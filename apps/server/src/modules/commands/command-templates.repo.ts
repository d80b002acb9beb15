import type { TemplateBody } from '@thingwright/contracts/command-schemas'
import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface TemplateRow {
  id: string
  productId: string
  code: string
  name: string
  description: string
  body: TemplateBody
  place: number
  version: number
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = part`id, product_id as "productId", code, name, description, body, place, version, created_at as "createdAt",
  updated_at as "updatedAt"`

const LIST_TEMPLATES = sql<TemplateRow>`select ${COLUMNS} from command_templates where product_id = $1 order by place, id`

export async function listTemplates(scope: TenantScope, productId: string): Promise<TemplateRow[]> {
  const { rows } = await scope.run(LIST_TEMPLATES, [productId])
  return rows
}

const TEMPLATE_BY_ID = sql<TemplateRow>`select ${COLUMNS} from command_templates where id = $1`

export async function templateById(scope: Pick<TenantScope, 'run'>, id: string): Promise<TemplateRow | null> {
  const { rows } = await scope.run(TEMPLATE_BY_ID, [id])
  return rows[0] ?? null
}

const TEMPLATE_BY_CODE = sql<TemplateRow>`select ${COLUMNS} from command_templates where product_id = $1 and code = $2`

export async function templateByCode(scope: TenantScope, productId: string, code: string): Promise<TemplateRow | null> {
  const { rows } = await scope.run(TEMPLATE_BY_CODE, [productId, code])
  return rows[0] ?? null
}

const UPDATE_COMMAND_TEMPLATES = sql`update command_templates set place = place + 1 where product_id = $1 and place > $2`

const INSERT_COMMAND_TEMPLATES = sql<TemplateRow>`insert into command_templates (id, tenant_id, product_id, code, name, description, body, place)
  values ($1, $2, $3, $4, $5, $6, $7,
    coalesce($8::int, (select coalesce(max(place), 0) + 1 from command_templates where product_id = $3)))
  on conflict (product_id, code) do nothing returning ${COLUMNS}`

/** At the end of the list, or right behind another. Null when the code is taken. */
export async function insertTemplate(
  scope: TenantScope,
  row: Pick<TemplateRow, 'id' | 'productId' | 'code' | 'name' | 'description' | 'body'>,
  behind?: number,
): Promise<TemplateRow | null> {
  if (behind !== undefined) await scope.run(UPDATE_COMMAND_TEMPLATES, [row.productId, behind])
  const { rows } = await scope.run(INSERT_COMMAND_TEMPLATES, [
    row.id,
    scope.tenantId,
    row.productId,
    row.code,
    row.name,
    row.description,
    JSON.stringify(row.body),
    behind === undefined ? null : behind + 1,
  ])
  return rows[0] ?? null
}

const UPDATE_TEMPLATE = sql<TemplateRow>`update command_templates set code = $3, name = $4, description = $5, body = $6, version = version + 1, updated_at = now()
  where id = $1 and version = $2 returning ${COLUMNS}`

/** Null when the version has moved on. */
export async function updateTemplate(
  scope: TenantScope,
  row: Pick<TemplateRow, 'id' | 'code' | 'name' | 'description' | 'body' | 'version'>,
): Promise<TemplateRow | null> {
  const { rows } = await scope.run(UPDATE_TEMPLATE, [
    row.id,
    row.version,
    row.code,
    row.name,
    row.description,
    JSON.stringify(row.body),
  ])
  return rows[0] ?? null
}

const DELETE_TEMPLATE = sql`delete from command_templates where id = $1`

export async function deleteTemplate(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_TEMPLATE, [id])
}

const ORDER_TEMPLATES = sql`update command_templates t set place = o.place from (
    select id, row_number() over (order by array_position($2::uuid[], id) nulls last, place, id) as place
    from command_templates where product_id = $1) o
  where t.id = o.id`

/** The named templates come first, in this order; the others follow in the order they had. */
export async function orderTemplates(scope: TenantScope, productId: string, ids: readonly string[]): Promise<void> {
  await scope.run(ORDER_TEMPLATES, [productId, ids])
}

const LOCK_PRODUCT = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** Serialises what changes the templates of a product. */
export async function lockProduct(scope: TenantScope, productId: string): Promise<void> {
  await holdOwnProduct(scope, productId)
  await scope.run(LOCK_PRODUCT, [`command-templates:${productId}`])
}

const SELECT_PRODUCTS = sql`select 1 from products where id = $1`

const LOCK_PRODUCTS = sql`select 1 from products where id = $1 for share`

/**
 * A product that is only seen, because a device inside the caller's scope is of it, is not changed: what is sent by its
 * templates and schedules goes to its other devices too.
 * @throws AppError scope.outside
 */
export async function holdOwnProduct(scope: TenantScope, productId: string): Promise<void> {
  if (!scope.limited) return
  const seen = await scope.run(SELECT_PRODUCTS, [productId])
  // Whoever holds a row must be allowed to change it.
  const own = await scope.run(LOCK_PRODUCTS, [productId])
  if (seen.rowCount === 1 && own.rowCount === 0) throw new AppError('scope.outside')
}

export function toTemplateView(row: TemplateRow): CommandTemplateView {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}

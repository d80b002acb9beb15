import type { ThingModel } from '@thingwright/thing-model'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface VersionRow {
  number: number
  note: string
  publishedAt: Date
  publishedBy: string | null
  restoredFrom: number | null
  properties: number
  events: number
  services: number
}

/** Versions kept of one product; beyond them the oldest go. */
export const KEPT_VERSIONS = 200

const COLUMNS = part`number, note, published_at as "publishedAt", published_by as "publishedBy", restored_from as "restoredFrom",
  jsonb_array_length(model -> 'properties') as properties, jsonb_array_length(model -> 'events') as events,
  jsonb_array_length(model -> 'services') as services`

const INSERT_PRODUCT_MODEL_VERSIONS = sql`insert into product_model_versions (product_id, number, tenant_id, model, note, published_by, restored_from)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (product_id, number) do update set published_by = excluded.published_by, note = excluded.note`

const DELETE_PRODUCT_MODEL_VERSIONS = sql`delete from product_model_versions where product_id = $1 and number <= $2`

/** Keeps what was published, with note and person. The number is the product's model version. */
export async function insertVersion(
  scope: TenantScope,
  version: {
    productId: string
    number: number
    model: ThingModel
    note: string
    publishedBy: string | null
    restoredFrom: number | null
  },
): Promise<void> {
  await scope.run(INSERT_PRODUCT_MODEL_VERSIONS, [
    version.productId,
    version.number,
    scope.tenantId,
    JSON.stringify(version.model),
    version.note,
    version.publishedBy,
    version.restoredFrom,
  ])
  await scope.run(DELETE_PRODUCT_MODEL_VERSIONS, [version.productId, version.number - KEPT_VERSIONS])
}

const LIST_VERSIONS = sql<VersionRow>`select ${COLUMNS} from product_model_versions where product_id = $1 and ($2::int is null or number < $2)
  order by number desc limit $3`

/** Newest first. @param before versions below this number; null: from the newest */
export async function listVersions(
  scope: TenantScope,
  productId: string,
  before: number | null,
  limit: number,
): Promise<VersionRow[]> {
  const { rows } = await scope.run(LIST_VERSIONS, [productId, before, limit])
  return rows
}

const FIND_VERSION = sql<
  VersionRow & { model: ThingModel }
>`select ${COLUMNS}, model from product_model_versions where product_id = $1 and number = $2`

export async function findVersion(
  scope: TenantScope,
  productId: string,
  number: number,
): Promise<(VersionRow & { model: ThingModel }) | undefined> {
  const { rows } = await scope.run(FIND_VERSION, [productId, number])
  return rows[0]
}

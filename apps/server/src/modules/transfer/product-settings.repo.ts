import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import type { ProductSettings } from './product-settings.ts'

const unlessEmpty = (key: SqlPart, value: SqlPart) =>
  part`case when coalesce(${value}, '{}') in ('{}', '[]') then '{}'::jsonb else jsonb_build_object(${key}, ${value}) end`

/** {@link ProductSettings} of the row `products`, as one JSON value. */
export const SETTINGS = part`jsonb_build_object('format', format, 'registration', registration)
  || ${unlessEmpty(part`'link'`, part`link - 'port'`)}
  || ${unlessEmpty(part`'dialects'`, part`dialects`)}
  || jsonb_build_object('unknownKeys', unknown_keys, 'lenientTypes', lenient_types, 'badValues', bad_values)
  || ${unlessEmpty(part`'subDevicePresence'`, part`sub_devices -> 'presence'`)}
  || ${unlessEmpty(part`'samples'`, part`format_samples`)}
  || ${unlessEmpty(part`'access'`, part`access`)}
  || ${unlessEmpty(part`'commandRules'`, part`command_rules`)}
  || ${unlessEmpty(
    part`'templates'`,
    part`(select jsonb_agg(jsonb_build_object('code', t.code, 'name', t.name, 'description', t.description,
       'place', t.place, 'body', t.body) order by t.place, t.id) from command_templates t where t.product_id = products.id)`,
  )}`

const UPDATE_PRODUCTS = sql`update products set format = coalesce($2::jsonb, format), link = coalesce($3::jsonb, link),
    dialects = coalesce($4::jsonb, dialects), format_samples = coalesce($5::jsonb, format_samples),
    registration = coalesce($6, registration), access = coalesce($7::jsonb, access),
    command_rules = coalesce($8::jsonb, command_rules), command_rules_version = command_rules_version + 1,
    sub_devices = case when $9::text is null then sub_devices else sub_devices || jsonb_build_object('presence', $9::text) end,
    unknown_keys = coalesce($10, unknown_keys),
    lenient_types = case when $11::jsonb is null then lenient_types else ($11::jsonb ->> 0)::boolean end,
    bad_values = coalesce($12, bad_values)
  where id = $1`

const INSERT_COMMAND_TEMPLATES = sql`insert into command_templates (id, tenant_id, product_id, code, name, description, place, body)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (product_id, code) do update set name = excluded.name, description = excluded.description,
    place = excluded.place, body = excluded.body, version = command_templates.version + 1, updated_at = now()`

/** Writes what the file says of a product's settings; what it does not say stays. */
export async function writeSettings(scope: TenantScope, productId: string, settings: ProductSettings): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  await scope.run(UPDATE_PRODUCTS, [
    productId,
    json(settings.format),
    json(settings.link),
    json(settings.dialects),
    json(settings.samples),
    settings.registration ?? null,
    json(settings.access),
    json(settings.commandRules),
    settings.subDevicePresence ?? null,
    settings.unknownKeys ?? null,
    settings.lenientTypes === undefined ? null : JSON.stringify([settings.lenientTypes]),
    settings.badValues ?? null,
  ])
  for (const { code, name, description, place, body } of settings.templates ?? [])
    await scope.run(INSERT_COMMAND_TEMPLATES, [
      newId(),
      scope.tenantId,
      productId,
      code,
      name,
      description,
      place,
      JSON.stringify(body),
    ])
}

export interface DeviceSettings {
  overrides?: Record<string, unknown>
  access?: Record<string, unknown>
  subAddress?: string
}

const WRITE_DEVICE_SETTINGS = sql`update devices set overrides = coalesce($2::jsonb, overrides), access = coalesce($3::jsonb, access),
  sub_address = coalesce($4, sub_address) where id = $1`

export async function writeDeviceSettings(scope: TenantScope, id: string, settings: DeviceSettings): Promise<void> {
  await scope.run(WRITE_DEVICE_SETTINGS, [
    id,
    settings.overrides ? JSON.stringify(settings.overrides) : null,
    settings.access ? JSON.stringify(settings.access) : null,
    settings.subAddress ?? null,
  ])
}

const BIND_TO_GATEWAYS = sql`update devices d set gateway = g.num
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as b (id, product_id, device_no)
  join devices g on g.product_id = b.product_id and g.device_no = b.device_no
  where d.id = b.id and g.num <> d.num`

/** Binds devices to the gateways that speak for them, both found by product and number. */
export async function bindToGateways(
  scope: TenantScope,
  bindings: readonly { id: string; gatewayProductId: string; gatewayNo: string }[],
): Promise<void> {
  await scope.run(BIND_TO_GATEWAYS, [
    bindings.map(b => b.id),
    bindings.map(b => b.gatewayProductId),
    bindings.map(b => b.gatewayNo),
  ])
}

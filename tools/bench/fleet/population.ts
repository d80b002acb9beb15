import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '../core/site.ts'
import { storedSearch } from './search-grams.ts'

interface Words {
  places: string[]
  kinds: string[]
  sites: string[]
}
export const NAMES = JSON.parse(readFileSync(join(import.meta.dirname, 'names.json'), 'utf8')) as {
  zh: Words
  en: Words
  tags: string[]
}

export interface Product {
  id: string
  num: number
}

export interface Company {
  tenantId: string
  products: Product[]
  /** Device groups, filled evenly and each with every product. */
  groups?: readonly string[]
}

/** Rows in one statement. */
const BATCH = 2_000
/** Devices that were ever connected, and of these those that are online now. */
const SEEN = 0.6
const ONLINE = 0.5

/** Name of the i-th device: half of them Chinese, half English. */
export function nameOf(i: number): string {
  const { places, kinds, sites } = i % 2 === 0 ? NAMES.zh : NAMES.en
  const number = String(i).padStart(6, '0')
  const kind = kinds[i % kinds.length]!
  const place = places[Math.floor(i / 8) % places.length]!
  const site = sites[Math.floor(i / 128) % sites.length]!
  return i % 2 === 0 ? `${place}${site}${kind}${number}` : `${place} ${site} ${kind} ${number}`
}

export function numberOf(i: number): string {
  return `D${String(i).padStart(7, '0')}`
}

/** @throws when the server stores something else for a device than we would put beside it */
export async function checkSearchColumns(site: Site, productId: string): Promise<void> {
  const tags = [NAMES.tags[0]!, NAMES.tags[4]!]
  const deviceNo = 'search.check-1'
  const name = `${nameOf(0)} ${nameOf(1)}`
  await site.api.post('/devices', { productId, deviceNo, name, tags })
  const [row] = await site.sql<{ tenant_id: string; search_text: string; search_grams: number[] }>(
    'select tenant_id, search_text, search_grams from devices where device_no = $1',
    [deviceNo],
  )
  const sorted = (grams: number[]) => JSON.stringify([...grams].sort((a, b) => a - b))
  const ours = storedSearch(row!.tenant_id, [name, deviceNo], tags)
  if (ours.text === row!.search_text && sorted(ours.grams) === sorted(row!.search_grams)) return
  throw new Error('the server stores other search columns than tools/bench/fleet/search-grams.ts: bring it up to date')
}

/** Products with one property each, made over the API. */
export async function makeProducts(site: Site, count: number): Promise<Product[]> {
  for (let i = 0; i < count; i++)
    await site.api.post('/products', {
      name: `Product ${i}`,
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'n', name: 'n', dataType: { type: 'int32' }, access: 'r' }] },
    })
  return site.sql<{ id: string; num: number }>(`select id, num from products where name like 'Product %' order by num`)
}

/** Puts devices of a company into the database with their presence. */
export async function addDevices(site: Site, company: Company, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => deviceRow(company, from + at))
    const column = <K extends keyof ReturnType<typeof deviceRow>>(key: K) => rows.map(row => row[key])
    await site.sql(
      `with made as (
         insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, activated_at, tags, group_id,
                              search_text, search_grams, secret_hash, secret_cipher, created_at)
         select gen_random_uuid(), $1, r.product, r.product_num, r.no, r.name, 'active', now(), r.tags::text[], r.group_id,
                r.text, r.grams::int4[], sha256(convert_to(r.no, 'utf8')), '\\x00'::bytea, now() - r.age * interval '1 minute'
         from unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::uuid[])
           as r (product, product_num, no, name, tags, text, grams, age, group_id)
         returning num, tenant_id, created_at)
       select count(*) from made`,
      [
        company.tenantId,
        column('product'),
        column('productNum'),
        column('no'),
        column('name'),
        column('tags'),
        column('text'),
        column('grams'),
        column('age'),
        column('group'),
      ],
    )
  }
}

/** Device groups of a company. @returns their ids */
export async function addGroups(site: Site, tenantId: string, count: number): Promise<string[]> {
  const rows = await site.sql<{ id: string }>(
    `insert into groups (id, tenant_id, kind, name)
     select gen_random_uuid(), $1, 'device', 'Group ' || i from generate_series(1, $2::int) i returning id`,
    [tenantId, count],
  )
  return rows.map(row => row.id)
}

/** A member, with the password of the installation, whose one role lets him read devices of one group only. */
export async function addLimitedMember(site: Site, tenantId: string, username: string, groupId: string): Promise<void> {
  await site.sql(
    `with role as (
       insert into roles (id, tenant_id, key, name, permissions, menu_keys, data_scope)
       values (gen_random_uuid(), $1, $2, $2, '{device:read,group:read,product:read}', '{}',
               jsonb_build_object('kind', 'groups', 'groupIds', jsonb_build_array($3::text)))
       returning id),
     login as (
       insert into logins (id, tenant_id, kind, username, password_hash)
       select gen_random_uuid(), $1, 'member', $2, password_hash from logins where username = 'admin' returning id)
     insert into login_roles (login_id, role_id, tenant_id) select login.id, role.id, $1 from login, role`,
    [tenantId, username, groupId],
  )
}

/** Presence of all devices that have none: six in ten were seen, half of these are online. */
export async function addPresence(site: Site): Promise<void> {
  await site.sql(
    `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
     select d.num, d.tenant_id, case when random() < $2 then 'online' else 'offline' end, d.created_at,
            now() - random() * interval '30 days'
     from devices d join device_unseen u on u.device = d.num where random() < $1`,
    [SEEN, ONLINE],
  )
}

/** Companies with one product each, beside the one that is measured. */
export async function addCompanies(site: Site, count: number): Promise<Company[]> {
  const rows = await site.sql<{ tenant: string; product: string; num: number }>(
    `with made as (
       insert into tenants (id, app_id, name)
       select gen_random_uuid(), 'bench-' || i, 'Company ' || i from generate_series(1, $1::int) i returning id)
     insert into products (id, tenant_id, product_key, name, link_type, status)
     select gen_random_uuid(), id, 'bench' || row_number() over (), 'Product', 'mqtt', 'published' from made
     returning tenant_id as tenant, id as product, num`,
    [count],
  )
  return rows.map(({ tenant, product, num }) => ({ tenantId: tenant, products: [{ id: product, num }] }))
}

function deviceRow({ tenantId, products, groups = [] }: Company, i: number) {
  const product = products[i % products.length]!
  const tags = NAMES.tags.filter((_, t) => (i * 7 + t * 3) % 10 < 2)
  const no = numberOf(i)
  const name = nameOf(i)
  const { text, grams } = storedSearch(tenantId, [name, no], tags)
  return {
    product: product.id,
    productNum: product.num,
    no,
    name,
    tags: `{${tags.map(tag => `"${tag}"`).join(',')}}`,
    text,
    grams: `{${grams.join(',')}}`,
    // Minutes ago: the fleet grew over half a year.
    age: 262_800 - Math.floor((i * 262_800) / 100_000),
    group: groups[Math.floor(i / products.length) % groups.length] ?? null,
  }
}

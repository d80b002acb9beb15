import { RAW_SUFFIX } from '@thingwright/thing-model'
import type pg from 'pg'
import { runOn, sql } from '../../../lib/sql/statement.ts'

/** Which column of telemetry a property of a device belongs to. */
export interface DevicePropertyNumbers {
  /** Null: the device is gone, or only the latest value of the property is kept. */
  of(device: number, property: string): number | null
}

interface Product {
  numbers: Map<string, number>
  withoutHistory: Set<string>
}

const PROPERTY_NUMBERS = sql<{
  num: number
  product: number
}>`select num, product_num as product from devices where num = any($1::int[])`.named('store-devices')

/**
 * Numbers of the properties of these devices, for one sealing. What devices report has passed the thing model, but the
 * number of a property may still be missing (it was published this moment): it is made here.
 */
export async function propertyNumbers(
  client: pg.ClientBase,
  devices: ReadonlyMap<number, ReadonlyMap<string, unknown>>,
): Promise<DevicePropertyNumbers> {
  const { rows: owned } = await runOn(client, PROPERTY_NUMBERS, [[...devices.keys()]])
  const productOf = new Map(owned.map(({ num, product }) => [num, product]))
  const reported = new Map<number, Set<string>>()
  for (const [device, properties] of devices) {
    const product = productOf.get(device)
    if (product === undefined) continue
    const names = reported.get(product) ?? new Set()
    reported.set(product, names)
    for (const name of properties.keys()) names.add(name)
  }
  const products = new Map<number, Product>()
  for (const [product, names] of reported) {
    products.set(product, {
      numbers: await numbersOf(client, product, [...names]),
      withoutHistory: await withoutHistory(client, product),
    })
  }
  return {
    of(device, property) {
      const product = products.get(productOf.get(device) ?? -1)
      if (!product || product.withoutHistory.has(withoutSuffix(property))) return null
      return product.numbers.get(property) ?? null
    },
  }
}

const READ = sql<{
  identifier: string
  num: number
}>`select identifier, num from product_properties where product_num = $1 and identifier = any($2::text[])`.named(
  'store-properties',
)

const NUMBERS_OF = sql`insert into product_properties (product_num, identifier) select $1, unnest($2::text[]) on conflict do nothing`

async function numbersOf(client: pg.ClientBase, product: number, names: string[]): Promise<Map<string, number>> {
  const read = async () => {
    const { rows } = await runOn(client, READ, [product, names])
    return new Map(rows.map(({ identifier, num }) => [identifier, num]))
  }
  const known = await read()
  const missing = names.filter(name => !known.has(name))
  if (missing.length === 0) return known
  await runOn(client, NUMBERS_OF, [product, missing])
  return read()
}

const WITHOUT_HISTORY = sql<{
  identifier: string
}>`select p ->> 'identifier' as identifier from products, jsonb_array_elements(published_model -> 'properties') p
  where num = $1 and (p ->> 'history') = 'false'`.named('store-without-history')

async function withoutHistory(client: pg.ClientBase, product: number): Promise<Set<string>> {
  const { rows } = await runOn(client, WITHOUT_HISTORY, [product])
  return new Set(rows.map(({ identifier }) => identifier))
}

/** A raw value is kept as long and as little as the value it belongs to. */
function withoutSuffix(property: string): string {
  return property.endsWith(RAW_SUFFIX) ? property.slice(0, -RAW_SUFFIX.length) : property
}

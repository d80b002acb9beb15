import { customType, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export type Lifecycle = 'inactive' | 'active' | 'disabled' | 'recycled'

export interface DeviceLocation {
  lng: number
  lat: number
  address?: string
}

/** `num` is the key of the device path, given by the database and never reused. */
export const devices = pgTable('devices', {
  id: uuid().primaryKey(),
  num: integer().notNull().generatedAlwaysAsIdentity(),
  tenantId: uuid('tenant_id').notNull(),
  productId: uuid('product_id').notNull(),
  productNum: integer('product_num').notNull(),
  deviceNo: text('device_no').notNull(),
  name: text().notNull(),
  lifecycle: text().$type<Lifecycle>().notNull().default('inactive'),
  /** What a device in the recycle bin was before. */
  lifecycleBefore: text('lifecycle_before').$type<Lifecycle>(),
  secretHash: bytea('secret_hash').notNull(),
  secretCipher: bytea('secret_cipher').notNull(),
  previousSecretHash: bytea('previous_secret_hash'),
  /** HMAC sign-in needs the secret itself. */
  previousSecretCipher: bytea('previous_secret_cipher'),
  previousSecretUntil: time('previous_secret_until'),
  accessTokenHash: bytea('access_token_hash'),
  accessTokenCipher: bytea('access_token_cipher'),
  previousTokenHash: bytea('previous_token_hash'),
  previousTokenUntil: time('previous_token_until'),
  /** Topic rights and limits of its own (modules/device-identity). */
  access: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  /** What the device does otherwise than its product says: link settings, thing model. */
  overrides: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  /** Number of the gateway that speaks for it, and its address there. */
  gateway: integer(),
  subAddress: text('sub_address'),
  groupId: uuid('group_id'),
  tags: text().array().notNull().default([]),
  description: text().notNull().default(''),
  location: jsonb().$type<DeviceLocation>(),
  offlineDelaySeconds: integer('offline_delay_seconds'),
  searchText: text('search_text').notNull().default(''),
  searchGrams: integer('search_grams').array().notNull().default([]),
  version: integer().notNull().default(1),
  createdAt: time('created_at').notNull().defaultNow(),
  updatedAt: time('updated_at').notNull().defaultNow(),
  activatedAt: time('activated_at'),
  recycledAt: time('recycled_at'),
  /** Who made it, set by the database from the transaction's caller: the data scope "own". */
  createdBy: uuid('created_by'),
})

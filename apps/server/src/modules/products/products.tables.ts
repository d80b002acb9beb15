import type { ThingModel } from '@thingwright/thing-model'
import { boolean, customType, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Device types. `num` is the key of the device path, given by the database and never reused. */
export const products = pgTable('products', {
  id: uuid().primaryKey(),
  num: integer().notNull().generatedAlwaysAsIdentity(),
  tenantId: uuid('tenant_id').notNull(),
  productKey: text('product_key').notNull(),
  name: text().notNull(),
  description: text().notNull().default(''),
  category: text().notNull().default(''),
  icon: text().notNull().default(''),
  linkType: text('link_type').notNull(),
  nodeType: text('node_type').$type<'device' | 'gateway' | 'sub_device'>().notNull().default('device'),
  status: text().$type<'draft' | 'published'>().notNull().default('draft'),
  draftModel: jsonb('draft_model').$type<ThingModel>().notNull(),
  publishedModel: jsonb('published_model').$type<ThingModel>(),
  modelVersion: integer('model_version').notNull().default(0),
  format: jsonb().$type<Record<string, unknown>>().notNull().default({ kind: 'json' }),
  /** How devices connect, as set (contracts: LinkSettings); empty: the defaults. */
  link: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  /** TCP or UDP port of its own. */
  ownPort: integer('own_port'),
  /** Frames with what must become of them (contracts: FormatSample). */
  formatSamples: jsonb('format_samples').$type<Record<string, unknown>[]>().notNull().default([]),
  /** Whose firmware its devices may run. */
  dialects: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  /** What becomes of messages with keys that the model does not know, and of texts where numbers belong. */
  unknownKeys: text('unknown_keys').$type<'refuse' | 'ignore' | 'collect'>().notNull().default('collect'),
  /** Null: as its dialects say. */
  lenientTypes: boolean('lenient_types'),
  /** What packages of its firmware must fulfil; belongs to the firmware module. */
  firmware: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  subDevices: jsonb('sub_devices').$type<Record<string, unknown>>().notNull().default({}),
  registration: text().$type<'off' | 'allow_new' | 'pre_registered' | 'approve'>().notNull().default('off'),
  secretHash: bytea('secret_hash'),
  secretCipher: bytea('secret_cipher'),
  previousSecretHash: bytea('previous_secret_hash'),
  previousSecretUntil: time('previous_secret_until'),
  /** Topic rights and limits of its devices. */
  access: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  /** Expiry, danger, read-back … of commands, by property and service. */
  commandRules: jsonb('command_rules').$type<Record<string, unknown>>().notNull().default({}),
  commandRulesVersion: integer('command_rules_version').notNull().default(1),
  commandPinHash: text('command_pin_hash'),
  offlineDelaySeconds: integer('offline_delay_seconds').notNull().default(300),
  groupId: uuid('group_id'),
  version: integer().notNull().default(1),
  createdAt: time('created_at').notNull().defaultNow(),
  updatedAt: time('updated_at').notNull().defaultNow(),
  deletedAt: time('deleted_at'),
  /** Who made it, set by the database from the transaction's caller: the data scope "own". */
  createdBy: uuid('created_by'),
})

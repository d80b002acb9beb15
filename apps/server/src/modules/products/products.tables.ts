import type { ThingModel } from '@thingwright/thing-model'
import { integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

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
  offlineDelaySeconds: integer('offline_delay_seconds').notNull().default(300),
  groupId: uuid('group_id'),
  version: integer().notNull().default(1),
  createdAt: time('created_at').notNull().defaultNow(),
  updatedAt: time('updated_at').notNull().defaultNow(),
  deletedAt: time('deleted_at'),
})

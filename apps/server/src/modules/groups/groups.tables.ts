import { integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'

/** Group trees of devices, products and users, told apart by kind. */
export const groups = pgTable('groups', {
  id: uuid().primaryKey(),
  tenantId: uuid('tenant_id').notNull(),
  kind: text().$type<'device' | 'product' | 'user'>().notNull(),
  parentId: uuid('parent_id'),
  name: text().notNull(),
  position: integer().notNull().default(0),
  version: integer().notNull().default(1),
  createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow(),
})

export type GroupRow = typeof groups.$inferSelect

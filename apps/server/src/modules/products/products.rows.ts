import type { ThingModel } from '@thingwright/thing-model'

/** A device type. `num` is the key of the device path, given by the database and never reused. */
export interface ProductRow {
  id: string
  num: number
  tenantId: string
  productKey: string
  name: string
  description: string
  category: string
  icon: string
  linkType: string
  nodeType: 'device' | 'gateway' | 'sub_device'
  status: 'draft' | 'published'
  draftModel: ThingModel
  publishedModel: ThingModel | null
  modelVersion: number
  format: Record<string, unknown>
  /** What becomes of messages with keys that the model does not know, and of texts where numbers belong. */
  unknownKeys: 'refuse' | 'ignore' | 'collect'
  /** Null: as its dialects say. */
  lenientTypes: boolean | null
  badValues: 'drop' | 'refuse'
  /** The protocol dialects that its devices may speak. */
  dialects: Record<string, unknown>
  /** How devices connect, as set (contracts: LinkSettings); empty: the defaults. */
  link: Record<string, unknown>
  /** TCP or UDP port of its own. */
  ownPort: number | null
  offlineDelaySeconds: number
  groupId: string | null
  version: number
  createdAt: Date
  updatedAt: Date
  deletedAt: Date | null
  /** The draft differs from what devices are checked against. */
  modelChanged: boolean
}

type Written = Omit<ProductRow, 'num' | 'version' | 'createdAt' | 'updatedAt' | 'modelChanged'>

/** What is changed of a product. */
export type ProductChange = Partial<Omit<Written, 'id' | 'tenantId' | 'productKey'>>

/** A product to be made. What is not there gets the column's default. */
export type NewProduct = Pick<Written, 'id' | 'tenantId' | 'productKey' | 'name' | 'linkType' | 'draftModel'> &
  Omit<ProductChange, 'deletedAt'>

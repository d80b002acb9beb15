import type { GroupKind } from '@thingwright/contracts/groups.contract'

/** A group of one of the trees of devices, products and users, told apart by kind. */
export interface GroupRow {
  id: string
  tenantId: string
  kind: GroupKind
  parentId: string | null
  name: string
  position: number
  version: number
  createdAt: Date
  updatedAt: Date
}

export type NewGroup = Pick<GroupRow, 'id' | 'tenantId' | 'kind' | 'parentId' | 'name' | 'position'>

import { type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { claimMaterials } from '../media/index.ts'
import * as repo from './cloud-pages.repo.ts'

/** Pictures that the page shows stay as long as it does: the company's, and those of the person who made or changes it. */
export async function holdMaterials(
  scope: TenantScope,
  ctx: Ctx,
  { id, name, ownerId }: Pick<repo.PageRow, 'id' | 'name' | 'ownerId'>,
): Promise<void> {
  const owners = [ownerId, ownerIdOf(ctx.actor)].filter(owner => owner !== null)
  const ids = await repo.materialsOf(scope, id)
  await claimMaterials(scope, { objectType: 'cloud_page', objectId: id, label: name }, ids, owners)
}

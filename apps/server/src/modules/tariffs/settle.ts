import type { TenantScope } from '../../lib/database/database.ts'
import { findEndUserWallet } from '../wallets/index.ts'
import * as meters from './meters.repo.ts'
import * as statements from './statements.repo.ts'

/**
 * Writes down again which statements an end user's balance covers, after it moved: what he paid goes to the oldest
 * statement first, and what was drawn since is owed before any statement is.
 */
export async function settle(scope: TenantScope, endUserId: string): Promise<void> {
  const wallet = await findEndUserWallet(scope, scope.tenantId, endUserId)
  const drawn = await meters.drawnOf(scope, endUserId)
  const owed = Math.max(0, -(wallet?.availableFen ?? 0) - drawn)
  await statements.settle(scope, scope.tenantId, endUserId, owed)
}

import type { CommandRules } from '@thingwright/contracts/command-schemas'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import { storeCommandRules } from '../products/index.ts'

export interface ProductRules {
  id: string
  num: number
  name: string
  linkType: string
  rules: CommandRules
  version: number
  pinHash: string | null
}

const PRODUCT_RULES = sql<ProductRules>`select id, num, name, link_type as "linkType", command_rules as rules, command_rules_version as version,
    command_pin_hash as "pinHash"
  from products where id = $1 and deleted_at is null`

/** What a product says about its commands; null: no such product here. */
export async function productRules(scope: TenantScope, productId: string): Promise<ProductRules | null> {
  const { rows } = await scope.run(PRODUCT_RULES, [productId])
  return rows[0] ?? null
}

/** @param pinHash undefined: as it is. @returns null when the version has moved on */
export async function updateRules(
  scope: TenantScope,
  productId: string,
  version: number,
  rules: CommandRules,
  pinHash: string | null | undefined,
): Promise<ProductRules | null> {
  return (await storeCommandRules(scope, productId, version, rules, pinHash)) ? productRules(scope, productId) : null
}

const ROLES_OF_LOGIN = sql<{ id: string }>`select role_id as id from login_roles where login_id = $1`

export async function rolesOfLogin(scope: TenantScope, loginId: string): Promise<string[]> {
  const { rows } = await scope.run(ROLES_OF_LOGIN, [loginId])
  return rows.map(row => row.id)
}

import { DEFAULT_SECURITY_POLICY, SecurityPolicy } from '@thingwright/contracts/security.contract'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { TenantsService } from '../tenants/index.ts'
import { allowedBy, readNetwork } from './network.ts'

const RULES = (SecurityPolicy as unknown as { properties: Record<string, TSchema> }).properties

/** A company's rules out of its settings: what it never set, and what no longer passes the rules, has its default. */
export function readPolicy(stored: unknown): SecurityPolicy {
  const given = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {}
  const valid = Object.entries(given).filter(([key, value]) => {
    const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined
    return rule !== undefined && Value.Check(rule, value)
  })
  return { ...DEFAULT_SECURITY_POLICY, ...Object.fromEntries(valid) }
}

const POLICY_IN = sql<{ security: unknown }>`select settings -> 'security' as security from tenants where id = $1`

/** The rules of the company somebody is about to sign in to. */
export async function policyIn(scope: Pick<SystemScope, 'run'>, tenantId: string): Promise<SecurityPolicy> {
  const { rows } = await scope.run(POLICY_IN, [tenantId])
  return readPolicy(rows[0]?.security)
}

export interface SecurityPolicyService {
  get(ctx: Ctx): Promise<{ policy: SecurityPolicy; yourAddress: string; membersWithoutSecondFactor: number }>
  /** @throws AppError security.network_invalid, security.locked_out when the caller's own address would be kept out */
  update(ctx: Ctx, change: Partial<SecurityPolicy>): Promise<SecurityPolicy>
}

const GET = sql<{ n: number }>`select count(*)::int as n from logins where state = 'active' and second_factors = '{}'`

export function createSecurityPolicy(deps: {
  database: Database
  tenants: Pick<TenantsService, 'settings' | 'updateSettings'>
  forget(loginId?: string): void
}): SecurityPolicyService {
  return {
    async get(ctx) {
      const { security } = await deps.tenants.settings(ctx.tenantId)
      const { rows } = await deps.database.withTenant({ tenantId: ctx.tenantId }, scope => scope.run(GET))
      return {
        policy: readPolicy(security),
        yourAddress: ctx.ip ?? '',
        membersWithoutSecondFactor: rows[0]?.n ?? 0,
      }
    },
    async update(ctx, given) {
      const change = { ...given }
      if (change.ipAllowList) {
        change.ipAllowList = [...new Set(change.ipAllowList.map(networkOrThrow))]
        if (!allowedBy(change.ipAllowList, ctx.ip ?? ''))
          throw new AppError('security.locked_out', {
            params: { address: ctx.ip ?? '' },
            fields: { ipAllowList: { code: 'security.locked_out', params: { address: ctx.ip ?? '' } } },
          })
      }
      const { security } = await deps.tenants.updateSettings(ctx, 'security', change, 'security.policy_change')
      deps.forget()
      return readPolicy(security)
    },
  }
}

function networkOrThrow(text: string, at: number): string {
  const network = readNetwork(text)
  if (network) return network
  throw new AppError('security.network_invalid', {
    params: { value: text },
    fields: { [`ipAllowList[${at}]`]: { code: 'security.network_invalid', params: { value: text } } },
  })
}

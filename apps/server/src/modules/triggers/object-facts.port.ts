import type { ObjectFact } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'

/** What is so now of the objects of one kind that the caller's company has, for dry runs. */
export interface ObjectFactsPort {
  kind: ObjectFact['kind']
  facts(
    scope: TenantScope,
    now: number,
  ): Promise<{ id: string; name: string; values: Readonly<Record<string, unknown>> }[]>
}

import { nextRuns, type Schedule } from '@thingwright/schedules'
import type { Database } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import words from './demo-words.json' with { type: 'json' }
import * as repo from './reports.repo.ts'

/** Reports of the demo company: its devices every morning, and its overview on the last day of the month. They have no recipients. */
export async function seedDemoReports(database: Database, tenantId: string): Promise<void> {
  await database.withTenant({ tenantId }, async scope => {
    if ((await repo.count(scope)) > 0) return
    const owner = await repo.firstMember(scope)
    if (!owner) return
    const { zone } = await repo.companyOf(scope)
    const now = Date.now()
    const add = (
      name: string,
      schedule: Schedule,
      rest: Pick<repo.ReportValues, 'source' | 'format' | 'period'>,
    ): Promise<void> =>
      repo.insert(scope, {
        id: newId(now),
        tenantId: scope.tenantId,
        name,
        description: '',
        kind: rest.source.kind,
        schedule,
        locale: 'zh',
        recipients: [],
        misfire: 'once',
        misfireMinutes: 720,
        enabled: true,
        fault: null,
        nextRun: new Date(nextRuns(schedule, now, 1)[0]!.at),
        ownerId: owner.id,
        ownerName: owner.username,
        ...rest,
      })
    await add(
      words.alarms,
      { kind: 'daily', times: ['08:00'], zone },
      { source: { kind: 'list', list: 'alarms.export', query: {}, columns: [] }, format: 'xlsx', period: 'yesterday' },
    )
    await add(
      words.overview,
      { kind: 'monthly', days: ['last'], times: ['18:00'], zone },
      { source: { kind: 'overview' }, format: 'pdf', period: 'last_7_days' },
    )
  })
}

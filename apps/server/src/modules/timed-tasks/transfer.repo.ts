import type { TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import type { Schedule } from '@thingwright/schedules'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface PackedScene {
  id: string
  name: string
  description: string
  actions: TimedAction[]
}
export interface PackedTask extends PackedScene {
  schedule: Schedule
  calendarId: string | null
  offActions: TimedAction[]
  misfire: 'skip' | 'once'
  misfireMinutes: number
  enabled: boolean
}

const SCENES = sql<PackedScene>`select id, name, description, actions from scenes order by created_at, id`
const TASKS = sql<PackedTask>`select id, name, description, schedule, calendar_id as "calendarId", actions,
  off_actions as "offActions", misfire, misfire_minutes as "misfireMinutes", enabled from timed_tasks order by created_at, id`

export const allScenes = async (scope: TenantScope) => (await scope.run(SCENES)).rows
export const allTasks = async (scope: TenantScope) => (await scope.run(TASKS)).rows

interface NamedDevice {
  id: string
  productId: string
  deviceNo: string
}
const DEVICES = sql<NamedDevice>`select id, product_id as "productId", device_no as "deviceNo"
  from devices where id = any ($1::uuid[]) and recycled_at is null`

/** How a file names devices: by their product and number. */
export async function devicesNamed(scope: TenantScope, ids: readonly string[]): Promise<NamedDevice[]> {
  return ids.length === 0 ? [] : (await scope.run(DEVICES, [ids])).rows
}

interface Found {
  id: string
  version: number
}
const SCENE = sql<Found>`select id, version from scenes where name = $1 order by created_at, id limit 1`
const TASK = sql<Found>`select id, version from timed_tasks where name = $1 order by created_at, id limit 1`

/** The oldest scene of this name. */
export const sceneNamed = async (scope: TenantScope, name: string): Promise<Found | undefined> =>
  (await scope.run(SCENE, [name])).rows[0]
/** The oldest task of this name. */
export const taskNamed = async (scope: TenantScope, name: string): Promise<Found | undefined> =>
  (await scope.run(TASK, [name])).rows[0]

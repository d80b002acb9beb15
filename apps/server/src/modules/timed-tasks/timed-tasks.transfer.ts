import { Words } from '@thingwright/contracts/common'
import { Actions, ScheduleInput, type TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import { MISFIRES } from '@thingwright/contracts/timed-tasks.words'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type TransferSource, type TransferTarget, transferSource, within } from '../../lib/transfer-source.ts'
import * as calendars from './calendars.repo.ts'
import type { CalendarsService } from './calendars.service.ts'
import type { ScenesService } from './scenes.service.ts'
import type { TimedTasksService } from './timed-tasks.service.ts'
import * as repo from './transfer.repo.ts'

/** The services of the module, at work in the transaction of a database that is given. */
export type ServicesOf = (database: Database) => {
  tasks: TimedTasksService
  scenes: ScenesService
  calendars: CalendarsService
}

const Ref = Type.String({ minLength: 1, maxLength: 64 })
const Name = Type.String({ minLength: 1, maxLength: 64 })
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const CalendarLine = Type.Object({
  id: Ref,
  name: Name,
  holidays: Type.Array(Day, { maxItems: 5_000 }),
  workdays: Type.Array(Day, { maxItems: 5_000 }),
})
const acting = {
  id: Ref,
  name: Name,
  description: Type.String({ maxLength: 512 }),
  actions: Actions,
  devices: Type.Array(Type.Object({ id: Ref, productId: Ref, deviceNo: Type.String({ minLength: 1, maxLength: 64 }) })),
}
const SceneLine = Type.Object(acting)
const TaskLine = Type.Object({
  ...acting,
  schedule: ScheduleInput,
  calendarId: Type.Union([Ref, Type.Null()]),
  offActions: Actions,
  misfire: Words(MISFIRES),
  misfireMinutes: Type.Integer({ minimum: 1, maximum: 1440 }),
  enabled: Type.Boolean(),
})
type Acting = Static<typeof SceneLine>
type Action = Static<typeof TimedAction>

/** Holiday calendars, scenes and timed tasks in the file of a company. */
export function timedTasksTransfer(database: Database, servicesOf: ServicesOf): TransferSource[] {
  const inside = (scope: TenantScope) => servicesOf(within(database, scope))
  return [
    transferSource({
      kind: 'calendars',
      permissions: ['timed-task:write'],
      line: CalendarLine,
      pack: async scope =>
        (await calendars.list(scope)).map(({ id, name, holidays, workdays }) => ({ id, name, holidays, workdays })),
      find: async (scope, { name }) => (await calendars.idNamed(scope, name)) ?? undefined,
      async bring(scope, ctx, { id: _, ...line }, { existing }) {
        const known = await calendars.idNamed(scope, line.name)
        const found = known === null ? undefined : await calendars.find(scope, known)
        if (!found) return { what: 'created', id: (await inside(scope).calendars.create(ctx, line)).id }
        if (existing === 'keep') return { what: 'kept', id: found.id }
        await inside(scope).calendars.update(ctx, found.id, { ...line, version: found.version })
        return { what: 'replaced', id: found.id }
      },
    }),
    transferSource({
      kind: 'scenes',
      permissions: ['timed-task:write', 'device:command'],
      line: SceneLine,
      async pack(scope) {
        const rows = await repo.allScenes(scope)
        return Promise.all(rows.map(async row => ({ ...row, devices: await devicesOf(scope, row.actions) })))
      },
      find: async (scope, { name }) => (await repo.sceneNamed(scope, name))?.id,
      async bring(scope, ctx, line, to) {
        const found = await repo.sceneNamed(scope, line.name)
        if (found && to.existing === 'keep') return { what: 'kept', id: found.id }
        const { name, description } = line
        const scene = { name, description, actions: await actionsHere(line.actions, line, to) }
        return put(found, ctx, scene, inside(scope).scenes)
      },
    }),
    transferSource({
      kind: 'timed_tasks',
      permissions: ['timed-task:write', 'device:command'],
      line: TaskLine,
      async pack(scope) {
        const rows = await repo.allTasks(scope)
        return Promise.all(
          rows.map(async row => ({
            ...row,
            schedule: row.schedule as unknown as Static<typeof ScheduleInput>,
            devices: await devicesOf(scope, [...row.actions, ...row.offActions]),
          })),
        )
      },
      async bring(scope, ctx, line, to) {
        const found = await repo.taskNamed(scope, line.name)
        if (found && to.existing === 'keep') return { what: 'kept', id: found.id }
        const { id: _, devices: __, calendarId: inFile, ...rest } = line
        const task = {
          ...rest,
          calendarId: inFile === null ? null : here(to.entry('calendars', inFile), inFile),
          actions: await actionsHere(line.actions, line, to),
          offActions: await actionsHere(line.offActions, line, to),
        }
        return put(found, ctx, task, inside(scope).tasks)
      },
    }),
  ]
}

interface Kept<T> {
  create(ctx: Ctx, input: T): Promise<{ id: string }>
  update(ctx: Ctx, id: string, input: T & { version: number }): Promise<unknown>
}

async function put<T>(found: { id: string; version: number } | undefined, ctx: Ctx, input: T, service: Kept<T>) {
  if (!found) return { what: 'created' as const, id: (await service.create(ctx, input)).id }
  await service.update(ctx, found.id, { ...input, version: found.version })
  return { what: 'replaced' as const, id: found.id }
}

const devicesOf = (scope: TenantScope, actions: readonly Action[]) =>
  repo.devicesNamed(scope, [...new Set(actions.flatMap(action => action.scope?.deviceIds ?? []))])

/** @throws AppError transfer.reference_missing */
function here(found: string | undefined, reference: string): string {
  if (found === undefined) throw new AppError('transfer.reference_missing', { params: { reference } })
  return found
}

/** The same steps on what is here. @throws AppError transfer.reference_missing: something they act on is not */
async function actionsHere(
  actions: readonly Action[],
  { devices }: Pick<Acting, 'devices'>,
  to: TransferTarget,
): Promise<Action[]> {
  const byId = new Map(devices.map(device => [device.id, device]))
  const device = async (id: string) => {
    const named = byId.get(id)
    return here(named && (await to.device(named.productId, named.deviceNo)), named?.deviceNo ?? id)
  }
  const made: Action[] = []
  for (const action of actions) {
    const { deviceIds, productIds, groupIds } = action.scope ?? {}
    made.push({
      ...action,
      ...(action.scope
        ? {
            scope: {
              ...action.scope,
              ...(deviceIds ? { deviceIds: await Promise.all(deviceIds.map(device)) } : {}),
              ...(productIds ? { productIds: productIds.map(id => here(to.product(id), id)) } : {}),
              ...(groupIds ? { groupIds: groupIds.map(id => here(to.group(id), id)) } : {}),
            },
          }
        : {}),
      ...(action.sceneId ? { sceneId: here(to.entry('scenes', action.sceneId), action.sceneId) } : {}),
    })
  }
  return made
}

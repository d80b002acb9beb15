import { type Static, Type } from 'typebox'
import { Id, IsoTime, JsonObject, Name, Nullable, Words } from './common.ts'
import {
  MAX_TIMED_ACTIONS,
  MISFIRES,
  PAIR_EDGES,
  SCHEDULE_KINDS,
  TIMED_ACTIONS,
  TIMED_RUN_CAUSES,
  TIMED_RUN_STATES,
  TIMED_STEP_RESULTS,
  TIMED_TASK_STATES,
} from './timed-tasks.words.ts'

const closed = { additionalProperties: false } as const

/**
 * When it runs, by `kind` (docs/adr/0049-schedules.md). Times of the clock are `HH:MM` or `HH:MM:SS`, days of
 * the week 1 Monday to 7 Sunday; `zone` absent: the company's.
 * - `once` `{at: "YYYY-MM-DDTHH:MM"}`
 * - `daily` `{times}`, `weekly` `{days, times}`, `monthly` `{days: (1-31|"last")[], months?, times}`
 * - `interval` `{everySeconds, from, to, days?}`: from the beginning of a window of the day until its end
 * - `pair` `{on, off, days?}`: each a time of the clock or `{sun: "sunrise"|"sunset", offsetMinutes?}`; off may be the next day
 * - `sun` `{event: "sunrise"|"sunset", offsetMinutes?, days?}`: where the first device of its actions is
 * - `cron` `{expression}`: five fields, or six with seconds in front
 *
 * All but once and cron take `dayKind: "workday"|"holiday"`, by the task's calendar.
 */
export const ScheduleInput = Type.Unsafe<
  { kind: (typeof SCHEDULE_KINDS)[number]; zone?: string } & Record<string, unknown>
>({
  type: 'object',
  properties: { kind: { type: 'string', enum: [...SCHEDULE_KINDS] }, zone: { type: 'string', maxLength: 64 } },
  required: ['kind'],
  additionalProperties: true,
})
export type ScheduleInput = Static<typeof ScheduleInput>

/** Devices that get a command: exactly one of the four. Groups with what is below them. */
export const StepScope = Type.Object(
  {
    deviceIds: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
    productIds: Type.Optional(Type.Array(Id, { maxItems: 100 })),
    groupIds: Type.Optional(Type.Array(Id, { maxItems: 100 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 100 })),
  },
  closed,
)
export type StepScope = Static<typeof StepScope>

/**
 * One step: `command` with scope and command, `delay` with seconds, `scene` with sceneId (not within a scene).
 * `acknowledged` is the second yes to a dangerous command, given for every run; what asks for a PIN or a proof is refused.
 */
export const TimedAction = Type.Object(
  {
    kind: Words(TIMED_ACTIONS),
    scope: Type.Optional(StepScope),
    command: Type.Optional(
      Type.Object(
        {
          kind: Words(['property_set', 'service']),
          identifier: Type.Optional(Type.String({ maxLength: 64, description: 'Of a service' })),
          params: Type.Optional(JsonObject),
          acknowledged: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    seconds: Type.Optional(Type.Integer({ description: '1 to 86400, of delay' })),
    sceneId: Type.Optional(Id),
  },
  closed,
)
export type TimedAction = Static<typeof TimedAction>

export const Actions = Type.Array(TimedAction, { maxItems: MAX_TIMED_ACTIONS })

export const timedTaskFields = {
  description: Type.Optional(Type.String({ maxLength: 512 })),
  schedule: ScheduleInput,
  calendarId: Type.Optional(
    Nullable({ ...Id, description: 'For workdays and holidays; null: Saturdays and Sundays are free' }),
  ),
  actions: Actions,
  offActions: Type.Optional({ ...Actions, description: 'Of a pair: what is done at its end' }),
  misfire: Type.Optional(Words(MISFIRES, { description: 'What was due while the server was down. Absent: skip' })),
  misfireMinutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1440, description: 'Of once: how late it may still run. Absent: 30' }),
  ),
}

export const TimedTaskInput = Type.Object(
  { name: Name, enabled: Type.Optional(Type.Boolean({ description: 'Absent: yes' })), ...timedTaskFields },
  closed,
)
export type TimedTaskInput = Static<typeof TimedTaskInput>

/** Why something did not run, in the caller's language. */
export const TimedFault = Type.Object({ code: Type.String(), message: Type.String() })

/** Names of the devices, products, groups and scenes that actions mention, by id; what is gone is not among them. */
const Names = Type.Record(Type.String(), Type.String())

export const TimedTaskView = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  state: Words(TIMED_TASK_STATES),
  fault: Nullable(TimedFault),
  kind: Words(SCHEDULE_KINDS),
  schedule: ScheduleInput,
  calendarId: Nullable(Id),
  actions: Actions,
  offActions: Actions,
  names: Names,
  misfire: Words(MISFIRES),
  misfireMinutes: Type.Integer(),
  nextRunAt: Nullable(IsoTime),
  lastRunAt: Nullable(IsoTime),
  lastState: Nullable(Words(TIMED_RUN_STATES)),
  ownerId: Nullable(Id),
  ownerName: Type.String(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type TimedTaskView = Static<typeof TimedTaskView>

export const NextRun = Type.Object({ at: IsoTime, edge: Nullable(Words(PAIR_EDGES)) })
export const NextRuns = Type.Object({
  items: Type.Array(NextRun),
  zone: Type.String({ description: 'Of its times of the clock' }),
})
export type NextRuns = Static<typeof NextRuns>

const Counts = { done: Type.Integer(), failed: Type.Integer(), skipped: Type.Integer() }

export const TimedRunView = Type.Object({
  id: Id,
  taskId: Nullable(Id),
  sceneId: Nullable(Id),
  name: Type.String(),
  cause: Words(TIMED_RUN_CAUSES),
  edge: Nullable(Words(PAIR_EDGES)),
  byName: Type.String(),
  dueAt: IsoTime,
  startedAt: Nullable(IsoTime),
  finishedAt: Nullable(IsoTime),
  missed: Type.Integer({ description: 'Runs that were due before it while nobody was there' }),
  state: Words(TIMED_RUN_STATES),
  fault: Nullable(TimedFault),
  steps: Type.Array(
    Type.Object({
      index: Type.Integer(),
      action: TimedAction,
      sceneName: Nullable(Type.String()),
      dueAt: IsoTime,
      result: Words(TIMED_STEP_RESULTS),
      fault: Nullable(TimedFault),
      ...Counts,
    }),
  ),
})
export type TimedRunView = Static<typeof TimedRunView>

export const TimedResultView = Type.Object({
  index: Type.Integer({ description: 'Of the step' }),
  deviceId: Id,
  deviceName: Type.String(),
  result: Words(['done', 'failed', 'skipped']),
  fault: Nullable(TimedFault),
  commandId: Nullable(Id),
  commandState: Nullable(Type.String({ description: 'Of the command now' })),
  at: IsoTime,
})
export type TimedResultView = Static<typeof TimedResultView>

export const SceneInput = Type.Object(
  { name: Name, description: Type.Optional(Type.String({ maxLength: 512 })), actions: Actions },
  closed,
)
export type SceneInput = Static<typeof SceneInput>

export const SceneView = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  actions: Actions,
  names: Names,
  tasks: Type.Integer({ description: 'Timed tasks that run it' }),
  lastRunAt: Nullable(IsoTime),
  lastState: Nullable(Words(TIMED_RUN_STATES)),
  ownerId: Nullable(Id),
  ownerName: Type.String(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type SceneView = Static<typeof SceneView>

const Day = Type.String({ format: 'date', description: 'YYYY-MM-DD' })
const Days = Type.Array(Day, { maxItems: 1000 })

export const CalendarInput = Type.Object(
  {
    name: Name,
    holidays: { ...Days, description: 'Free days beside Saturdays and Sundays' },
    workdays: { ...Days, description: 'Saturdays and Sundays that are worked' },
  },
  closed,
)
export type CalendarInput = Static<typeof CalendarInput>

export const CalendarView = Type.Object({
  id: Id,
  name: Type.String(),
  holidays: Days,
  workdays: Days,
  tasks: Type.Integer({ description: 'Timed tasks that go by it' }),
  version: Type.Integer(),
  updatedAt: IsoTime,
})
export type CalendarView = Static<typeof CalendarView>

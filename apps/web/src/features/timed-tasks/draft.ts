import type { TimedAction, TimedTaskView } from '@thingwright/contracts/timed-tasks.contract'
import type { Body } from '../../lib/api-client.ts'
import type { Kind } from './lists.ts'

/** A schedule as it is typed: what a kind asks for, nothing of the others. */
export type Typed = { kind: Kind; zone?: string } & Record<string, unknown>

export interface Draft {
  name: string
  description: string
  schedule: Typed
  calendarId: string | null
  actions: TimedAction[]
  offActions: TimedAction[]
  misfire: 'skip' | 'once'
  misfireMinutes: number
}

/** What each kind begins with. */
export const BEGINS: Record<Kind, (now: Date) => Omit<Typed, 'kind'>> = {
  once: now => ({ at: `${localDay(new Date(now.getTime() + 86_400_000))}T08:00` }),
  daily: () => ({ times: ['08:00'] }),
  weekly: () => ({ days: [1, 2, 3, 4, 5], times: ['08:00'] }),
  monthly: () => ({ days: [1], times: ['08:00'] }),
  interval: () => ({ everySeconds: 1800, from: '08:00', to: '18:00' }),
  pair: () => ({ on: '08:00', off: '18:00' }),
  sun: () => ({ event: 'sunset' }),
  cron: () => ({ expression: '0 8 * * *' }),
}

const two = (n: number) => String(n).padStart(2, '0')
const localDay = (date: Date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`

/** Another kind keeps the zone alone. */
export function asKind(kind: Kind, before: Typed | null, now: Date): Typed {
  return { kind, ...(before?.zone ? { zone: before.zone } : {}), ...BEGINS[kind](now) }
}

/** A step that sets nothing yet, for a device where one is known. */
export const freshCommand = (deviceId?: string): TimedAction => ({
  kind: 'command',
  scope: { deviceIds: deviceId ? [deviceId] : [] },
  command: { kind: 'property_set', params: {} },
})

export function freshDraft(deviceId: string | null, now: Date): Draft {
  return {
    name: '',
    description: '',
    schedule: asKind('daily', null, now),
    calendarId: null,
    actions: [freshCommand(deviceId ?? undefined)],
    offActions: [],
    misfire: 'skip',
    misfireMinutes: 30,
  }
}

export function draftOf(view: TimedTaskView): Draft {
  const { name, description, schedule, calendarId, actions, offActions, misfire, misfireMinutes } = view
  return { name, description, schedule: schedule as Typed, calendarId, actions, offActions, misfire, misfireMinutes }
}

/** What the server is sent: the end of a pair only where there is one. */
export function bodyOf(draft: Draft, enabled: boolean): Body<'timedTasks.create'> {
  const { offActions, ...rest } = draft
  return {
    ...rest,
    name: draft.name.trim(),
    enabled,
    offActions: draft.schedule.kind === 'pair' ? offActions : [],
  } as Body<'timedTasks.create'>
}

/** The other side of steps that switch something on: the same devices, each truth value turned round; null: there is none. */
export function turnedRound(actions: readonly TimedAction[]): TimedAction[] | null {
  const turned: TimedAction[] = []
  for (const action of actions) {
    const params = action.command?.params ?? {}
    const values = Object.values(params)
    if (action.kind !== 'command' || values.length === 0 || !values.every(value => typeof value === 'boolean'))
      return null
    turned.push({
      ...action,
      command: {
        ...action.command!,
        params: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, !value])),
      },
    })
  }
  return turned
}

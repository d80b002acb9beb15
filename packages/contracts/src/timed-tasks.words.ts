/** As packages/schedules names them, in the order in which they are offered; a test holds the two together. */
export const SCHEDULE_KINDS = ['once', 'daily', 'weekly', 'monthly', 'interval', 'pair', 'sun', 'cron'] as const
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number]

/**
 * enabled: it waits for its next run. disabled: somebody paused it. error: it cannot run as it stands. ended: nothing more
 * comes.
 */
export const TIMED_TASK_STATES = ['enabled', 'disabled', 'error', 'ended'] as const
export type TimedTaskState = (typeof TIMED_TASK_STATES)[number]

/** skip: what was due while nobody was there is left out. once: the last of it is made up for within some minutes. */
export const MISFIRES = ['skip', 'once'] as const

/** What a task can do; a scene has no scenes in it. */
export const TIMED_ACTIONS = ['command', 'delay', 'scene'] as const

export const TIMED_RUN_CAUSES = ['schedule', 'manual', 'trigger'] as const

/** partial: some devices did not get it. skipped: it was left out, for the reason beside it. */
export const TIMED_RUN_STATES = ['pending', 'running', 'done', 'partial', 'failed', 'skipped'] as const
export type TimedRunState = (typeof TIMED_RUN_STATES)[number]

export const TIMED_STEP_RESULTS = ['pending', 'done', 'partial', 'failed', 'skipped'] as const

export const PAIR_EDGES = ['on', 'off'] as const

/** Tasks, and scenes, of one company. */
export const MAX_TIMED_TASKS = 20_000
export const MAX_SCENES = 5_000
export const MAX_CALENDARS = 50
/** Steps of a task or scene. */
export const MAX_TIMED_ACTIONS = 20
/** Seconds that a step can wait. */
export const MAX_DELAY_SECONDS = 86_400
/** Devices that one step reaches. */
export const MAX_STEP_DEVICES = 10_000

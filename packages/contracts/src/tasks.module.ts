import type { ModuleFacts } from './module.ts'

export const tasksModule = {
  // The tasks that the caller started: their state and progress.
  live: [{ pattern: 'tasks', permission: 'signed-in' }],
} as const satisfies ModuleFacts

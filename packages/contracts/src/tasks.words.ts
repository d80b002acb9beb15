export const TASK_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

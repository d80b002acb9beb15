export const TASK_STATES = ['queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled'] as const

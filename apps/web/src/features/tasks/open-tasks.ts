import { create } from 'zustand'
import type { LiveEvent } from '../../lib/live-socket.ts'

/** What the live topic tells of a task. */
export interface TaskProgress {
  state: 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled'
  done: number
  total: number | null
  failedCount: number
  cancelRequested: boolean
}

/** Waiting and running tasks of the signed-in person, by id. */
export const useOpenTasks = create<{ open: Record<string, TaskProgress> }>(() => ({ open: {} }))

export const isOpen = (state: TaskProgress['state']) => state === 'queued' || state === 'running'

/** Takes over what the topic tells; returns the id of a task that has just ended. */
export function followTasks(event: LiveEvent): string | null {
  const { open } = useOpenTasks.getState()
  if (event.type === 'snapshot') {
    useOpenTasks.setState({ open: event.snapshot as Record<string, TaskProgress> })
    return null
  }
  if (event.type !== 'patch') return null
  const patch = event.patch as unknown as TaskProgress
  const { [event.id]: before, ...others } = open
  if (isOpen(patch.state)) {
    useOpenTasks.setState({ open: { ...open, [event.id]: patch } })
    return null
  }
  useOpenTasks.setState({ open: others })
  return before === undefined ? null : event.id
}

/** Part of all that is done, 0 to 1; null while something does not know its size. */
export function shareDone(tasks: readonly TaskProgress[]): number | null {
  let done = 0
  let total = 0
  for (const task of tasks) {
    if (task.total === null || task.total === 0) return null
    done += Math.min(task.done, task.total)
    total += task.total
  }
  return total === 0 ? null : done / total
}

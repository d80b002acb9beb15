/** The time a running task still needs at its pace so far; null while nothing can be said. */
export function timeLeft(
  task: { startedAt: string | null; done: number; total: number | null },
  now: number,
): { unit: 'seconds' | 'minutes' | 'hours'; count: number } | null {
  if (task.startedAt === null || !task.total || task.done === 0) return null
  const ran = now - Date.parse(task.startedAt)
  // The first moments say nothing about the rest.
  if (ran < 2000) return null
  const seconds = Math.max(1, Math.round(((ran / task.done) * Math.max(0, task.total - task.done)) / 1000))
  if (seconds < 90) return { unit: 'seconds', count: seconds }
  if (seconds < 5400) return { unit: 'minutes', count: Math.round(seconds / 60) }
  return { unit: 'hours', count: Math.round(seconds / 3600) }
}

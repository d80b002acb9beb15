import { beforeEach, describe, expect, it } from 'vitest'
import { followTasks, shareDone, type TaskProgress, useOpenTasks } from './open-tasks.ts'

const task = (over: Partial<TaskProgress> = {}): TaskProgress => ({
  state: 'running',
  done: 0,
  total: null,
  failedCount: 0,
  cancelRequested: false,
  ...over,
})
const patch = (id: string, over: Partial<TaskProgress>) =>
  followTasks({ type: 'patch', topic: 'tasks', id, patch: { ...task(over) }, ts: 0 })
const open = () => Object.keys(useOpenTasks.getState().open)

describe('open tasks', () => {
  beforeEach(() => useOpenTasks.setState({ open: {} }))

  it('come from the snapshot, change with patches and leave when they end', () => {
    followTasks({ type: 'snapshot', topic: 'tasks', snapshot: { a: task() } })
    expect(patch('b', { state: 'queued' })).toBeNull()
    expect(open()).toEqual(['a', 'b'])
    expect(patch('a', { state: 'succeeded' })).toBe('a')
    expect(open()).toEqual(['b'])
    expect(patch('a', { state: 'succeeded' })).toBeNull()
    followTasks({ type: 'snapshot', topic: 'tasks', snapshot: {} })
    expect(open()).toEqual([])
  })

  it('tell their common share only when all know their size', () => {
    expect(shareDone([])).toBeNull()
    expect(shareDone([task({ done: 1, total: 4 }), task({ done: 6, total: 4 })])).toBe(5 / 8)
    expect(shareDone([task({ done: 1, total: 4 }), task({ total: null })])).toBeNull()
    expect(shareDone([task({ total: 0 })])).toBeNull()
  })
})
